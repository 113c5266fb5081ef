"""A documents × terms matrix by columns, and the search for its best rows for many queries at once.

A score is a sum in float64 over the terms of the query, in ascending order of terms, rounded to
float32. Most of the time goes to the few terms that many documents have. For many queries these are
added by a product of dense matrices in float32, which is fast and not exact. Its rounding errors
are bounded, so it finds a few candidates among which the best documents certainly are. Only their
scores are computed exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

FREQUENT = 0.04  # the share of documents from which a term is frequent
CHUNK = 65_536  # documents whose scores for a query fit the cache of a processor
MULTIPLIED = 64  # queries
ROUNDING = 2.0**-24  # the relative error of an operation in float32


class WeightedTerms(NamedTuple):
    """The terms of a query: their column numbers, ascending, and their weights."""

    terms: Ints
    weights: Floats


@dataclass(frozen=True)
class TermColumns:
    """A documents × terms matrix by columns (CSC), in which rows have length 1.

    Column t is `weights[starts[t]:starts[t + 1]]` in the rows `ordinals[...]`, ascending.
    """

    starts: Longs  # (terms + 1,)
    ordinals: Ints  # (non-zeros,)
    weights: Floats  # (non-zeros,)

    FILES = ("starts", "ordinals", "weights")

    def cosines(self, terms: Ints, weights: Floats, documents: int) -> Floats:
        """(documents,) float32: the dot product of every document with a sparse query.

        `terms` are ascending column numbers, `weights` their weights in the query.
        """
        columns = [self._column(term) for term in terms]
        entries = [(self.ordinals[column], self.weights[column]) for column in columns]
        return _product(entries, weights.astype(np.float64), documents)

    def cosines_of(self, chosen: Ints, terms: Ints, weights: Floats) -> Floats:
        """(chosen,) `cosines` of these documents alone, ascending; the same to the last bit."""
        columns = [self._column(term) for term in terms]
        entries = [
            _common(chosen, self.ordinals[column], self.weights[column]) for column in columns
        ]
        return _product(entries, weights.astype(np.float64), len(chosen))

    def candidates(self, queries: Sequence[WeightedTerms], need: int, documents: int) -> list[Ints]:
        """For each query, ordinals among which its `need` best documents are, ascending.

        A document without a term of the query is never among them.
        """
        counts = np.diff(self.starts)
        frequent = np.flatnonzero(counts >= FREQUENT * documents).astype(np.int32)
        rare, dense_weights = _divided(queries, frequent)
        # |computed − exact| ≤ n u |q| |d| for n products (Higham, 2002, section 3.1); both lengths
        # are 1. Two scores are compared, each with its error.
        longest = max((len(query.terms) for query in queries), default=0)
        best = [_Best(need, margin=4 * (len(frequent) + longest) * ROUNDING) for _ in queries]
        used = np.unique(np.concatenate([frequent, *(query.terms for query in rare)]))
        edges = self._edges(used, documents)
        for chunk, first in enumerate(range(0, documents, CHUNK)):
            size = min(CHUNK, documents - first)
            matrix = np.zeros((len(frequent), size), np.float32)
            for row, term in enumerate(frequent):
                part = edges[int(term)].part(chunk)
                matrix[row, self.ordinals[part] - first] = self.weights[part]
            for start in range(0, len(queries), MULTIPLIED):
                products = dense_weights[start : start + MULTIPLIED] @ matrix
                for number, scores in enumerate(products, start=start):
                    parts = [edges[int(term)].part(chunk) for term in rare[number].terms]
                    entries = [(self.ordinals[part] - first, self.weights[part]) for part in parts]
                    scores += _product(entries, rare[number].weights, size)
                    best[number].add(first, scores)
        return [found.ordinals for found in best]

    def _column(self, term: int) -> slice:
        return slice(int(self.starts[term]), int(self.starts[term + 1]))

    def _edges(self, terms: Ints, documents: int) -> dict[int, _Edges]:
        """The edges of the chunks of documents in the columns of the terms."""
        bounds = np.arange(0, documents + CHUNK, CHUNK, dtype=np.int32)
        return {
            int(term): _Edges(column.start + np.searchsorted(self.ordinals[column], bounds))
            for term in terms
            for column in [self._column(term)]
        }


class _Edges(NamedTuple):
    places: Longs

    def part(self, chunk: int) -> slice:
        return slice(int(self.places[chunk]), int(self.places[chunk + 1]))


class _Best:
    """The documents of a query that may be among the `need` best, by scores of limited error."""

    def __init__(self, need: int, *, margin: float) -> None:
        self.need, self.margin = need, margin
        self.ordinals: Ints = np.zeros(0, np.int32)
        self._scores: Floats = np.zeros(0, np.float32)
        self._least = 0.0  # a lower bound for the score that a document needs

    def add(self, first: int, scores: Floats) -> None:
        """The scores of the documents from `first` on."""
        found = np.flatnonzero(scores > self._least)
        self.ordinals = np.concatenate([self.ordinals, (found + first).astype(np.int32)])
        self._scores = np.concatenate([self._scores, scores[found]])
        if len(self._scores) > self.need:
            place = len(self._scores) - self.need
            reached = float(np.partition(self._scores, place)[place])
            self._least = max(0.0, reached - self.margin)
            kept = self._scores > self._least
            self.ordinals, self._scores = self.ordinals[kept], self._scores[kept]


def _divided(
    queries: Sequence[WeightedTerms], frequent: Ints
) -> tuple[list[WeightedTerms], Floats]:
    """The rare terms of each query, and its weights of the frequent ones (queries, frequent)."""
    rare = []
    dense_weights = np.zeros((len(queries), len(frequent)), np.float32)
    for number, (terms, weights) in enumerate(queries):
        is_frequent = np.isin(terms, frequent, assume_unique=True)
        places = np.searchsorted(frequent, terms[is_frequent])
        dense_weights[number, places] = weights[is_frequent]
        rare.append(WeightedTerms(terms[~is_frequent], weights[~is_frequent]))
    return rare, dense_weights


def _common(chosen: Ints, ordinals: Ints, weights: Floats) -> tuple[Ints, Floats]:
    """The places in `chosen` of the documents of a column, and their weights."""
    if len(chosen) < len(ordinals):
        found = np.minimum(np.searchsorted(ordinals, chosen), len(ordinals) - 1)
        places = np.flatnonzero(ordinals[found] == chosen)
        return places.astype(np.int32), weights[found[places]]
    places = np.minimum(np.searchsorted(chosen, ordinals), len(chosen) - 1)
    is_chosen = chosen[places] == ordinals
    return places[is_chosen].astype(np.int32), weights[is_chosen]


def _product(
    entries: Sequence[tuple[Ints, Floats]], weights: NDArray[np.floating], documents: int
) -> Floats:
    """The sums of columns of (ordinals, weights), added column by column in the type of `weights`.

    Rounded to float32.
    """
    # Importing scipy takes time, which a web process should not spend.
    from scipy.sparse import csc_array

    if not entries:
        return np.zeros(documents, np.float32)
    ordinals, values = (np.concatenate(arrays) for arrays in zip(*entries, strict=True))
    ends = np.cumsum([0, *(len(column) for column, _ in entries)])
    matrix = csc_array((values, ordinals, ends), shape=(documents, len(entries)))
    sums: Floats = (matrix @ weights).astype(np.float32, copy=False)
    return sums
