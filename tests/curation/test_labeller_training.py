"""The training of a labeller against scikit-learn on features made sentence by sentence."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression

from corpus.ordering import order_key
from curation.labelling.examples import Example
from curation.labelling.features import WordHashes
from curation.labelling.model import Header
from curation.labelling.training import TooFewExamples, labels_of, train
from curation.labelling.weights import from_bytes, to_bytes
from tests.curation.test_labeller_by_hand import NEAR, OWN, context, grams, position

WORDS = {
    "background": ["parsing", "is", "an", "old", "and", "hard", "problem"],
    "method": ["we", "propose", "a", "model", "with", "new", "layers"],
    "other": ["code", "and", "data", "are", "available", "online"],
}
HEADER = Header("own", "1", ("replaced",), "7", "made-up abstracts", "CC0", training={"a": 1})


def made(seed: int, count: int, labels=("background", "method", "other")) -> list[Example]:
    """Abstracts of two or three sentences whose words hint at their labels."""
    draw = np.random.default_rng(seed)
    examples = []
    for _ in range(count):
        chosen = [str(label) for label in draw.choice(labels, draw.integers(2, 4))]
        texts = [" ".join(draw.choice(WORDS[label], 4)) for label in chosen]
        weights = draw.choice([0.5, 1.0], len(chosen)).tolist()
        examples.append(Example(tuple(texts), tuple(chosen), tuple(weights)))
    return examples


def rare(examples: list[Example]) -> list[Example]:
    """The examples; the label "other" only in the first, so that a fold is trained without it."""
    return [
        Example(e.sentences, tuple("method" if t == "other" else t for t in e.labels), e.weights)
        if number
        else Example(e.sentences, ("other", *e.labels[1:]), e.weights)
        for number, e in enumerate(examples)
    ]


def one_hot(hashes: list[set[int]], columns: int) -> csr_array:
    rows = [row for row, some in enumerate(hashes) for _ in {value % columns for value in some}]
    cells = [cell for some in hashes for cell in sorted({value % columns for value in some})]
    return csr_array((np.ones(len(rows)), (rows, cells)), shape=(len(hashes), columns))


class Reference:
    """Both stages, with the constants as docs/labels.md and the code state them."""

    def __init__(self, examples: list[Example], seed: str, vectors: np.ndarray | None = None):
        self.examples = examples
        self.labels = sorted({label for e in examples for label in e.labels})
        self.gold = np.array([self.labels.index(label) for e in examples for label in e.labels])
        self.weights = np.array([weight for e in examples for weight in e.weights])
        both = [grams(sentence) for e in examples for sentence in e.sentences]
        self.own = one_hot([own for own, _ in both], OWN)
        self.near = one_hot([near for _, near in both], NEAR)
        self.vectors = np.zeros((len(both), 0)) if vectors is None else vectors
        sizes = [len(e.sentences) for e in examples]
        self.places = [(place, size) for size in sizes for place in range(size)]
        order = sorted(range(len(sizes)), key=lambda n: order_key(seed, "fold", "", str(n)))
        fold_of = {place: number % 5 for number, place in enumerate(order)}
        self.folds = np.repeat([fold_of[place] for place in range(len(sizes))], sizes)

    def blocks(self, train_rows: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Features of the rows, with the idf of the training rows. Dense, so for few words."""
        own = TfidfTransformer().fit(self.own[train_rows]).transform(self.own[rows]).toarray()
        near = TfidfTransformer().fit(self.near[train_rows]).transform(self.near[rows]).toarray()
        places = [self.places[row] for row in rows]
        nothing = np.zeros(near.shape[1])
        before = [near[n - 1] if place else nothing for n, (place, _) in enumerate(places)]
        after = [
            near[n + 1] if place + 1 < size else nothing for n, (place, size) in enumerate(places)
        ]
        positions = 0.5 * np.array([position(*each) for each in places])
        return np.hstack([2 * own, before, after, positions, 2 * self.vectors[rows]])

    def fit(self, features: np.ndarray, rows: np.ndarray, strength: float, **options):
        used = np.flatnonzero(abs(features).sum(axis=0))
        model = LogisticRegression(C=strength, max_iter=2_000, **options)
        model.fit(features[:, used], self.gold[rows], sample_weight=self.weights[rows])
        coefficients, intercept = model.coef_, model.intercept_
        if len(model.classes_) == 2:
            coefficients, intercept = (
                np.concatenate([-each, each]) / 2 for each in (coefficients, intercept)
            )
        weights = np.zeros((features.shape[1], len(self.labels)))
        offsets = np.full(len(self.labels), -30.0)
        weights[np.ix_(used, model.classes_)] = coefficients.T
        offsets[model.classes_] = intercept
        return weights, offsets

    def fold_probabilities(self) -> np.ndarray:
        result = np.zeros((len(self.gold), len(self.labels)))
        for fold in range(5):
            seen, rest = np.flatnonzero(self.folds != fold), np.flatnonzero(self.folds == fold)
            weights, offsets = self.fit(self.blocks(seen, seen), seen, 3.0)
            scores = np.exp(self.blocks(seen, rest) @ weights + offsets)
            result[rest] = scores / scores.sum(axis=1, keepdims=True)
        return result

    def second_stage(self):
        probabilities = self.fold_probabilities()
        ends = np.cumsum([len(e.sentences) for e in self.examples])
        abstracts = np.split(probabilities, ends[:-1])
        rows = [context(list(some), n) for some in abstracts for n in range(len(some))]
        every = np.arange(len(self.gold))
        return self.fit(np.array(rows), every, 0.3, solver="newton-cholesky", tol=1e-8)


def check(labeller, reference: Reference) -> None:
    every = np.arange(len(reference.gold))
    weights, offsets = reference.fit(reference.blocks(every, every), every, 3.0)
    own, previous, following, positions, vectors = np.split(
        weights, np.cumsum([OWN, NEAR, NEAR, 46])
    )
    words = labeller.words
    idf = TfidfTransformer().fit(reference.own).idf_
    near_idf = TfidfTransformer().fit(reference.near).idf_
    context_weights, context_offsets = reference.second_stage()
    for found, expected in (
        (words.own_idf, idf),
        (words.neighbour_idf, near_idf),
        (words.own, 2 * own),
        (words.previous, previous),
        (words.following, following),
        (labeller.position, 0.5 * positions),
        (labeller.embedding, 2 * vectors),
        (labeller.intercept, offsets),
        (labeller.context, context_weights),
        (labeller.context_intercept, context_offsets),
    ):
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, expected, atol=2e-3)


@pytest.mark.parametrize("examples", [made(1, 12), rare(made(2, 11))], ids=["three", "rare"])
def test_both_stages_have_the_weights_of_scikit_learn(examples):
    labeller = train(examples, HEADER)

    check(labeller, Reference(examples, "7"))
    assert labeller.header.labels == ("background", "method", "other")
    assert (labeller.header.name, labeller.header.seed) == ("own", "7")


def test_two_labels_have_the_weights_of_scikit_learn():
    examples = made(3, 12, ("background", "method"))

    check(train(examples, HEADER), Reference(examples, "7"))


def test_vectors_count_twice():
    examples = made(4, 12)
    count = sum(len(e.sentences) for e in examples)
    vectors = np.random.default_rng(5).normal(size=(count, 3)).astype(np.float32)
    asked = []

    def embed(sentences):
        asked.extend(sentences)
        return vectors

    labeller = train(examples, HEADER, embed=embed)

    check(labeller, Reference(examples, "7", vectors))
    assert asked == [sentence for e in examples for sentence in e.sentences]
    with pytest.raises(ValueError, match="own needs its encoder"):
        labeller.predict([["a"]], WordHashes())


def test_the_seed_decides_the_folds():
    examples = made(1, 12)

    one, other = (train(examples, Header("own", "1", (), seed, "")).context for seed in ("7", "8"))

    assert not np.allclose(one, other, atol=1e-3)


def test_the_file_is_the_same_each_time_and_keeps_five_decimals():
    examples = made(1, 12)

    content = to_bytes(train(examples, HEADER))

    assert to_bytes(train(examples, HEADER)) == content
    stored = from_bytes(content)
    for weights in (stored.position, stored.intercept, stored.context, stored.context_intercept):
        np.testing.assert_allclose(weights * 1e5, np.round(weights * 1e5), atol=2e-2)


def test_progress_is_reported_after_each_of_seven_regressions():
    reports = []

    train(made(1, 12), HEADER, progress=lambda done, total: reports.append((done, total)))

    assert reports == [(done, 7) for done in range(1, 8)]


@pytest.mark.parametrize(
    ("examples", "message"),
    [
        (made(1, 9), "at least 10 labelled abstracts and two labels, got 9 with background, me"),
        (made(1, 12, ("method",)), "got 12 with method. Label more sentences."),
        ([], "got 0 with no label"),
    ],
)
def test_examples_that_cannot_train_a_labeller_are_refused(examples, message):
    with pytest.raises(TooFewExamples, match=message):
        train(examples, HEADER)


def test_ten_abstracts_are_enough():
    assert train(made(1, 10), HEADER).header.labels == labels_of(made(1, 10))
