"""The pools of a collection with the sources of their documents, from the database."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby

from accounts.models import Collection
from adjudication.retriever_yield import is_found
from evaluation.pool_bias.computation.sourced_pools import SourcedDocument, SourcedPool
from pooling.models import Contribution, Pool
from retrieval.services import CITED


def sourced_pools(collection: Collection) -> list[SourcedPool]:
    """Every pool of the collection, by query paper; its documents in the order drawn."""
    pools = Pool.objects.filter(query_paper__collection=collection).select_related("build")
    depths: dict[int, dict[str, int]] = {}
    papers: dict[int, str] = {}
    forced: dict[int, frozenset[str]] = {}
    for pool in pools.defer("build__manifest").select_related("query_paper"):
        depths[pool.pk], papers[pool.pk] = pool.depth, pool.query_paper.name
    for build in collection.pool_builds.all():
        sources = frozenset(build.manifest.get("forced", [CITED]))
        forced |= dict.fromkeys(build.pools.values_list("pk", flat=True), sources)
    queries: dict[str, list[str]] = defaultdict(list)
    for name, paper in collection.queries.values_list("name", "query_paper__name"):
        queries[paper].append(name)
    documents = _documents(collection, depths, forced)
    return sorted(
        SourcedPool(paper, tuple(queries[paper]), tuple(documents.get(pk, ())))
        for pk, paper in papers.items()
    )


def _documents(
    collection: Collection, depths: dict[int, dict[str, int]], forced: dict[int, frozenset[str]]
) -> dict[int, list[SourcedDocument]]:
    """By pool. A source whose rank is deeper than it was drawn to has the document only."""
    documents: dict[int, list[SourcedDocument]] = defaultdict(list)
    # Each equal set and id once: 250,000 candidates of 19,000 documents would take 200 MB more.
    sets: dict[frozenset[str], frozenset[str]] = {}
    docnos: dict[str, str] = {}
    for (pool, docno), sources in _sources(collection):
        drawer = next((source for source, _, drawn in sources if drawn), "")
        finders = frozenset(
            source
            for source, rank, drawn in sources
            if is_found(drawn, rank, depths[pool].get(source))
        )
        has = frozenset(source for source, _, _ in sources)
        is_forced = drawer in forced.get(pool, ())
        finders, has = (sets.setdefault(each, each) for each in (finders, has))
        docno = docnos.setdefault(docno, docno)
        documents[pool].append(SourcedDocument(docno, drawer, finders, has, is_forced))
    return documents


Source = tuple[str, int | None, bool]  # name, rank, whether it drew the document


def _sources(collection: Collection) -> Iterator[tuple[tuple[int, str], list[Source]]]:
    """The sources of each candidate, by pool and position."""
    rows = (
        Contribution.objects.filter(candidate__pool__query_paper__collection=collection)
        .order_by("candidate__pool", "candidate__position")
        .values_list("candidate__pool", "candidate__document__docno", "source", "rank", "drawn")
    )
    for key, found in groupby(rows.iterator(), key=lambda row: row[:2]):
        yield key, [row[2:] for row in found]
