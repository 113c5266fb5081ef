"""Scores of candidate texts for a query's text: words, word vectors, or encoders. Pure.

A scorer takes the sentences of the query and those of every candidate, and returns a score for each
candidate: the higher, the more alike. None means that it cannot compare the candidate, for example
because no word of it has a vector. Scorers of vectors return their cosine, or minus their Euclidean
(L2) distance.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from retrieval.retrievers.analysis import Analysis
from retrieval.retrievers.cbow import Mean
from retrieval.retrievers.encoder import Encoder
from retrieval.retrievers.tfidf import smoothed_idf, vectorizer_of
from retrieval.retrievers.word2vec import WordVectors
from scoring.baselines.catalogue import Distance
from scoring.baselines.statistics import WordStatistics

Sentences = Sequence[str]
Floats = NDArray[np.float64]


class BaselineScorer(Protocol):
    def __call__(self, query: Sentences, candidates: Sequence[Sentences]) -> list[float | None]:
        """A score for each candidate, in their order. Every text has at least one sentence."""


@dataclass(frozen=True)
class Okapi:
    """BM25 (Robertson & Zaragoza, 2009). A word counts as often as the query has it.

    `idf` is a function of a word: `floored_idf` or `positive_idf`.
    """

    words_of: Callable[[str], list[str]]
    mean_length: float
    idf: Callable[[str], float]
    k1: float
    b: float

    @classmethod
    def of_rank_bm25(
        cls, words_of: Callable[[str], list[str]], statistics: WordStatistics
    ) -> Okapi:
        """The scores of `BM25Okapi` of the package rank_bm25 with its defaults.

        The package itself needs all texts of the corpus in memory, and reads each of them for each
        word of the query.
        """
        return cls(words_of, statistics.mean_length, floored_idf(statistics, 0.25), 1.5, 0.75)

    @classmethod
    def of_retriever(
        cls, words_of: Callable[[str], list[str]], statistics: WordStatistics
    ) -> Okapi:
        """As the retriever bm25, but with exact lengths, which the retriever stores in a byte."""
        return cls(words_of, statistics.mean_length, positive_idf(statistics), 1.2, 0.75)

    def __call__(self, query: Sentences, candidates: Sequence[Sentences]) -> list[float | None]:
        """See Scorer. A candidate that shares no word with the query scores 0."""
        weights = {
            word: count * self.idf(word)
            for word, count in Counter(self.words_of(" ".join(query))).items()
        }
        return [self._score(weights, self.words_of(" ".join(text))) for text in candidates]

    def _score(self, weights: dict[str, float], words: Sequence[str]) -> float:
        length = len(words) / (self.mean_length or 1)
        saturation = self.k1 * (1 - self.b + self.b * length)
        counts = Counter(words)
        # fsum, because its result does not depend on the order of the words.
        return math.fsum(
            weights[word] * counts[word] * (self.k1 + 1) / (counts[word] + saturation)
            for word in weights.keys() & counts.keys()
        )


def positive_idf(statistics: WordStatistics) -> Callable[[str], float]:
    """ln(1 + (N − n + ½)/(n + ½)) for a word of n among N texts, as in Lucene: never negative."""

    def idf(word: str) -> float:
        texts = statistics.frequency[word]
        return math.log(1 + (statistics.texts - texts + 0.5) / (texts + 0.5))

    return idf


def floored_idf(statistics: WordStatistics, epsilon: float) -> Callable[[str], float]:
    """ln((N − n + ½)/(n + ½)), which is negative for a word of more than half of the texts.

    Where it is negative, it is `epsilon` times the mean over all words (Trotman, Jia & Crane, 2012,
    as in rank_bm25). 0 for a word of no text.
    """

    def of_frequency(texts: int) -> float:
        return math.log(statistics.texts - texts + 0.5) - math.log(texts + 0.5)

    # Many words share a frequency.
    words = Counter(statistics.frequency.values())
    total = math.fsum(count * of_frequency(texts) for texts, count in words.items())
    floor = epsilon * total / max(words.total(), 1)

    def idf(word: str) -> float:
        if word not in statistics.frequency:
            return 0.0
        value = of_frequency(statistics.frequency[word])
        return floor if value < 0 else value

    return idf


class TfidfScorer:
    """Compares TF-IDF vectors of length 1: cosines from 0 to 1, or L2 distances from 0 to √2.

    A word weighs tf·idf, or (1 + ln tf)·idf if `sublinear_tf`. The idf is that of the retriever
    tfidf (scikit-learn's). `statistics` counted the words of the analysis.
    """

    def __init__(
        self,
        analysis: Analysis,
        statistics: WordStatistics,
        distance: Distance,
        *,
        sublinear_tf: bool,
    ) -> None:
        self.distance = distance
        terms = sorted(statistics.frequency)
        self._is_empty = not terms  # scikit-learn refuses an empty vocabulary
        if self._is_empty:
            return
        counts = np.array([statistics.frequency[term] for term in terms], dtype=np.int64)
        idf = smoothed_idf(counts, statistics.texts)
        self._vectorizer = vectorizer_of(analysis, terms, idf, sublinear_tf=sublinear_tf)

    def __call__(self, query: Sentences, candidates: Sequence[Sentences]) -> list[float | None]:
        """See Scorer. Without a known word in the query or the candidate there is no score."""
        if self._is_empty:
            return [None] * len(candidates)
        rows = self._vectorizer.transform([" ".join(text) for text in (query, *candidates)])
        known = np.diff(rows.indptr) > 0
        scores = (rows[1:] @ rows[0].T).toarray()[:, 0]
        if self.distance is Distance.L2:
            scores = -np.sqrt(np.maximum(2 - 2 * scores, 0))
        return _known(np.where(known[1:] & known[0], scores, np.nan))


@dataclass(frozen=True)
class MeanVectorScorer:
    """Compares the means of word vectors, which keep their lengths."""

    mean: Mean
    distance: Distance

    @classmethod
    def of(cls, vectors: WordVectors, distance: Distance) -> MeanVectorScorer:
        """Every word counts as often as the text has it."""
        return cls(Mean(_number_by_word(vectors).get, vectors.vectors, None), distance)

    @classmethod
    def weighted(
        cls,
        vectors: WordVectors,
        statistics: WordStatistics,
        distance: Distance,
        *,
        sublinear_tf: bool,
    ) -> MeanVectorScorer:
        """A word weighs tf·idf, or (1 + ln tf)·idf if `sublinear_tf`."""
        counts = np.array([statistics.frequency[word] for word in vectors.words], np.int64)
        idf = smoothed_idf(counts, statistics.texts)
        number_of = _number_by_word(vectors).get
        return cls(Mean(number_of, vectors.vectors, idf, sublinear_tf), distance)

    def __call__(self, query: Sentences, candidates: Sequence[Sentences]) -> list[float | None]:
        """See Scorer. Without a word that has a vector there is no score."""
        means = self.mean.unscaled([" ".join(text) for text in (query, *candidates)])
        return _known(compared(means[:1], means[1:], self.distance)[0])


class EncoderScorer:
    """Compares the closest pair of a query sentence and a candidate sentence.

    A whole abstract is given as one sentence. Its first line is the title, if it has two lines.
    """

    def __init__(self, encoder: Encoder, network: Any, distance: Distance) -> None:
        self.encoder, self.distance, self._network = encoder, distance, network
        self._vectors: dict[str, NDArray[np.float32]] = {}

    def __call__(self, query: Sentences, candidates: Sequence[Sentences]) -> list[float | None]:
        """See Scorer. Vectors are kept until the next call, which often has the same texts."""
        self._encode({text for texts in (query, *candidates) for text in texts})
        rows = self._rows(query)
        scores = [compared(rows, self._rows(texts), self.distance) for texts in candidates]
        # fmax ignores the cosines that are undefined.
        return _known(np.array([np.fmax.reduce(pairs, axis=None) for pairs in scores]))

    def _encode(self, texts: set[str]) -> None:
        vectors = {text: self._vectors[text] for text in texts & self._vectors.keys()}
        if missing := sorted(texts - vectors.keys()):
            vectors.update(zip(missing, self.encoder.encode(missing, self._network), strict=True))
        self._vectors = vectors

    def _rows(self, texts: Iterable[str]) -> NDArray[np.float32]:
        return np.stack([self._vectors[text] for text in texts])


def compared(rows: NDArray[Any], others: NDArray[Any], distance: Distance) -> Floats:
    """(rows, others) scores: cosines, or minus L2 distances. NaN for the cosine of a vector of 0.

    L2 distances are not computed by products, which lose digits of close vectors.
    """
    wide, other_wide = rows.astype(np.float64), others.astype(np.float64)
    if distance is Distance.COSINE:
        return _unit(wide) @ _unit(other_wide).T
    differences = wide[:, None, :] - other_wide[None, :, :]
    distances: Floats = np.sqrt((differences**2).sum(axis=2))
    return -distances


def _unit(rows: Floats) -> Floats:
    lengths = np.sqrt((rows**2).sum(axis=1, keepdims=True))
    lengths[lengths == 0] = np.nan
    unit: Floats = rows / lengths
    return unit


def _number_by_word(vectors: WordVectors) -> dict[str, int]:
    return {word: number for number, word in enumerate(vectors.words)}


def _known(scores: Floats) -> list[float | None]:
    """(candidates,) the scores; None for NaN."""
    return [None if math.isnan(score) else float(score) for score in scores]
