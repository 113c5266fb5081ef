"""Drawing the pools again without some of their sources, from the stored lists. Writes nothing."""

from __future__ import annotations

from collections.abc import Collection as Group
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from accounts.models import Collection
from corpus.models import SOURCES, QueryPaper
from corpus.state import corpus_documents
from jobs.context import JobContext
from pooling.errors import PoolingError
from pooling.models import DrawnList, Pool, PoolBuild
from pooling.provenance import IMPORTED
from pooling.services.draw import cited_docnos, draw_pool, stored_lists
from pooling.services.eligibility import Eligible
from pooling.services.manifest import can_be_rebuilt, plan_of
from retrieval.formats import RankedList
from retrieval.models import Run

BATCH_SIZE = 20  # pools; ten lists of 500 for each of them take some 15 MB
SourceGroup = tuple[str, ...]

WITHOUT_PLAN = (
    "they were imported with the source of each document, but without the ranked lists that the "
    "sources drew from"
)
LIST_ONLY = "they were imported as lists of judged documents, without the sources that found them"
LOST_RUN = "the run {name}, which they were drawn from, was removed"
DIFFERENT = "the stored runs and documents no longer give the same pools"


@dataclass
class Redrawn:
    """Pools without a group of sources.

    `dropped` and `new`: by query paper, the documents that its pool loses and gains. A gained
    document has no label. Query papers that are in neither could not be drawn again, or have
    nothing of the group.
    """

    dropped: dict[str, set[str]] = field(default_factory=dict)
    new: dict[str, set[str]] = field(default_factory=dict)


@dataclass
class Redrawing:
    """The result for every group; `kept` has the pools that stay as they are, by reason."""

    by_group: dict[SourceGroup, Redrawn]
    papers: list[str] = field(default_factory=list)
    kept: dict[str, list[str]] = field(default_factory=dict)


def redraw(collection: Collection, groups: Iterable[SourceGroup], work: JobContext) -> Redrawing:
    """Draw the pools of the collection again, once without each group of sources.

    Each pool is drawn by its own plan, seed and stored lists, as it is by `build_pools`. First it
    is drawn with all sources: only if this gives the stored pool is it drawn without some.
    """
    result = Redrawing({group: Redrawn() for group in groups})
    for build in collection.pool_builds.order_by("pk"):
        pools = Pool.objects.filter(build=build)
        names = list(pools.values_list("query_paper__name", flat=True))
        if not names:
            continue
        if reason := _why_not(build):
            result.kept.setdefault(reason, []).extend(names)
            continue
        _redraw_build(collection, build, names, result, work)
    return result


def _why_not(build: PoolBuild) -> str:
    """The reason why the pools of a build cannot be drawn again, or ""."""
    if not can_be_rebuilt(build.manifest):
        return LIST_ONLY if build.manifest.get("source") == IMPORTED else WITHOUT_PLAN
    lost = build.build_runs.filter(run=None).first()
    if lost is not None:
        return LOST_RUN.format(name=lost.name)
    try:
        plan_of(build.manifest)
    except PoolingError as error:
        return str(error)
    return ""


def _redraw_build(
    collection: Collection,
    build: PoolBuild,
    names: Sequence[str],
    result: Redrawing,
    work: JobContext,
) -> None:
    build_draw = _BuildDraw(collection, build)
    ordered = sorted(names)
    for start in range(0, len(ordered), BATCH_SIZE):
        batch = ordered[start : start + BATCH_SIZE]
        pools = Pool.objects.filter(build=build, query_paper__name__in=batch)
        pools = pools.select_related(*SOURCES)
        for paper, drawn in build_draw.draw(list(pools), list(result.by_group)).items():
            if drawn is None:
                result.kept.setdefault(DIFFERENT, []).append(paper)
                continue
            result.papers.append(paper)
            full = drawn[()]
            for group, redrawn in result.by_group.items():
                if lost := full - drawn[group]:
                    redrawn.dropped[paper] = lost
                if new := drawn[group] - full:
                    redrawn.new[paper] = new
        work.progress(start + len(batch), len(ordered), "pools drawn again")


class _BuildDraw:
    """The plan and the runs of one build."""

    def __init__(self, collection: Collection, build: PoolBuild) -> None:
        self.collection, self.build = collection, build
        self.plan = plan_of(build.manifest)
        build_runs = build.build_runs.select_related("run")
        self.runs: list[Run] = [row.run for row in build_runs if row.run]
        self.eligible = Eligible.for_plan(collection, self.plan)

    def draw(
        self, pools: Sequence[Pool], groups: Sequence[SourceGroup]
    ) -> dict[str, dict[SourceGroup, set[str]] | None]:
        """The documents of each pool by group; the empty group is the pool with all sources.

        None for a pool that its stored lists do not give.
        """
        papers = [pool.query_paper for pool in pools]
        lists = stored_lists(papers, self.runs)
        corpus = corpus_documents(self.collection, cited_docnos(papers))
        names = [paper.name for paper in papers]
        rows = DrawnList.objects.filter(build=self.build, query_paper__in=names)
        stored = dict(rows.values_list("query_paper", "documents"))
        drawn: dict[str, dict[SourceGroup, set[str]] | None] = {}
        for paper in papers:
            full = self._docnos(paper, lists[paper.pk], corpus, ())
            if full != stored.get(paper.name):
                drawn[paper.name] = None
                continue
            drawn[paper.name] = {
                (): set(full),
                **{
                    group: set(self._docnos(paper, lists[paper.pk], corpus, group))
                    for group in groups
                },
            }
        return drawn

    def _docnos(
        self,
        paper: QueryPaper,
        lists: Mapping[str, RankedList],
        corpus: Container[str],
        group: Group[str],
    ) -> list[str]:
        pool, _ = draw_pool(
            paper,
            self.plan.without(group),
            self.plan.lists_without(group, lists),
            corpus,
            self.eligible,
        )
        return [entry.docno for entry in pool.entries]
