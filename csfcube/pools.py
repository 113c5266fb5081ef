"""Writing the documents, queries and frozen pools of a release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from accounts.models import Collection
from corpus.digests import text_digest
from corpus.models import Document, Query, QueryPaper
from csfcube.records import PooledPaper, PublishedRelease, QueryKey
from pooling.models import Candidate, Contribution, ExclusionReason, Pool, PoolBuild
from pooling.services import freeze_pools
from retrieval.services import CITED

SOURCE = "CSFCube"


def create_documents(*, collection: Collection, release: PublishedRelease) -> dict[str, Document]:
    """Every paper that the release names, by docno; those without a text get no sentences."""
    pool_docnos = {candidate.docno for pool in release.pools.values() for candidate in pool}
    docnos = sorted(pool_docnos | set(release.papers) | set(release.pools))
    metadata = {key.pid: cells for key, cells in release.queries.items()}
    documents = Document.objects.bulk_create(
        _document(collection, docno, release, metadata.get(docno)) for docno in docnos
    )
    return {document.docno: document for document in documents}


def _document(
    collection: Collection,
    docno: str,
    release: PublishedRelease,
    metadata: Mapping[str, str] | None,
) -> Document:
    """Title, text and year from the texts; without a text, from the list of queries."""
    paper = release.papers.get(docno)
    document = Document(collection=collection, docno=docno)
    if paper is not None:
        document.title, document.year = paper.title, paper.year
        document.sentences, document.labels = list(paper.sentences), list(paper.labels)
    elif metadata is not None:
        document.title = metadata["title"]
        document.year = int(metadata["year"]) if metadata["year"] else None
    document.digest = text_digest(document.title, document.sentences, document.labels)
    return document


def create_queries(
    *, collection: Collection, release: PublishedRelease, documents: Mapping[str, Document]
) -> dict[QueryKey, Query]:
    """The listed queries, judged or not; their rows in the list are the papers' metadata."""
    metadata = {key.pid: dict(cells) for key, cells in release.queries.items()}
    papers = QueryPaper.objects.bulk_create(
        QueryPaper(collection=collection, document=documents[pid], name=pid, metadata=cells)
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
    release: PublishedRelease,
    documents: Mapping[str, Document],
    papers: Mapping[str, QueryPaper],
) -> dict[str, dict[str, Candidate]]:
    """Frozen pools as published; the candidates by query paper, then docno."""
    build = PoolBuild.objects.create(collection=collection, manifest=_manifest(release))
    pools = {}
    contributions: list[Contribution] = []
    for pid, pool_documents in release.pools.items():
        excluded = _exclusions(pid, release)
        pool = Pool.objects.create(
            query_paper=papers[pid],
            build=build,
            retriever_order=_retriever_order(pool_documents),
            drawn=dict(Counter(document.sources[0] for document in pool_documents)),
            size=len(pool_documents),
            to_judge=len(pool_documents) - len(excluded),
            forced=sum(document.sources[0] == CITED for document in pool_documents),
        )
        candidates = Candidate.objects.bulk_create(
            Candidate(
                pool=pool,
                document=documents[document.docno],
                position=position,
                excluded=excluded.get(document.docno, ""),
            )
            for position, document in enumerate(pool_documents, start=1)
        )
        contributions += _contributions(candidates, pool_documents)
        pools[pid] = {candidate.document.docno: candidate for candidate in candidates}
    Contribution.objects.bulk_create(contributions)
    freeze_pools(collection=collection)
    return pools


def _manifest(release: PublishedRelease) -> Mapping[str, object]:
    return {
        "format": 1,
        "source": SOURCE,
        "mode": "sequential",
        "forced": [CITED],
        "files": dict(release.files),
        "pools": {"count": len(release.pools)},
    }


def _retriever_order(documents: Iterable[PooledPaper]) -> list[str]:
    """The retrievers in the order of their first draw. The cited papers come before them."""
    drawers = dict.fromkeys(document.sources[0] for document in documents)
    return [source for source in drawers if source != CITED]


def _exclusions(pid: str, release: PublishedRelease) -> dict[str, str]:
    """The reason for each excluded candidate of a pool: never judged, or without a text."""
    rated = [ratings.rated for key, ratings in release.ratings.items() if key.pid == pid]
    judged = {rating.docno for ratings in rated for rating in ratings}
    docnos = [document.docno for document in release.pools[pid]]
    if rated:
        return {docno: ExclusionReason.NEVER_JUDGED for docno in docnos if docno not in judged}
    return {docno: ExclusionReason.NO_TEXT for docno in docnos if docno not in release.papers}


def _contributions(
    candidates: Iterable[Candidate], documents: Iterable[PooledPaper]
) -> Iterator[Contribution]:
    """The sources of each candidate. The first one drew it; the release has no ranks."""
    for candidate, document in zip(candidates, documents, strict=True):
        for number, source in enumerate(document.sources):
            yield Contribution(candidate=candidate, source=source, drawn=number == 0)
