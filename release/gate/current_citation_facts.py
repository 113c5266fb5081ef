"""The facts that the gate checks if labels are citations, asked of the database.

They come from small queries, whose number is the same for any size of the collection.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from accounts.models import Collection
from bundle.citation_labels import is_completed, known_sources
from bundle.options import ReleaseOptions
from corpus.models import Query
from pooling.models import Candidate, Contribution, Pool
from release.datasheets.current import missing_answers
from release.gate.facts import Facts, Faults, faults, unwritable
from release.gate.made_folds import has_made_folds
from release.gate.white_space import HasWhiteSpace
from release.snapshot.consistent_reads import batched

TOGETHER = 5000  # keys in a query, which both databases take


def citation_facts_now(collection: Collection, options: ReleaseOptions) -> Facts:
    """The result of `facts_of` for a snapshot with citation labels of this moment."""
    labels = _labels(collection)
    return Facts(
        options=options,
        labels=labels,
        licence=collection.licence.strip(),
        corpus_licence=collection.corpus_licence.strip(),
        unwritable=_unwritable(collection),
        unresolved=Faults(),
        unjudged=Faults(),
        unopened=Faults(),
        duplicates=Faults(),
        self_retrieved=_self_retrieved(collection),
        without_source=_without_source(collection),
        shown_otherwise=Faults(),
        old_reports=Faults(),
        has_made_folds=bool(labels) and has_made_folds(collection),
        unanswered=faults(missing_answers(collection, judged=False)),
        without_relevant=_without_relevant(collection),
    )


def _pooled_queries(collection: Collection) -> QuerySet[Query]:
    """The queries with labels: those of frozen pools with candidates to label."""
    return collection.queries.filter(
        query_paper__pool__frozen_at__isnull=False, query_paper__pool__to_judge__gt=0
    ).order_by()


def _labels(collection: Collection) -> int:
    sums = _pooled_queries(collection).aggregate(
        labels=Coalesce(Sum("query_paper__pool__to_judge"), 0)
    )
    labels: int = sums["labels"]
    return labels


def _labelled(collection: Collection) -> QuerySet[Candidate]:
    """The candidates with a label for some query."""
    return Candidate.objects.filter(
        pool__in=Pool.objects.frozen().filter(
            query_paper__collection=collection, query_paper__queries__isnull=False
        ),
        excluded="",
    ).order_by()


def _unwritable(collection: Collection) -> Faults:
    """Ids with white space that a label has. An index holds the few such documents."""
    spaced = collection.documents.filter(HasWhiteSpace("docno")).order_by()
    docnos = (
        docno
        for keys in batched(list(spaced.values_list("pk", flat=True)), TOGETHER)
        for docno in _labelled(collection)
        .filter(document__in=keys)
        .values_list("document__docno", flat=True)
    )
    queries = _pooled_queries(collection).filter(HasWhiteSpace("name") | Q(name=""))
    return unwritable(
        [*docnos, *queries.values_list("name", flat=True)],
        collection.facets.values_list("key", flat=True),
    )


def _self_retrieved(collection: Collection) -> Faults:
    """Queries whose own query paper is in their pool."""
    own = Candidate.objects.filter(
        pool=OuterRef("query_paper__pool"),
        document=OuterRef("query_paper__document"),
        excluded="",
    )
    names = _pooled_queries(collection).filter(Exists(own)).values_list("name", flat=True)
    return faults(sorted(names))


def _without_relevant(collection: Collection) -> Faults:
    """Queries with labels, all of which are 0.

    If more candidates are forced than are excluded, one of them has the label 1. Only the other
    pools are read.
    """
    suspects = _pooled_queries(collection).filter(
        query_paper__pool__forced__lte=F("query_paper__pool__size")
        - F("query_paper__pool__to_judge")
    )
    queries = list(suspects.values_list("name", "query_paper__pool"))
    positive: set[int] = set()
    for pools in batched(sorted({pool for _, pool in queries}), TOGETHER):
        references = _references(collection, pools)
        labelled = Candidate.objects.filter(pool__in=references, excluded="").order_by()
        positive |= _with_known_sources(collection, pools) | {
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


def _without_source(collection: Collection) -> Faults:
    """The pools in which sources drew fewer documents than there are have all such candidates."""
    frozen = Pool.objects.frozen().filter(query_paper__collection=collection).order_by()
    suspects = [
        pk
        for pk, size, drawn in frozen.values_list("pk", "size", "drawn")
        if sum(drawn.values()) < size
    ]
    rows: list[tuple[str, str]] = []
    for some in batched(suspects, TOGETHER):
        rows += _pairs_without_source(collection, some)
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
