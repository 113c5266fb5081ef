"""The size of the pools that a plan would give, from a sample of the query papers. Writes nothing.

The sampled pools are drawn in memory by the code that builds pools, from the lists that are stored.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection as Group
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, NamedTuple

from django.db.models import Count

from accounts.models import Collection
from corpus.ordering import shuffled
from corpus.state import corpus_docnos, corpus_documents
from pooling.preview import USUAL_DEPTH
from pooling.reusability import DEPTH, Prediction, SourceLeftOut, pooled_share, predict
from pooling.services.draw import EMPTY, cited_docnos, draw_pool, stored_lists
from pooling.services.eligibility import Eligible
from pooling.services.plan_runs import run_names
from pooling.services.plans import PoolPlan
from pooling.strategies import BUDGET, DrawnPool, JaccardMatrix, jaccard_matrix
from retrieval.families import names_by_family
from retrieval.formats import RankedList
from retrieval.models import Run

SAMPLE_SIZE = 20  # query papers
FEWEST_PAPERS = 3
# Entries of ranked lists, which decide how long an estimate takes: 0.4 s for as many.
MOST_ENTRIES = 100_000
PURPOSE = "estimate"  # of the sha256 order that chooses the sample

SourceGroup = tuple[str, ...]
Lists = Mapping[int, Mapping[str, RankedList]]  # by primary key of the query paper, then run


class PaperToPool(NamedTuple):
    """A query paper without a frozen pool, and the number of its queries."""

    pk: int
    queries: int


class SampledPool(NamedTuple):
    """A pool drawn in memory; `to_judge` counts its documents with text.

    `without` has, for each group of sources that was left out, the documents of the pool that is
    drawn without them.
    """

    query_paper: str
    queries: int
    pool: DrawnPool
    to_judge: int
    without: Mapping[SourceGroup, frozenset[str]] = {}

    @property
    def docnos(self) -> frozenset[str]:
        return frozenset(entry.docno for entry in self.pool.entries)

    @property
    def size(self) -> int:
        return len(self.pool.entries)

    @property
    def pairs(self) -> int:
        return self.queries * self.to_judge


class SourceEstimate(NamedTuple):
    """The documents that a source adds to a pool on average, and its shortfall in all pools."""

    name: str
    documents: float
    shortfall: int

    @property
    def is_whole_pool(self) -> bool:
        """True if the shortfall belongs to the size of the pool, and to no source."""
        return self.name == BUDGET


class PairOverlap(NamedTuple):
    """Two runs, and the share of their best documents that both have."""

    name: str
    other: str
    share: float

    @property
    def percent(self) -> float:
        return 100 * self.share


class EstimatedPools(NamedTuple):
    """Pools of a plan for some query papers, with the lists they were drawn from.

    `missing` counts, by retriever, the query papers without a list. It draws nothing for them here.
    """

    pools: tuple[SampledPool, ...]
    lists: Lists
    missing: Mapping[str, int]


class Reusability(NamedTuple):
    """The predicted judged@k of a system that does not contribute: see `pooling.reusability`.

    By one source left out at a time, and by one family of sources; the latter is None for fewer
    than two families.
    """

    by_source: Prediction
    by_family: Prediction | None

    @property
    def sentences(self) -> list[str]:
        sources = self.by_source
        found = [
            f"Predicted judged@{DEPTH} of a system that does not contribute: "
            f"{sources.in_words('pool', 'pools')}. Each of {sources.groups} sources was left out."
        ]
        if self.by_family:
            found.append(
                f"With each of {self.by_family.groups} families of sources left out: "
                f"{self.by_family.in_words('pool', 'pools')}."
            )
        return found


@dataclass(frozen=True)
class Estimate:
    """The numbers of the page; those of all pools are scaled up from the sample.

    `missing` counts, by retriever, the sampled query papers without a list: it draws nothing for
    them here, and the build ranks for them first. `shallow` are retrievers that the build runs
    again, because their lists are shorter than the plan's depth. `reusability` is None until the
    plan has two sources with lists.
    """

    papers: int
    queries: int
    pools: tuple[SampledPool, ...] = ()
    overlaps: JaccardMatrix | None = None
    missing: Mapping[str, int] = field(default_factory=dict)
    shallow: tuple[str, ...] = ()
    reusability: Reusability | None = None

    @property
    def sampled(self) -> int:
        return len(self.pools)

    @property
    def is_exact(self) -> bool:
        """True if the pool of every query paper was drawn, from the lists that a build uses."""
        return self.sampled == self.papers and not (self.missing or self.shallow)

    @property
    def mean_size(self) -> float:
        return sum(pool.size for pool in self.pools) / max(1, self.sampled)

    @property
    def smallest(self) -> int:
        return min((pool.size for pool in self.pools), default=0)

    @property
    def largest(self) -> int:
        return max((pool.size for pool in self.pools), default=0)

    @property
    def candidates(self) -> int:
        return self._scaled(sum(pool.size for pool in self.pools))

    @property
    def pairs(self) -> int:
        """Scaled up by the number of queries, which is known for every query paper."""
        queries = sum(pool.queries for pool in self.pools)
        return round(sum(pool.pairs for pool in self.pools) * self.queries / max(1, queries))

    @property
    def shortfall(self) -> int:
        return self._scaled(sum(sum(pool.pool.shortfall.values()) for pool in self.pools))

    @property
    def sources(self) -> list[SourceEstimate]:
        """Every source that drew or lacks something, by name."""
        drawn = Counter(entry.drawer for pool in self.pools for entry in pool.pool.entries)
        lacking: Counter[str] = Counter()
        for pool in self.pools:
            lacking.update(pool.pool.shortfall)
        return [
            SourceEstimate(name, drawn[name] / self.sampled, self._scaled(lacking[name]))
            for name in sorted(drawn.keys() | lacking.keys())
        ]

    @property
    def pair_overlaps(self) -> list[PairOverlap]:
        """The pairs of runs with lists, highest overlap first."""
        matrix = self.overlaps
        pairs = [
            PairOverlap(name, other, share)
            for name, other in combinations(matrix.names if matrix else (), 2)
            if matrix and (share := matrix.of(name, other)) is not None
        ]
        return sorted(pairs, key=lambda pair: (-pair.share, pair.name, pair.other))

    @property
    def mean_overlap(self) -> float | None:
        """In percent; None for fewer than two runs with lists."""
        pairs = self.pair_overlaps
        return sum(pair.percent for pair in pairs) / len(pairs) if pairs else None

    def _scaled(self, number: int) -> int:
        return round(number * self.papers / max(1, self.sampled))


def papers_to_pool(collection: Collection, *, without_pool: bool = False) -> dict[str, PaperToPool]:
    """The query papers that a build draws pools for, by docno. One query, a row for each.

    With `without_pool`, those that have a draft are left out, too.
    """
    no_pool = {"pool": None} if without_pool else {"pool__frozen_at": None}
    rows = (
        collection.query_papers.order_by()
        .filter(**no_pool, queries__isnull=False)
        .values_list("name", "pk")
        .annotate(query_count=Count("queries"))
    )
    return {docno: PaperToPool(pk, queries) for docno, pk, queries in rows}


def named_papers(collection: Collection, ids: Iterable[str]) -> tuple[str, ...]:
    """The query papers that these ids are of, each once: their own ids, or those of their queries.

    Other ids stay as they are. One query.
    """
    paper_of = dict(collection.queries.order_by().values_list("name", "query_paper__name"))
    paper_of |= {paper: paper for paper in paper_of.values()}
    return tuple(dict.fromkeys(paper_of.get(each, each) for each in ids))


def estimate_pools(
    *,
    collection: Collection,
    plan: PoolPlan,
    docnos: Sequence[str] = (),
    without_pool: bool = False,
) -> Estimate:
    """The pools of the plan for all query papers to pool, or for those with these docnos.

    With `without_pool`, for those that have no pool yet.
    """
    papers = papers_to_pool(collection, without_pool=without_pool)
    if docnos:
        papers = {docno: papers[docno] for docno in docnos if docno in papers}
    runs = list(collection.runs.filter(name__in=run_names(collection, plan)))
    docnos = _sample(papers, plan.seed or collection.seed, runs)
    sources = _sources_of(plan, runs)
    # Without all sources there is no pool.
    families = {
        family: group
        for family, group in _families(runs, sources).items()
        if len(group) < len(sources)
    }
    groups: list[SourceGroup] = [(name,) for name in sources] if len(sources) > 1 else []
    groups += [group for group in families.values() if len(group) > 1]
    sample = draw_sample(collection=collection, plan=plan, docnos=docnos, groups=groups)
    return Estimate(
        papers=len(papers),
        queries=sum(paper.queries for paper in papers.values()),
        pools=sample.pools,
        overlaps=_overlaps(plan, sample.lists),
        missing=sample.missing,
        shallow=tuple(
            run.name
            for run in runs
            if not (run.is_imported or run.name in sample.missing) and (run.depth or 0) < plan.depth
        ),
        reusability=_reusability(sample, sources, families, plan.seed or collection.seed),
    )


def _sources_of(plan: PoolPlan, runs: Sequence[Run]) -> list[str]:
    """The runs that the plan draws from."""
    return sorted(run.name for run in runs if run.name not in plan.known_sources)


def _families(runs: Sequence[Run], sources: Group[str]) -> dict[str, SourceGroup]:
    return dict(names_by_family(sources, {run.name: run.kind for run in runs}))


def _reusability(
    sample: EstimatedPools,
    sources: Sequence[str],
    families: Mapping[str, SourceGroup],
    seed: str,
) -> Reusability | None:
    if len(sources) < 2:
        return None

    def left_out(name: str, group: SourceGroup) -> SourceLeftOut:
        """The mean over the sources of the group, for each pool where one has a list."""
        values = {}
        for paper, pool in zip(sample.lists, sample.pools, strict=True):
            shares = [
                pooled_share(ranking.docnos, pool.without[group], DEPTH)
                for source in group
                if (ranking := sample.lists[paper].get(source)) and ranking.docnos
            ]
            if shares:
                values[pool.query_paper] = sum(shares) / len(shares)
        return SourceLeftOut(name, values)

    by_source = predict([left_out(name, (name,)) for name in sources], seed)
    if by_source is None:
        return None
    groups = [left_out(family, group) for family, group in families.items()]
    return Reusability(by_source, predict(groups, seed) if len(groups) > 1 else None)


def draw_sample(
    *,
    collection: Collection,
    plan: PoolPlan,
    docnos: Sequence[str],
    groups: Sequence[SourceGroup] = (),
) -> EstimatedPools:
    """The pools that the plan would give these query papers, regardless of their present pools.

    From the lists that are stored, which are read into memory: keep to a few query papers. Each
    pool is also drawn without each of the `groups` of sources.
    """
    names = run_names(collection, plan)
    runs = list(collection.runs.filter(name__in=names))
    papers = list(
        collection.query_papers.filter(name__in=docnos)
        .select_related("document", "topic", "collection")
        .annotate(query_count=Count("queries"))
    )
    lists = stored_lists(papers, runs)
    not_run = dict.fromkeys(set(names) - {run.name for run in runs}, len(papers))
    missing = dict(sorted((_missing_lists(lists, runs) | not_run).items()))
    lists = {pk: _without_missing(rankings, missing) for pk, rankings in lists.items()}
    return EstimatedPools(tuple(_drawn(collection, plan, papers, lists, groups)), lists, missing)


def sample_for(
    *, collection: Collection, plans: Sequence[PoolPlan], docnos: Group[str]
) -> list[str]:
    """A sample of these query papers, so small that `draw_sample` is quick for each of the plans.

    The collection's seed chooses it, so that plans with other seeds are drawn for the same ones.
    """
    names = {name for plan in plans for name in run_names(collection, plan)}
    return _sample(docnos, collection.seed, list(collection.runs.filter(name__in=names)))


def _sample(papers: Group[str], seed: str, runs: Group[Run]) -> list[str]:
    """The docnos of the sample; fewer where the lists are long."""
    entries = sum(run.depth or 0 for run in runs)
    size = min(SAMPLE_SIZE, max(FEWEST_PAPERS, MOST_ENTRIES // max(1, entries)))
    return shuffled(papers, seed=seed, purpose=PURPOSE, query="")[:size]


def _drawn(
    collection: Collection,
    plan: PoolPlan,
    papers: Sequence[Any],
    lists: Lists,
    groups: Sequence[SourceGroup],
) -> Iterator[SampledPool]:
    """Each pool, drawn as a build draws it. The query papers have their `query_count`."""
    listed_docnos = {
        docno
        for rankings in lists.values()
        for ranking in rankings.values()
        for docno in ranking.docnos
    }
    corpus = corpus_docnos(collection, cited_docnos(papers))
    eligible = Eligible.for_plan(collection, plan, listed_docnos)
    pools = [draw_pool(paper, plan, lists[paper.pk], corpus, eligible)[0] for paper in papers]
    pooled_docnos = {entry.docno for pool in pools for entry in pool.entries}
    documents = corpus_documents(collection, pooled_docnos)
    with_text = {docno for docno, document in documents.items() if document.has_text}
    for paper, pool in zip(papers, pools, strict=True):
        to_judge = sum(entry.docno in with_text for entry in pool.entries)
        without = {
            group: frozenset(
                entry.docno
                for entry in draw_pool(
                    paper,
                    plan.without(group),
                    plan.lists_without(group, lists[paper.pk]),
                    corpus,
                    eligible,
                )[0].entries
            )
            for group in groups
        }
        yield SampledPool(paper.name, paper.query_count, pool, to_judge, without)


def _overlaps(plan: PoolPlan, lists: Lists) -> JaccardMatrix:
    """The overlap of the runs that the plan draws from, down to the usual depth.

    Of the query papers that have most lists: a list that is missing says nothing about overlap.
    """
    by_run: dict[str, dict[str, Sequence[str]]] = defaultdict(dict)
    most_lists = max(map(len, lists.values()), default=0)
    complete = {paper: lists[paper] for paper in lists if len(lists[paper]) == most_lists}
    for paper, rankings in complete.items():
        for name, ranking in rankings.items():
            if name not in plan.known_sources:
                by_run[name][str(paper)] = ranking.docnos
    return jaccard_matrix(by_run, USUAL_DEPTH)


def _missing_lists(lists: Lists, runs: Group[Run]) -> dict[str, int]:
    """The number of lists that the build computes for each stored run of a retriever.

    A list without documents is stored, too, so it is not missing.
    """
    retrievers = [run.name for run in runs if not run.is_imported]
    return dict(
        Counter(
            name for rankings in lists.values() for name in retrievers if rankings[name] is EMPTY
        )
    )


def _without_missing(
    rankings: Mapping[str, RankedList], missing: Group[str]
) -> dict[str, RankedList]:
    """Leave out missing lists, because their documents are not a shortfall of the plan."""
    return {
        name: ranking
        for name, ranking in rankings.items()
        if name not in missing or ranking is not EMPTY
    }
