"""Train a labeller from labelled abstracts. Pure.

The same abstracts and seed give the same file. Sums of floats depend on the processor and on the
number of threads, and a regression that stops near its minimum makes the difference larger: in
single precision it reaches the second digit of a weight. So regressions are computed in double
precision by a single thread. docs/labels.md says which digits can still differ between processors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits  # scikit-learn requires it

from corpus.ordering import order_key
from curation.labelling.examples import Example
from curation.labelling.features import (
    NEIGHBOUR_COLUMNS,
    OWN_COLUMNS,
    POSITION_COLUMNS,
    Doubles,
    Floats,
    SentencePlaces,
    WordHashes,
    binary_matrix,
    context_of,
    position_matrix,
    sequences_of,
    weigh,
)
from curation.labelling.model import Embed, Header, SentenceLabeller, WordWeights
from web.errors import UserFacingError

FOLDS = 5
FEWEST_ABSTRACTS = 10  # two for each fold
OWN_WEIGHT = 2.0  # of the sentence's own words beside those of its neighbours
POSITION_WEIGHT = 0.5
EMBEDDING_WEIGHT = 2.0
# Arguments of scikit-learn's LogisticRegression; C is the inverse strength of regularisation. The
# second stage has few columns, so its exact minimum costs seconds. L-BFGS would stop at weights
# that differ in their second digit between processors, because its columns are correlated.
FIRST_STAGE = {"C": 3.0, "max_iter": 1_000}
SECOND_STAGE = {"C": 0.3, "max_iter": 100, "solver": "newton-cholesky", "tol": 1e-8}

Progress = Callable[[int, int], None]


class TooFewExamples(UserFacingError):
    """Labelled abstracts that cannot train a labeller. The message is shown to the person."""


@dataclass(frozen=True)
class _Matrices:
    """The features of abstracts before weighing, with the labels by number and their weights."""

    shape: SentencePlaces
    own: csr_array
    neighbour: csr_array
    embeddings: Floats
    labels: NDArray[np.int64]
    weights: Doubles

    def of_sentences(self, chosen: NDArray[np.bool_]) -> _Matrices:
        shape = SentencePlaces(self.shape.places[chosen], self.shape.lengths[chosen])
        return _Matrices(
            shape,
            self.own[chosen],
            self.neighbour[chosen],
            self.embeddings[chosen],
            self.labels[chosen],
            self.weights[chosen],
        )


def train(
    examples: Sequence[Example],
    header: Header,
    *,
    embed: Embed | None = None,
    progress: Progress | None = None,
) -> SentenceLabeller:
    """The labeller that the examples give. The labels of the header are replaced by theirs.

    `progress` is called after each of the seven regressions.

    Raises:
        TooFewExamples: fewer than ten abstracts, or all sentences have the same label.
    """
    labels = labels_of(examples)
    if len(examples) < FEWEST_ABSTRACTS or len(labels) < 2:
        raise TooFewExamples(
            f"A labeller needs at least {FEWEST_ABSTRACTS} labelled abstracts and two labels, got "
            f"{len(examples)} with {', '.join(labels) or 'no label'}. Label more sentences."
        )
    header = replace(header, labels=labels)
    matrices = _matrices(examples, labels, embed)
    folds = np.repeat(_folds(len(examples), header.seed), [len(e.sentences) for e in examples])
    total = FOLDS + 2

    def report(done: int) -> None:
        if progress is not None:
            progress(done, total)

    probabilities = np.zeros((len(matrices.labels), len(labels)))
    for fold in range(FOLDS):
        seen = matrices.of_sentences(folds != fold)
        held_out = matrices.of_sentences(folds == fold)
        probabilities[folds == fold] = _FirstStage.fit(seen, len(labels)).predict(held_out)
        report(fold + 1)
    first = _FirstStage.fit(matrices, len(labels))
    report(FOLDS + 1)
    context, intercept = _regression(
        context_of(probabilities, matrices.shape), matrices, SECOND_STAGE, len(labels)
    )
    report(total)
    return first.labeller(header, context, intercept)


def labels_of(examples: Sequence[Example]) -> tuple[str, ...]:
    """Every label of the examples, in the order of the alphabet."""
    return tuple(sorted({label for example in examples for label in example.labels}))


def _matrices(examples: Sequence[Example], labels: Sequence[str], embed: Embed | None) -> _Matrices:
    abstracts = [example.sentences for example in examples]
    shape = SentencePlaces.of(abstracts)
    own, neighbour = sequences_of(abstracts, WordHashes())
    count = len(shape.places)
    number_of = {label: number for number, label in enumerate(labels)}
    sentences = [sentence for abstract in abstracts for sentence in abstract]
    return _Matrices(
        shape,
        binary_matrix(own, count, OWN_COLUMNS),
        binary_matrix(neighbour, count, NEIGHBOUR_COLUMNS),
        embed(sentences) if embed else np.zeros((count, 0), np.float32),
        np.array([number_of[label] for example in examples for label in example.labels]),
        np.array([weight for example in examples for weight in example.weights]),
    )


def _folds(count: int, seed: str) -> NDArray[np.int64]:
    """The fold of each abstract, all folds of nearly the same size."""
    order = sorted(range(count), key=lambda place: order_key(seed, "fold", "", str(place)))
    folds = np.empty(count, np.int64)
    folds[order] = np.arange(count) % FOLDS
    return folds


def _idf(matrix: csr_array) -> Floats:
    """Smooth inverse document frequencies, as of scikit-learn's TfidfTransformer."""
    counts = np.bincount(matrix.indices, minlength=matrix.shape[1])
    return (np.log((1 + matrix.shape[0]) / (1 + counts)) + 1).astype(np.float32)


@dataclass(frozen=True)
class _FirstStage:
    own_idf: Floats
    neighbour_idf: Floats
    coefficients: Doubles  # (columns of all blocks, labels)
    intercept: Doubles

    @classmethod
    def fit(cls, matrices: _Matrices, labels: int) -> _FirstStage:
        own_idf, neighbour_idf = _idf(matrices.own), _idf(matrices.neighbour)
        blocks = _blocks(matrices, own_idf, neighbour_idf)
        return cls(own_idf, neighbour_idf, *_regression(blocks, matrices, FIRST_STAGE, labels))

    def predict(self, matrices: _Matrices) -> Doubles:
        blocks = _blocks(matrices, self.own_idf, self.neighbour_idf)
        scores = np.asarray(blocks @ self.coefficients) + self.intercept
        return np.asarray(softmax(scores, axis=1))

    def labeller(
        self, header: Header, context: Doubles, context_intercept: Doubles
    ) -> SentenceLabeller:
        sizes = (OWN_COLUMNS, NEIGHBOUR_COLUMNS, NEIGHBOUR_COLUMNS, POSITION_COLUMNS)
        own, previous, following, position, embedding = np.split(
            self.coefficients, np.cumsum(sizes)
        )
        return SentenceLabeller(
            header=header,
            words=WordWeights(
                self.own_idf,
                self.neighbour_idf,
                _single(own * OWN_WEIGHT),
                _single(previous),
                _single(following),
            ),
            position=_single(position * POSITION_WEIGHT),
            embedding=_single(embedding * EMBEDDING_WEIGHT),
            intercept=_single(self.intercept),
            context=_single(context),
            context_intercept=_single(context_intercept),
        )


def _single(weights: Doubles) -> Floats:
    return weights.astype(np.float32)


def _blocks(matrices: _Matrices, own_idf: Floats, neighbour_idf: Floats) -> csr_array:
    near = weigh(matrices.neighbour, neighbour_idf)
    blocks: csr_array = hstack(
        [
            weigh(matrices.own, own_idf) * OWN_WEIGHT,
            _shifted(near, matrices.shape, -1),
            _shifted(near, matrices.shape, 1),
            csr_array(position_matrix(matrices.shape) * POSITION_WEIGHT),
            csr_array(matrices.embeddings * EMBEDDING_WEIGHT),
        ],
        format="csr",
    )
    return blocks


def _shifted(matrix: csr_array, shape: SentencePlaces, offset: int) -> csr_array:
    """As `features.neighbours`, of a sparse matrix."""
    target = shape.places + offset
    inside = np.flatnonzero((target >= 0) & (target < shape.lengths))
    ones, size = np.ones(len(inside), np.float32), matrix.shape[0]
    shifted: csr_array = csr_array((ones, (inside, inside + offset)), shape=(size, size)) @ matrix
    return shifted


def _regression(
    features: Any, matrices: _Matrices, settings: Mapping[str, Any], labels: int
) -> tuple[Doubles, Doubles]:
    """(columns, labels) and (labels,): a label without a sentence here gets no weight.

    Columns without a value get none either, so they are left out: most of the hashed words occur in
    no sentence of a small training set, and each would cost time in every iteration.
    """
    columns = np.flatnonzero(np.asarray(abs(features).sum(axis=0)).ravel())
    model = LogisticRegression(**settings)
    used = features[:, columns].astype(np.float64)
    # With several threads, sums depend on their number, and these products are too small to gain.
    with threadpool_limits(limits=1, user_api="blas"):
        model.fit(used, matrices.labels, sample_weight=matrices.weights)
    coefficients, intercept = model.coef_, model.intercept_
    if len(model.classes_) == 2:  # scikit-learn keeps one row for two labels
        coefficients = np.concatenate([-coefficients, coefficients]) / 2
        intercept = np.concatenate([-intercept, intercept]) / 2
    weights = np.zeros((features.shape[1], labels))
    offsets = np.full(labels, -30.0)
    weights[np.ix_(columns, model.classes_)] = coefficients.T
    offsets[model.classes_] = intercept
    return weights, offsets
