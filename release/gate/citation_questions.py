"""The questions of the gate that have other answers if labels are citations.

Their number of queries is the same for any size of the collection.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from accounts.models import Collection
from bundle.citation_labels import is_completed, known_sources
from corpus.models import Query
from database.consistent_reads import batched
from pooling.models import Candidate, Contribution, Pool
from release.gate.answers import Faults, faults, unwritable
from release.gate.context import GateContext
from release.gate.pair_counts import pooled_queries
from release.gate.white_space import HasWhiteSpace

TOGETHER = 5000  # keys in a query, which both databases take


def _labelled(collection: Collection) -> QuerySet[Candidate]:
    """The candidates with a label for some query."""
    return Candidate.objects.filter(
        pool__in=Pool.objects.frozen().filter(
            query_paper__collection=collection, query_paper__queries__isnull=False
        ),
        excluded="",
    ).order_by()


def unwritable_names(gate: GateContext) -> Faults:
    """Ids with white space that a label has. An index holds the few such documents."""
    spaced = gate.collection.documents.filter(HasWhiteSpace("docno")).order_by()
    docnos = (
        docno
        for keys in batched(list(spaced.values_list("pk", flat=True)), TOGETHER)
        for docno in _labelled(gate.collection)
        .filter(document__in=keys)
        .values_list("document__docno", flat=True)
    )
    queries = pooled_queries(gate.collection).filter(HasWhiteSpace("name") | Q(name=""))
    return unwritable(
        [*docnos, *queries.values_list("name", flat=True)],
        gate.collection.facets.values_list("key", flat=True),
    )


def self_retrieved(gate: GateContext) -> Faults:
    """Queries whose own query paper is in their pool."""
    own = Candidate.objects.filter(
        pool=OuterRef("query_paper__pool"),
        document=OuterRef("query_paper__document"),
        excluded="",
    )
    names = pooled_queries(gate.collection).filter(Exists(own)).values_list("name", flat=True)
    return faults(sorted(names))


def queries_without_positive(gate: GateContext) -> Faults:
    """Queries with labels, all of which are 0.

    If more candidates are forced than are excluded, one of them has the label 1. Only the other
    pools are read.
    """
    suspects = pooled_queries(gate.collection).filter(
        query_paper__pool__forced__lte=F("query_paper__pool__size")
        - F("query_paper__pool__to_judge")
    )
    queries = list(suspects.values_list("name", "query_paper__pool"))
    positive: set[int] = set()
    for pools in batched(sorted({pool for _, pool in queries}), TOGETHER):
        references = _references(gate.collection, pools)
        labelled = Candidate.objects.filter(pool__in=references, excluded="").order_by()
        positive |= _with_known_sources(gate.collection, pools) | {
            pool
            for pool, docno in labelled.values_list("pool_id", "document__docno").iterator()
            if docno in references[pool]
        }
    return faults(sorted(name for name, pool in queries if pool not in positive))


def _with_known_sources(collection: Collection, pools: Sequence[int]) -> set[int]:
    """Of these pools, those in which a source of known positives has a labelled candidate."""
    known = {build: known_sources(manifest) for build, manifest in _forced(collection, pools)}
    names = frozenset[str]().union(*known.values())
    sources = Contribution.objects.filter(
        candidate__pool__in=pools, candidate__excluded="", source__in=names
    ).order_by()
    rows = sources.values_list("candidate__pool", "candidate__pool__build", "source").distinct()
    return {pool for pool, build, source in rows if source in known[build]}


def pairs_without_source(gate: GateContext) -> Faults:
    """The pools in which sources drew fewer documents than there are have all such candidates."""
    frozen = Pool.objects.frozen().filter(query_paper__collection=gate.collection).order_by()
    suspects = [
        pk
        for pk, size, drawn in frozen.values_list("pk", "size", "drawn")
        if sum(drawn.values()) < size
    ]
    rows: list[tuple[str, str]] = []
    for some in batched(suspects, TOGETHER):
        rows += _pairs_without_source(gate.collection, some)
    return faults(f"{query} {docno}" for query, docno in sorted(rows))


def _pairs_without_source(
    collection: Collection, pools: Sequence[int]
) -> Iterator[tuple[str, str]]:
    """Query and docno."""
    references = _references(collection, pools)
    sources = Contribution.objects.filter(candidate=OuterRef("pk"))
    unsourced = Candidate.objects.filter(pool__in=pools, excluded="").exclude(Exists(sources))
    docnos: dict[int, list[str]] = defaultdict(list)
    for pool, docno in unsourced.order_by().values_list("pool_id", "document__docno"):
        if docno not in references.get(pool, ()):
            docnos[pool].append(docno)
    queries = Query.objects.filter(query_paper__pool__in=docnos).order_by()
    for query, pool in queries.values_list("name", "query_paper__pool"):
        yield from ((query, docno) for docno in docnos[pool])


def _references(collection: Collection, pools: Sequence[int]) -> dict[int, frozenset[str]]:
    """The cited papers by pool, if `cited` becomes a source of the pool in the release."""
    builds = [build for build, manifest in _forced(collection, pools) if is_completed(manifest)]
    rows = Pool.objects.filter(pk__in=pools, build__in=builds).order_by()
    return {
        pool: frozenset(references or ())
        for pool, references in rows.values_list("pk", "query_paper__document__references")
    }


def _forced(
    collection: Collection, pools: Sequence[int]
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The builds of these pools, each with `forced` of its manifest, which can be megabytes."""
    builds = collection.pool_builds.filter(pools__in=pools).distinct().order_by()
    for build, forced in builds.values_list("pk", "manifest__forced"):
        yield build, {"forced": forced}
