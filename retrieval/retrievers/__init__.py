"""The built-in retrievers by name. A new one is a function and a line in RETRIEVERS.

    rank(documents, queries, depth, report) yields, for each query in order, docnos and scores, best first

`documents` comes once, docno descending, as rows with the columns that the retriever `reads`. A list may hold the
query paper: who builds runs takes it out, and asks for one document more. `report` tells how far training is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db.models import Q

from corpus.models import Query
from retrieval.extras import ENCODERS, WORD2VEC, Extra
from retrieval.lists import Ranking
from retrieval.retrievers.bm25 import bm25
from retrieval.retrievers.cited import citation_neighbours, most_cited
from retrieval.retrievers.dense import encoder, word2vec
from retrieval.retrievers.tfidf import tfidf
from retrieval.vectors import Report
from web.errors import BadInput

Rank = Callable[[Iterable[Any], Sequence[Query], int, Report], Iterator[Ranking]]

WITHOUT_TEXT = Q(title="", sentences=[])


@dataclass(frozen=True)
class Retriever:
    """`lacking` finds the documents that it cannot rank, and `lack` says what they are without."""

    rank: Rank
    label: str
    reads: tuple[str, ...] = ("docno", "title", "sentences")
    library: str = ""
    lack: str = "a text"
    lacking: Q = WITHOUT_TEXT
    extra: Extra | None = None


def _by_words(search: Callable[..., Iterator[Ranking]], label: str, library: str, *, titles: bool) -> Retriever:
    def rank(documents: Iterable[Any], queries: Sequence[Query], depth: int, report: Report) -> Iterator[Ranking]:
        return search(documents, queries, depth, titles=titles)

    if titles:
        label = f"{label} over titles, for the query's title"
        return Retriever(rank, label, ("docno", "title"), library, "a title", Q(title=""))
    return Retriever(rank, f"{label} over title and abstract", library=library)


def _word2vec(label: str, *, is_weighted: bool) -> Retriever:
    label = f"{label} of title and abstract, by distance"
    return Retriever(partial(word2vec, is_weighted=is_weighted), label, library=WORD2VEC.library, extra=WORD2VEC)


def _encoder(model: str) -> Retriever:
    label = f"Sentence encoder {model.rpartition('/')[2]} over title and abstract, by cosine"
    return Retriever(partial(encoder, model=model), label, library=ENCODERS.library, extra=ENCODERS)


def _cited(search: Callable[..., Iterator[Ranking]], label: str) -> Retriever:
    def rank(documents: Iterable[Any], queries: Sequence[Query], depth: int, report: Report) -> Iterator[Ranking]:
        return search(documents, queries, depth)

    # One without citations may be cited, so none is left out.
    return Retriever(rank, label, ("docno", "fields", "cites"), lacking=Q(pk__in=[]))


RETRIEVERS: dict[str, Retriever] = {
    "bm25": _by_words(bm25, "BM25", "tantivy", titles=False),
    "tfidf": _by_words(tfidf, "TF-IDF", "scikit-learn", titles=False),
    "bm25-title": _by_words(bm25, "BM25", "tantivy", titles=True),
    "tfidf-title": _by_words(tfidf, "TF-IDF", "scikit-learn", titles=True),
    "word2vec": _word2vec("Mean word2vec vector", is_weighted=False),
    "word2vec-tfidf": _word2vec("Mean word2vec vector, weighted by TF-IDF,", is_weighted=True),
    "encoder-minilm": _encoder("sentence-transformers/all-MiniLM-L6-v2"),
    "encoder-mpnet": _encoder("sentence-transformers/all-mpnet-base-v2"),
    "most-cited": _cited(most_cited, "Most cited by the corpus, the same for every query"),
    "citation-neighbours": _cited(citation_neighbours, "Citing or cited by what the query paper cites"),
}
USUAL = ["bm25", "tfidf"]


def find_retriever(name: str) -> Retriever:
    """Raises BadInput for an unknown one, and for one whose library is not installed."""
    if name not in RETRIEVERS:
        raise BadInput(f"There is no retriever {name!r}. Choose from {', '.join(RETRIEVERS)}.")
    if extra := RETRIEVERS[name].extra:
        extra.require(name)
    return RETRIEVERS[name]
