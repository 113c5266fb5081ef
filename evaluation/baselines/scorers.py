"""Scores of candidate texts for a query's text: words, word vectors, or encoders. Pure.

A scorer takes the sentences of the query and those of every candidate, and returns a score for each
candidate: the higher, the more alike. None means that it cannot compare the candidate, for example
because no word of it has a vector. Scorers of vectors return minus the Euclidean (L2) distance, as
in appendix C of Mysore et al. (2021).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from evaluation.baselines.statistics import WordStatistics
from retrieval.retrievers.analysis import Analysis
from retrieval.retrievers.cbow import Mean
from retrieval.retrievers.encoder import Encoder
from retrieval.retrievers.tfidf import smoothed_idf, vectorizer_of
from retrieval.retrievers.word2vec import WordVectors

K1, B = 1.2, 0.75  # as in the retriever bm25

Sentences = Sequence[str]
Floats = NDArray[np.float64]


class Scorer(Protocol):
    def __call__(self, query: Sentences, candidates: Sequence[Sentences]) -> list[float | None]:
        """A score for each candidate, in their order. Every text has at least one sentence."""


@dataclass(frozen=True)
class Okapi:
    """BM25 (Robertson & Zaragoza, 2009) with the idf of the retriever bm25, never negative.

    idf = ln(1 + (N − n + ½)/(n + ½)). A word counts as often as the query has it. The retriever
    stores lengths in one byte; here they are exact.
    """

    words_of: Callable[[str], list[str]]
    statistics: WordStatistics

    def __call__(self, query: Sentences, candidates: Sequence[Sentences]) -> list[float | None]:
        """See Scorer. A candidate that shares no word with the query scores 0."""
        weights = {
            word: count * self._idf(word)
            for word, count in Counter(self.words_of(" ".join(query))).items()
        }
        return [self._score(weights, self.words_of(" ".join(text))) for text in candidates]

    def _idf(self, word: str) -> float:
        texts = self.statistics.frequency[word]
        return math.log(1 + (self.statistics.texts - texts + 0.5) / (texts + 0.5))

    def _score(self, weights: dict[str, float], words: Sequence[str]) -> float:
        length = len(words) / (self.statistics.mean_length or 1)
        saturation = K1 * (1 - B + B * length)
        counts = Counter(words)
        # fsum, because its result does not depend on the order of the words.
        return math.fsum(
            weights[word] * counts[word] * (K1 + 1) / (counts[word] + saturation)
            for word in weights.keys() & counts.keys()
        )


class TfidfDistance:
    """Minus the L2 distance of TF-IDF vectors of length 1, so between −√2 and 0.

    The weights are those of the retriever tfidf. `statistics` counted its words.
    """

    def __init__(self, analysis: Analysis, statistics: WordStatistics) -> None:
        terms = sorted(statistics.frequency)
        self._is_empty = not terms  # scikit-learn refuses an empty vocabulary
        if self._is_empty:
            return
        counts = np.array([statistics.frequency[term] for term in terms], dtype=np.int64)
        self._vectorizer = vectorizer_of(analysis, terms, smoothed_idf(counts, statistics.texts))

    def __call__(self, query: Sentences, candidates: Sequence[Sentences]) -> list[float | None]:
        """See Scorer. Without a known word in the query or the candidate there is no score."""
        if self._is_empty:
            return [None] * len(candidates)
        rows = self._vectorizer.transform([" ".join(text) for text in (query, *candidates)])
        known = np.diff(rows.indptr) > 0
        cosines = (rows[1:] @ rows[0].T).toarray()[:, 0]
        distances = np.sqrt(np.maximum(2 - 2 * cosines, 0))
        return _scores(np.where(known[1:] & known[0], distances, np.nan))


@dataclass(frozen=True)
class MeanVectorDistance:
    """Minus the L2 distance of the means of word vectors; `mean` may weight words by TF-IDF."""

    mean: Mean

    @classmethod
    def of(cls, vectors: WordVectors, statistics: WordStatistics | None) -> MeanVectorDistance:
        """With `statistics`, words are weighted by (1 + ln tf)·idf, and else by tf."""
        number_of = {word: number for number, word in enumerate(vectors.words)}
        idf = None
        if statistics is not None:
            counts = np.array([statistics.frequency[word] for word in vectors.words], np.int64)
            idf = smoothed_idf(counts, statistics.texts)
        return cls(Mean(number_of.get, vectors.vectors, idf))

    def __call__(self, query: Sentences, candidates: Sequence[Sentences]) -> list[float | None]:
        """See Scorer. Without a word that has a vector there is no score."""
        means = self.mean.unscaled([" ".join(text) for text in (query, *candidates)])
        return _scores(_distances(means[:1], means[1:])[0])


class EncoderDistance:
    """Minus the L2 distance of the closest pair of a query sentence and a candidate sentence.

    A whole abstract is given as one sentence. Its first line is the title, if it has two lines.
    """

    def __init__(self, encoder: Encoder, network: Any) -> None:
        self.encoder, self._network = encoder, network
        self._vectors: dict[str, NDArray[np.float32]] = {}

    def __call__(self, query: Sentences, candidates: Sequence[Sentences]) -> list[float | None]:
        """See Scorer. Vectors are kept until the next call, which often has the same texts."""
        self._encode({text for texts in (query, *candidates) for text in texts})
        query_rows = self._rows(query)
        return [-float(_distances(query_rows, self._rows(texts)).min()) for texts in candidates]

    def _encode(self, texts: set[str]) -> None:
        vectors = {text: self._vectors[text] for text in texts & self._vectors.keys()}
        if missing := sorted(texts - vectors.keys()):
            vectors.update(zip(missing, self.encoder.encode(missing, self._network), strict=True))
        self._vectors = vectors

    def _rows(self, texts: Iterable[str]) -> NDArray[np.float32]:
        return np.stack([self._vectors[text] for text in texts])


def _distances(rows: NDArray[Any], others: NDArray[Any]) -> Floats:
    """(rows, others) the L2 distances. Not by products, which lose digits of close vectors."""
    differences = rows[:, None, :].astype(np.float64) - others[None, :, :]
    distances: Floats = np.sqrt((differences**2).sum(axis=2))
    return distances


def _scores(distances: Floats) -> list[float | None]:
    """(candidates,) minus each distance; None for NaN."""
    return [None if math.isnan(distance) else -float(distance) for distance in distances]
