"""What a query paper cites: the source `cited` of pools."""

from __future__ import annotations

from corpus.models import Document, Query

CITED = "cited"


def cited_docnos(query: Query) -> list[str]:
    """The documents of the corpus that the query paper cites, in its order, each once. A topic cites nothing."""
    if query.document is None:
        return []
    cites = query.document.cites
    corpus = set(
        Document.objects.filter(collection=query.collection_id, docno__in=cites).values_list("docno", flat=True)
    )
    return [docno for docno in dict.fromkeys(cites) if docno in corpus and docno != query.own_docno]
