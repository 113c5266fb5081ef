"""The labeller: predicts a label and its probability for every sentence of abstracts. Pure.

Two multinomial logistic regressions. The first sees the words of a sentence and of its neighbours,
and its position. The second sees what the first says of the whole abstract (stacking; Wolpert,
1992), so that a sentence between two of a method is more likely one of the method.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from curation.labelling.features import (
    NEIGHBOUR_COLUMNS,
    OWN_COLUMNS,
    Abstracts,
    Floats,
    Rows,
    SentencePlaces,
    WordHashes,
    binary_matrix,
    context_of,
    neighbours,
    position_matrix,
    sequences_of,
    weigh,
)

OTHER = "other"
DECIMALS = 4  # of confidences: sums of floats differ in later places between machines
# The vector of each sentence, as (sentences, width) float32.
Embed = Callable[[Sequence[str]], Floats]


@dataclass(frozen=True)
class Header:
    """The facts about a labeller and its training. `encoder` is "" without embeddings."""

    name: str
    version: str
    labels: tuple[str, ...]
    seed: str
    trained_on: str
    licence: str = ""
    encoder: str = ""
    training: Mapping[str, Any] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """Name and version, as label records keep them."""
        return f"{self.name} {self.version}"


class WordWeights(NamedTuple):
    """Weights of the hashed words: the idf of each column, and (columns, labels) of each role."""

    own_idf: Floats
    neighbour_idf: Floats
    own: Floats
    previous: Floats
    following: Floats


class PredictedLabels(NamedTuple):
    """Of one abstract: the label of each sentence, and its probability from 0 to 1."""

    labels: list[str]
    confidences: list[float]


@dataclass(frozen=True)
class SentenceLabeller:
    """The weights of both stages, float32.

    `position` is (POSITION_COLUMNS, labels), `embedding` (width, labels) with width 0 without an
    encoder, `context` the second stage's (columns of `context_of`, labels).
    """

    header: Header
    words: WordWeights
    position: Floats
    embedding: Floats
    intercept: Floats
    context: Floats
    context_intercept: Floats

    def predict(
        self, abstracts: Abstracts, hashes: WordHashes, embed: Embed | None = None
    ) -> list[PredictedLabels]:
        """A label and a probability, rounded to 4 decimals, of every sentence of each abstract.

        `hashes` keeps hashes of words between calls. `embed` is needed with an encoder only. Equal
        probabilities give the label that comes first in the header.
        """
        shape = SentencePlaces.of(abstracts)
        if not len(shape.places):
            return [PredictedLabels([], []) for _ in abstracts]
        first = self.first_stage(abstracts, shape, hashes, embed)
        scores = context_of(first, shape) @ self.context + self.context_intercept
        probabilities = np.round(softmax(scores).astype(np.float64), DECIMALS)
        best = probabilities.argmax(axis=1)
        labels = np.array(self.header.labels, object)[best].tolist()
        confidences = probabilities[np.arange(len(best)), best].tolist()
        ends = np.cumsum([len(abstract) for abstract in abstracts]).tolist()
        starts = [0, *ends[:-1]]
        return [
            PredictedLabels(labels[start:end], confidences[start:end])
            for start, end in zip(starts, ends, strict=True)
        ]

    def first_stage(
        self,
        abstracts: Abstracts,
        shape: SentencePlaces,
        hashes: WordHashes,
        embed: Embed | None = None,
    ) -> Floats:
        """(sentences, labels): the probabilities that the first stage gives."""
        own_grams, neighbour_grams = sequences_of(abstracts, hashes)
        own = weigh(binary_matrix(own_grams, len(shape.places), OWN_COLUMNS), self.words.own_idf)
        near = weigh(
            binary_matrix(neighbour_grams, len(shape.places), NEIGHBOUR_COLUMNS),
            self.words.neighbour_idf,
        )
        scores = own @ self.words.own + self.intercept + position_matrix(shape) @ self.position
        scores += neighbours(near @ self.words.previous, shape, -1)
        scores += neighbours(near @ self.words.following, shape, 1)
        if len(self.embedding):
            if embed is None:
                raise ValueError(f"{self.header.name} needs its encoder {self.header.encoder}.")
            sentences = [sentence for abstract in abstracts for sentence in abstract]
            scores += embed(sentences) @ self.embedding
        return softmax(scores)


def softmax(scores: Rows) -> Floats:
    """Probabilities of each row's scores."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True), np.float32)
