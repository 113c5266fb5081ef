"""Frozen pools, what sampled ones were drawn from, and how they were built."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection as Group
from collections.abc import Iterator, Sequence
from operator import itemgetter

from django.db.models import Q

from accounts.models import Collection
from adjudication.standing import LabelledPair
from bundle.citation_labels import with_citation
from bundle.errors import ReleaseError
from bundle.records import FoundBy, PooledDocument, Records, ReleasedBuild
from database.consistent_reads import READ_TOGETHER, batched
from pooling.models import Candidate, Contribution, Pool, PoolBuild
from pooling.services.samples import SampleLost, StratifiedPool, sampled_pools
from pooling.strategies import STRATEGIES
from release.snapshot.stored_records import Row, StoredRecords


def stored_pools(
    collection: Collection, completed: Group[str] = ()
) -> StoredRecords[PooledDocument]:
    """The candidates of the frozen pools by query paper and position.

    For the query papers in `completed`, `cited` is a source of all that they cite.
    """
    return StoredRecords(_pools(collection, completed), as_pooled)


def _pools(collection: Collection, completed: Group[str]) -> Iterator[Row]:
    """The frozen pools as `PooledDocument`, by query paper and position.

    A draft may still be replaced, and no judgment stands on it.
    """
    frozen = Pool.objects.frozen().filter(query_paper__collection=collection).order_by()
    pools = sorted(frozen.values_list("query_paper__name", "pk"))
    for some in batched([pk for _, pk in pools], READ_TOGETHER):
        yield from cited_rows(some, completed) if completed else _rows(some)


def cited_rows(
    pools: Sequence[int], completed: Group[str], among: Q | None = None
) -> Iterator[Row]:
    """The candidates of these pools with these of their sources.

    For the query papers in `completed`, `cited` is a source of all that they cite.
    """
    papers = Pool.objects.filter(pk__in=pools, query_paper__document__isnull=False).order_by()
    rows = papers.values_list("query_paper__name", "query_paper__document__references")
    references = {paper: frozenset(docnos) for paper, docnos in rows if paper in completed}
    nothing: frozenset[str] = frozenset()
    for row in _rows(pools, among):
        document = with_citation(as_pooled(row), references.get(row[0], nothing))
        # Plain values: records in a file of their own take twice the time.
        yield (*document[:4], tuple(map(tuple, document.sources)), *document[5:])


def _rows(pools: Sequence[int], among: Q | None = None) -> Iterator[Row]:
    """The candidates of these pools by query paper and position, with these of their sources."""
    contributions = Contribution.objects.filter(candidate__pool__in=pools).order_by()
    if among is not None:
        contributions = contributions.filter(among)
    sources: dict[int, list[Row]] = defaultdict(list)
    for candidate_id, *source in contributions.values_list(
        "candidate_id", "source", "rank", "score", "drawn"
    ):
        sources[candidate_id].append(tuple(source))
    candidates = Candidate.objects.filter(pool__in=pools).order_by()
    rows = candidates.values_list(
        "pool__query_paper__name",
        "position",
        "document__docno",
        "excluded",
        "inclusion",
        "round",
        "pk",
    )
    for paper, position, docno, excluded, *chance, pk in sorted(rows, key=itemgetter(0, 1)):
        yield paper, docno, position, excluded, tuple(sources[pk]), *chance


def as_pooled(row: Row) -> PooledDocument:
    *fields, sources, inclusion, number = row
    return PooledDocument._make((*fields, tuple(map(FoundBy._make, sources)), inclusion, number))


def released_samples(
    collection: Collection, pairs: Records[LabelledPair]
) -> tuple[StratifiedPool, ...]:
    """The deep pools of sampled pools with labels, found again in their runs."""
    if not sampled_builds(collection):
        return ()
    labelled = {pair.query for pair in pairs if pair.final is not None}
    rows = collection.queries.values_list("name", "query_paper__name")
    papers = {paper for name, paper in rows if name in labelled}
    try:
        return tuple(sampled_pools(collection, papers))
    except SampleLost as error:
        raise ReleaseError(str(error)) from error


def sampled_builds(collection: Collection) -> list[int]:
    """The builds whose pools are samples.

    Builds are few. Asked for its pools, the database would read a manifest for each of them.
    """
    sampling = [name for name, strategy in STRATEGIES.items() if strategy.samples]
    builds = collection.pool_builds.filter(manifest__strategy__in=sampling)
    return list(builds.order_by().values_list("pk", flat=True))


def released_builds(collection: Collection) -> tuple[ReleasedBuild, ...]:
    papers: dict[int, list[str]] = defaultdict(list)
    frozen = PoolBuild.objects.filter(collection=collection, pools__frozen_at__isnull=False)
    for build_id, docno in frozen.values_list("pk", "pools__query_paper__name").order_by():
        papers[build_id].append(docno)
    # Each manifest once, not once for each of its pools: it can be megabytes.
    manifests = PoolBuild.objects.filter(pk__in=papers).values_list("pk", "manifest").order_by()
    builds = [ReleasedBuild(manifest, tuple(sorted(papers[pk]))) for pk, manifest in manifests]
    return tuple(sorted(builds, key=lambda build: build.query_papers))
