"""Writing what a release judged: documents, queries and frozen pools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from accounts.models import Collection
from corpus.models import Document, Query, QueryPaper
from corpus.texts import text_digest
from pooling.models import Candidate, Contribution, Exclusion, Pool, PoolBuild
from pooling.services import CITED, freeze_pools
from published.csfcube import Pooled, QueryKey, Release

SOURCE = "CSFCube"


def create_documents(*, collection: Collection, release: Release) -> dict[str, Document]:
    """Every paper that the release names, by docno; those without a text get no sentences."""
    pooled = {candidate.docno for pool in release.pools.values() for candidate in pool}
    docnos = sorted(pooled | set(release.papers) | set(release.pools))
    about = {key.pid: cells for key, cells in release.queries.items()}
    documents = Document.objects.bulk_create(
        Document(collection=collection, docno=docno, **_columns(docno, release, about.get(docno)))
        for docno in docnos
    )
    return {document.docno: document for document in documents}


def _columns(docno: str, release: Release, about: Mapping[str, str] | None) -> dict[str, Any]:
    """Text and year as the texts have them; without a text, what the list of queries says."""
    paper = release.papers.get(docno)
    title, year, sentences, labels = "", None, [], []
    if paper is not None:
        title, year = paper.title, paper.year
        sentences, labels = list(paper.sentences), list(paper.labels)
    elif about is not None:
        title, year = about["title"], int(about["year"]) if about["year"] else None
    return {
        "title": title,
        "sentences": sentences,
        "labels": labels,
        "digest": text_digest(title, sentences, labels),
        "year": year,
    }


def create_queries(
    *, collection: Collection, release: Release, documents: Mapping[str, Document]
) -> dict[QueryKey, Query]:
    """The listed queries, judged or not; their rows in the list are the papers' metadata."""
    metadata = {key.pid: dict(cells) for key, cells in release.queries.items()}
    papers = QueryPaper.objects.bulk_create(
        QueryPaper(collection=collection, document=documents[pid], metadata=cells)
        for pid, cells in metadata.items()
    )
    paper_of = dict(zip(metadata, papers, strict=True))
    facets = {facet.key: facet for facet in collection.facets.all()}
    queries = Query.objects.bulk_create(
        Query(
            collection=collection,
            query_paper=paper_of[key.pid],
            facet=facets[key.facet],
            name=key.name,
        )
        for key in release.queries
    )
    return dict(zip(release.queries, queries, strict=True))


def create_pools(
    *,
    collection: Collection,
    release: Release,
    documents: Mapping[str, Document],
    papers: Mapping[str, QueryPaper],
) -> dict[str, dict[str, Candidate]]:
    """Frozen pools as published; the candidates by query paper, then docno."""
    build = PoolBuild.objects.create(collection=collection, manifest=_manifest(release))
    pools = {}
    contributions: list[Contribution] = []
    for pid, pooled in release.pools.items():
        pool = Pool.objects.create(
            query_paper=papers[pid], build=build, retriever_order=_retriever_order(pooled)
        )
        excluded = _why_excluded(pid, release)
        candidates = Candidate.objects.bulk_create(
            Candidate(
                pool=pool,
                document=documents[one.docno],
                position=position,
                excluded=excluded.get(one.docno, ""),
            )
            for position, one in enumerate(pooled, start=1)
        )
        contributions += _contributions(candidates, pooled)
        pools[pid] = {candidate.document.docno: candidate for candidate in candidates}
    Contribution.objects.bulk_create(contributions)
    freeze_pools(collection=collection)
    return pools


def _manifest(release: Release) -> dict[str, Any]:
    return {
        "format": 1,
        "source": SOURCE,
        "mode": "sequential",
        "forced": [CITED],
        "files": dict(release.files),
        "pools": {"count": len(release.pools)},
    }


def _retriever_order(pooled: Iterable[Pooled]) -> list[str]:
    """The sources in the order of their first draw; the cited papers came before all of them."""
    drawers = dict.fromkeys(one.sources[0] for one in pooled)
    return [source for source in drawers if source != CITED]


def _why_excluded(pid: str, release: Release) -> dict[str, str]:
    """Candidates of a pool that cannot be judged, or that the judges of its queries never saw."""
    rated = [ratings.rated for key, ratings in release.ratings.items() if key.pid == pid]
    seen = {rating.docno for ratings in rated for rating in ratings}
    docnos = [one.docno for one in release.pools[pid]]
    if rated:
        return {docno: Exclusion.NEVER_JUDGED for docno in docnos if docno not in seen}
    return {docno: Exclusion.NO_TEXT for docno in docnos if docno not in release.papers}


def _contributions(
    candidates: Iterable[Candidate], pooled: Iterable[Pooled]
) -> Iterator[Contribution]:
    """The first source named drew the candidate, the others only have it; none has ranks."""
    for candidate, one in zip(candidates, pooled, strict=True):
        for place, source in enumerate(one.sources):
            yield Contribution(candidate=candidate, source=source, drawn=place == 0)
