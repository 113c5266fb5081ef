"""Import the runs, and the pools that were drawn from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, groupby
from typing import Any

from django.utils import timezone

from bundle.names import MANIFEST
from bundle.reading.fields import Fields
from bundle.reading.opened import BundleError
from bundle.reading.pools import read_pools
from bundle.records import PooledDocument
from corpus.models import QueryPaper
from database.bulk import insert_rows
from pooling.models import BuildRun, Candidate, Contribution, DrawnList, Pool, PoolBuild
from pooling.provenance import IMPORTED
from pooling.services import freeze_pools
from pooling.services.manifest import DRAWN, can_be_rebuilt
from release.importing.context import ReleaseImportContext, in_parts
from retrieval.formats import RunFormatError, RunLine, read_run
from retrieval.models import Ranking, Run
from retrieval.services import CITED

RANKED_TOGETHER = 5_000  # documents of whole lists, in one transaction
CANDIDATES_TOGETHER = 1_000  # of whole pools, in one transaction
LOOKUP = 5_000  # docnos in a query, which both databases take

RunKey = tuple[str, str]  # name and SHA-256


def import_runs(context: ReleaseImportContext, retired: frozenset[RunKey]) -> dict[RunKey, Run]:
    """Import the runs with a file, list by list."""
    runs = {}
    for released in context.manifest.runs:
        if released.file is None:
            context.report.runs_left_out += 1
            continue
        key = (released.name, released.sha256)
        with context.part():
            runs[key] = Run.with_retired.create(
                collection=context.collection,
                name=released.name,
                kind=released.kind,
                parameters=dict(released.parameters),
                depth=released.depth,
                sha256=released.sha256,
                retired_at=timezone.now() if key in retired else None,
            )
        _import_lists(context, runs[key], released.file)
        context.report.runs += 1
        context.work.progress(context.report.runs, None, "runs imported")
    return runs


def _import_lists(context: ReleaseImportContext, run: Run, file: str) -> None:
    with context.bundle.open(file) as stream:
        try:
            lines = read_run(stream, name=file)
            lists = (
                _ranking(context, run, paper, some)
                for paper, some in groupby(lines, lambda line: line.topic)
            )
            for some in in_parts(lists, lambda ranking: len(ranking.docnos), RANKED_TOGETHER):
                with context.part():
                    Ranking.objects.bulk_create(some)
        except RunFormatError as error:
            raise BundleError(error.file, error.line, error.problem) from error


def _ranking(
    context: ReleaseImportContext, run: Run, paper: str, lines: Iterator[RunLine]
) -> Ranking:
    ranked = list(lines)
    return Ranking(
        run=run,
        query_paper=context.papers[paper],
        docnos=[line.docno for line in ranked],
        scores=[line.score for line in ranked],
    )


@dataclass(frozen=True)
class _Build:
    row: PoolBuild
    manifest: Mapping[str, Any]

    @cached_property
    def is_rebuildable(self) -> bool:
        return can_be_rebuilt(self.manifest)

    @cached_property
    def _papers(self) -> Mapping[str, Any]:
        """Checked once for all pools: the check writes all of it as JSON."""
        return Fields(self.manifest, MANIFEST).fields("pools").mapping("query_papers")

    def facts(self, paper: str) -> Fields:
        """The manifest's facts about the pool of a query paper; none for imported pools."""
        return Fields(self._papers.get(paper, {}) if self.is_rebuildable else {}, MANIFEST)


def import_pools(context: ReleaseImportContext, runs: Mapping[RunKey, Run]) -> None:
    """Import the pools of the builds with what they were drawn from, and freeze them."""
    with context.part():
        builds = _builds(context, runs)
    pools = (
        (paper, [_as_drawn(context, builds[paper], pooled) for pooled in added])
        for paper, added in pools_of_round(context, 1)
    )
    for some in in_parts(pools, lambda pool: len(pool[1]), CANDIDATES_TOGETHER):
        with context.part():
            _insert_pools(context, builds, some)
        context.report.pools += len(some)
        context.work.progress(context.report.pools, len(builds), "pools imported")
    if context.report.pools:
        with context.part():
            freeze_pools(collection=context.collection)


def pools_of_round(
    context: ReleaseImportContext, number: int
) -> Iterator[tuple[str, list[PooledDocument]]]:
    """Each query paper and what that round added to its pool. A pool with later rounds only is
    there with an empty list, because the builds made it.
    """
    rows = groupby(read_pools(context.bundle), lambda row: row[1].query_paper)
    for paper, lines in rows:
        yield paper, [pooled for _, pooled in lines if pooled.round == number]


def _as_drawn(
    context: ReleaseImportContext, build: _Build, pooled: PooledDocument
) -> PooledDocument:
    """The document with the sources that it had when the pool was drawn.

    A release of citations adds `cited` where a query paper cites the document.
    """
    if context.manifest.is_judged or CITED in (build.manifest.get("forced") or ()):
        return pooled
    return pooled._replace(
        sources=tuple(source for source in pooled.sources if source.drawn or source.source != CITED)
    )


def _builds(context: ReleaseImportContext, runs: Mapping[RunKey, Run]) -> dict[str, _Build]:
    """By query paper."""
    builds: dict[str, _Build] = {}
    for released in context.manifest.builds:
        manifest = dict(released.manifest)
        build = PoolBuild.objects.create(collection=context.collection, manifest=manifest)
        BuildRun.objects.bulk_create(_build_runs(build, manifest, runs))
        builds |= dict.fromkeys(released.query_papers, _Build(build, manifest))
    return builds


def _build_runs(
    build: PoolBuild, manifest: Mapping[str, Any], runs: Mapping[RunKey, Run]
) -> Iterator[BuildRun]:
    uses = Fields(manifest, MANIFEST).each(
        "runs", lambda run: (run.text("name"), run.text("sha256"), run.text("use", default=DRAWN))
    )
    for name, sha256, use in uses:
        key = (name, sha256)
        if key not in runs:
            raise BundleError(
                MANIFEST, None, f"The run {name} of a pool build has no file in the release."
            )
        yield BuildRun(build=build, run=runs[key], name=name, use=use, sha256=sha256)


def _insert_pools(
    context: ReleaseImportContext,
    builds: Mapping[str, _Build],
    pools: list[tuple[str, list[PooledDocument]]],
) -> None:
    rows = Pool.objects.bulk_create(
        _pool(context.papers[paper], builds[paper], pooled) for paper, pooled in pools
    )
    DrawnList.objects.bulk_create(
        DrawnList(
            build=builds[paper].row,
            query_paper=paper,
            documents=[document.docno for document in pooled],
        )
        for paper, pooled in pools
        if builds[paper].is_rebuildable
    )
    keys = {paper: row.pk for (paper, _), row in zip(pools, rows, strict=True)}
    insert_candidates(context, keys, list(chain.from_iterable(pooled for _, pooled in pools)))


def insert_candidates(
    context: ReleaseImportContext, keys: Mapping[str, int], every: Sequence[PooledDocument]
) -> None:
    """Insert the candidates with their sources. `keys` are those of the pools by query paper."""
    documents = _documents(context, every)
    insert_rows(
        Candidate,
        ("pool", "document", "position", "excluded", "inclusion", "round"),
        [
            (
                keys[pooled.query_paper],
                documents[pooled.docno],
                pooled.position,
                pooled.excluded,
                pooled.inclusion,
                pooled.round,
            )
            for pooled in every
        ],
    )
    candidates: dict[tuple[Any, Any], int] = {
        (pool, position): pk
        for pool, position, pk in Candidate.objects.order_by()
        .filter(pool__in=keys.values())
        .values_list("pool", "position", "pk")
    }
    insert_rows(
        Contribution,
        ("candidate", "source", "rank", "score", "drawn"),
        [
            (candidates[keys[pooled.query_paper], pooled.position], *source)
            for pooled in every
            for source in pooled.sources
        ],
    )
    context.report.candidates += len(every)


def _documents(context: ReleaseImportContext, pooled: Sequence[PooledDocument]) -> dict[str, int]:
    docnos = list(dict.fromkeys(document.docno for document in pooled))
    found: dict[str, int] = {}
    for start in range(0, len(docnos), LOOKUP):
        rows = context.collection.documents.filter(docno__in=docnos[start : start + LOOKUP])
        found |= dict(rows.order_by().values_list("docno", "pk"))
    return found


def _pool(paper: QueryPaper, build: _Build, pooled: list[PooledDocument]) -> Pool:
    """An imported pool. Its documents give the facts that the manifest does not have."""
    facts = build.facts(paper.name)
    depth, shortfall = (
        {source: numbers.whole(source) for source in facts.mapping(name)}
        for name in ("depth", "shortfall")
        for numbers in [Fields(facts.mapping(name), MANIFEST)]
    )
    drawers = [document.drawn_by for document in pooled if document.drawn_by is not None]
    order = [name for name in dict.fromkeys(drawers) if name not in (CITED, IMPORTED)]
    return Pool(
        query_paper=paper,
        build=build.row,
        retriever_order=list(facts.texts("order")) or order,
        shortfall=shortfall,
        depth=depth,
        drawn=dict(Counter(drawers)),
        size=len(pooled),
        to_judge=sum(not document.excluded for document in pooled),
        forced=sum(_is_forced(build, document) for document in pooled),
        shortfall_sum=sum(shortfall.values()),
        deepest=max(depth.values(), default=0) or None,
    )


def _is_forced(build: _Build, document: PooledDocument) -> bool:
    if not build.is_rebuildable:
        return document.drawn_by == CITED
    return any(source.drawn and source.rank is None for source in document.sources)
