"""Retrievers that compare vectors of title and abstract with that of the query's text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from corpus.models import Query
from retrieval.lists import Ranking
from retrieval.retrievers.texts import document_text, query_text
from retrieval.vectors import Report, Words, by_cosine, by_distance, encoded, nearest

TOGETHER = 256  # texts


def word2vec(
    documents: Iterable[Any], queries: Sequence[Query], depth: int, report: Report, *, is_weighted: bool
) -> Iterator[Ranking]:
    """By the distance of mean word vectors, as CSFCube's baselines (Mysore et al., 2021)."""
    import numpy as np

    docnos: list[str] = []
    words = Words(texts_of(documents, docnos), report)
    words_again = (" ".join(found) for found in words)
    parts = [words.means(part, is_weighted=is_weighted).astype(np.float32) for part in in_parts(words_again)]
    asked = words.means([query_text(query, titles=False) for query in queries], is_weighted=is_weighted)
    yield from nearest(docnos, np.concatenate(parts), asked, depth, by_distance)


def encoder(
    documents: Iterable[Any], queries: Sequence[Query], depth: int, report: Report, *, model: str
) -> Iterator[Ranking]:
    """By the cosine of a sentence encoder's vectors. What a text has beyond the model's longest input is not read."""
    import numpy as np

    docnos: list[str] = []
    vectors = np.concatenate([encoded(part, model) for part in in_parts(texts_of(documents, docnos))])
    asked = encoded([query_text(query, titles=False) for query in queries], model)
    yield from nearest(docnos, vectors, asked, depth, by_cosine)


def texts_of(documents: Iterable[Any], docnos: list[str]) -> Iterator[str]:
    """The text of each document, whose id goes to `docnos`."""
    for each in documents:
        docnos.append(each.docno)
        yield document_text(each, titles=False)


def in_parts(texts: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(texts)
    while part := list(islice(rest, TOGETHER)):
        yield part
