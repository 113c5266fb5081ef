"""The built-in retrievers by name. A new one is a function and a line in RETRIEVERS.

    rank(documents, queries, depth) yields, for each query in order, docnos and scores, best first

`documents` comes once, docno descending, as rows with the columns that the retriever `reads`. A list may hold the
query paper: who builds runs takes it out, and asks for one document more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db.models import Q

from corpus.models import Query
from retrieval.lists import Ranking
from retrieval.retrievers.bm25 import bm25
from retrieval.retrievers.tfidf import tfidf

Rank = Callable[[Iterable[Any], Sequence[Query], int], Iterator[Ranking]]


@dataclass(frozen=True)
class Retriever:
    """`lacking` finds the documents that it cannot rank, and `lack` says what they are without."""

    rank: Rank
    label: str
    reads: tuple[str, ...]
    library: str
    lack: str
    lacking: Q


def _by_words(rank: Callable[..., Iterator[Ranking]], label: str, library: str, *, titles: bool) -> Retriever:
    if titles:
        label = f"{label} over titles, for the query's title"
        return Retriever(partial(rank, titles=True), label, ("docno", "title"), library, "a title", Q(title=""))
    reads = ("docno", "title", "sentences")
    return Retriever(rank, f"{label} over title and abstract", reads, library, "a text", Q(title="", sentences=[]))


RETRIEVERS: dict[str, Retriever] = {
    "bm25": _by_words(bm25, "BM25", "tantivy", titles=False),
    "tfidf": _by_words(tfidf, "TF-IDF", "scikit-learn", titles=False),
    "bm25-title": _by_words(bm25, "BM25", "tantivy", titles=True),
    "tfidf-title": _by_words(tfidf, "TF-IDF", "scikit-learn", titles=True),
}
USUAL = ["bm25", "tfidf"]
