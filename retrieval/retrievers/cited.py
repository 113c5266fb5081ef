"""Retrievers that read citations instead of texts. Topics cite nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from corpus.models import Query
from retrieval.citations import Citations
from retrieval.lists import Ranking, best_first
from web.errors import BadInput


def most_cited(documents: Iterable[Any], queries: Sequence[Query], depth: int) -> Iterator[Ranking]:
    """By the number of documents of the corpus that cite a document: the same list for every query."""
    citations = citations_of(documents, queries)
    docnos, counts = best_first(list(citations.counts), [float(count) for count in citations.counts.values()])
    yield from ((docnos[:depth], counts[:depth]) for _ in queries)


def citation_neighbours(documents: Iterable[Any], queries: Sequence[Query], depth: int) -> Iterator[Ranking]:
    """What cites, or is cited by, what the query paper cites, itself not cited: MDCR's source “graph”.

    The score is the overlap of the closest of those cited papers with the query paper.
    """
    citations = citations_of(documents, queries)
    for query in queries:
        cited = set(query.document.cites if query.document else ()) - {query.own_docno}
        near = citations.near(cited, skipped=cited | {query.own_docno})
        docnos, overlaps = best_first(list(near), list(near.values()))
        yield docnos[:depth], overlaps[:depth]


def citations_of(documents: Iterable[Any], queries: Sequence[Query]) -> Citations:
    found = Citations(documents, queries)
    if not found.counts:
        raise BadInput("No document cites another one of the corpus. Import documents with “references”.")
    return found
