"""The labeller against a second implementation, sentence by sentence in plain Python.

It reads the file of the built-in labeller itself, and follows the definitions in
`curation/labelling/features.py`: hashed sequences of words, tf-idf, positions, two softmaxes.
"""

from __future__ import annotations

import math
import re
from itertools import pairwise
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest

from curation.labelling import features
from curation.labelling.features import (
    SentencePlaces,
    WordHashes,
    binary_matrix,
    context_of,
    position_columns,
    position_matrix,
    sequences_of,
    weigh,
    words_of,
)
from curation.labelling.model import SentenceLabeller
from curation.labelling.weights import from_bytes

BUILT_IN_FILE = Path(features.__file__).with_name("csabstruct-1.npz")
OWN, NEAR, PLACES, TENTHS = 131_072, 32_768, 12, 10
ABSTRACTS = [
    [
        "Parsing is an old problem, and it is hard.",
        "We propose a model with 12 layers.",
        "It has two parts: an encoder and a decoder.",
        "Experiments on 3 data sets show that it gains 4.5 points.",
        "Code is available.",
    ],
    ["Short."],
    ["We propose a model with 12 layers.", "…", "Ça va?"],
    [f"Sentence {number} says that we propose, evaluate and compare." for number in range(30)],
]
SHAPE = SentencePlaces.of(ABSTRACTS)


def mix(value: int) -> int:
    value ^= value >> 16
    value = value * 0x85EBCA6B % 2**32
    value ^= value >> 13
    value = value * 0xC2B2AE35 % 2**32
    return value ^ (value >> 16)


def salted(value: int, salt: int) -> int:
    return mix(value ^ (salt * 0x9E3779B1 % 2**32))


def grams(sentence: str) -> tuple[set[int], set[int]]:
    """The hashes of the sentence's own sequences, and of those that its neighbours see."""
    words = re.findall(r"\w+|[^\w\s]", re.sub(r"\d+", "0", sentence.lower()))
    one = [crc32(word.encode()) for word in words]
    two = [mix((mix(a) * 31 + b) % 2**32) for a, b in pairwise(one)]
    three = [mix((a * 31 + b) % 2**32) for a, b in zip(two, one[2:], strict=False)]
    near = {salted(a, 1) for a in one} | {salted(a, 2) for a in two}
    near |= {salted(all_of[0], salt) for salt, all_of in ((4, one), (5, two), (6, three)) if all_of}
    own = near | {salted(a, 3) for a in three} | {salted(two[-1], 7) for _ in two[:1]}
    return own, near


def tf_idf(hashes: set[int], columns: int, idf: np.ndarray) -> dict[int, float]:
    cells = {value % columns: float(idf[value % columns]) for value in hashes}
    length = math.sqrt(sum(value * value for value in cells.values()))
    return {cell: value / length for cell, value in cells.items()}


def position(place: int, length: int) -> list[float]:
    row = [0.0] * (3 * PLACES + TENTHS)
    row[min(place, PLACES - 1)] = 1
    row[PLACES + min(length - 1 - place, PLACES - 1)] = 1
    row[2 * PLACES + min(length - 1, PLACES - 1)] = 1
    row[3 * PLACES + place * TENTHS // length] = 1
    return row


def softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - max(scores))
    return powers / sum(powers)


@pytest.fixture(scope="module")
def labeller() -> SentenceLabeller:
    return from_bytes(BUILT_IN_FILE.read_bytes())


@pytest.fixture(scope="module")
def stored() -> dict[str, np.ndarray]:
    """The numbers of the file, scaled back."""
    file = np.load(BUILT_IN_FILE)
    words = {key: file[key] * file["scale"][:, None] for key in ("own", "previous", "following")}
    idf = {key: file[key] * file["idf_scale"][0] for key in ("own_idf", "neighbour_idf")}
    rest = ("position", "intercept", "context", "context_intercept")
    return {**words, **idf, **{key: file[key].astype(float) for key in rest}}


def scores_of(cells: dict[int, float], weights: np.ndarray) -> np.ndarray:
    return sum((value * weights[:, cell] for cell, value in cells.items()), np.zeros(len(weights)))


def first_stage(abstract: list[str], stored: dict[str, np.ndarray]) -> list[np.ndarray]:
    both = [grams(sentence) for sentence in abstract]
    own = [tf_idf(hashes, OWN, stored["own_idf"]) for hashes, _ in both]
    near = [tf_idf(hashes, NEAR, stored["neighbour_idf"]) for _, hashes in both]
    rows = []
    for place in range(len(abstract)):
        scores = stored["intercept"] + scores_of(own[place], stored["own"])
        scores = scores + position(place, len(abstract)) @ stored["position"]
        if place > 0:
            scores = scores + scores_of(near[place - 1], stored["previous"])
        if place + 1 < len(abstract):
            scores = scores + scores_of(near[place + 1], stored["following"])
        rows.append(softmax(scores))
    return rows


def context(rows: list[np.ndarray], place: int) -> np.ndarray:
    """The input of the second stage for one sentence."""
    both = [np.concatenate([np.log(np.maximum(row, 1e-6)), row]) for row in rows]
    nothing = np.zeros(len(both[0]))

    def at(other: int) -> np.ndarray:
        return both[other] if 0 <= other < len(both) else nothing

    def mean(some: list[np.ndarray]) -> np.ndarray:
        return sum(some) / len(some) if some else nothing

    around = [at(place + offset) for offset in (0, -1, 1, -2, 2)]
    means = [mean(both[:place]), mean(both[place + 1 :])]
    return np.concatenate([*around, *means, position(place, len(both))])


def test_the_first_stage_has_the_probabilities_of_the_second_implementation(labeller, stored):
    rows = labeller.first_stage(ABSTRACTS, SHAPE, WordHashes())

    expected = [row for abstract in ABSTRACTS for row in first_stage(abstract, stored)]
    np.testing.assert_allclose(rows, expected, atol=2e-5)


def test_labels_and_confidences_are_those_of_the_second_implementation(labeller, stored):
    labels = labeller.header.labels
    for abstract, found in zip(ABSTRACTS, labeller.predict(ABSTRACTS, WordHashes()), strict=True):
        rows = first_stage(abstract, stored)
        for place, label in enumerate(found.labels):
            scores = context(rows, place) @ stored["context"] + stored["context_intercept"]
            probabilities = softmax(scores)
            assert label == labels[probabilities.argmax()]
            assert found.confidences[place] == pytest.approx(max(probabilities), abs=2e-4)
            assert found.confidences[place] == round(found.confidences[place], 4)


def test_the_context_of_a_sentence_is_that_of_its_own_abstract():
    shape = SentencePlaces.of([["a"] * 4, ["b"], ["c"] * 2])
    rows = np.random.default_rng(1).dirichlet([1, 1, 1], 7)
    rows[2] = [0, 1e-9, 1]

    found = context_of(rows, shape)

    expected = [
        context(list(rows[start : start + length]), place)
        for start, length in ((0, 4), (4, 1), (5, 2))
        for place in range(length)
    ]
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_sequences_are_hashed_as_by_the_second_implementation():
    own, near = sequences_of(ABSTRACTS, WordHashes())

    sentences = [sentence for abstract in ABSTRACTS for sentence in abstract]
    for number, sentence in enumerate(sentences):
        both = grams(sentence)
        assert set(own.hashes[own.sentences == number].tolist()) == both[0]
        assert set(near.hashes[near.sentences == number].tolist()) == both[1]


def test_a_matrix_has_a_one_for_each_column_of_a_sentence():
    own, _ = sequences_of(ABSTRACTS, WordHashes())

    matrix = binary_matrix(own, len(SHAPE.places), 64)

    sentences = [sentence for abstract in ABSTRACTS for sentence in abstract]
    expected = np.zeros((len(sentences), 64))
    for number, sentence in enumerate(sentences):
        expected[number, [value % 64 for value in grams(sentence)[0]]] = 1
    assert (matrix.toarray() == expected).all()
    assert matrix.has_canonical_format
    assert (matrix.dtype, matrix.indices.dtype) == (np.float32, np.int32)


def test_weighed_rows_have_the_length_one():
    own, _ = sequences_of(ABSTRACTS, WordHashes())
    idf = np.linspace(1, 3, 64).astype(np.float32)

    weighed = weigh(binary_matrix(own, len(SHAPE.places), 64), idf).toarray()

    sentences = [sentence for abstract in ABSTRACTS for sentence in abstract]
    for row, sentence in zip(weighed, sentences, strict=True):
        expected = np.zeros(64)
        for cell, value in tf_idf(grams(sentence)[0], 64, idf).items():
            expected[cell] = value
        np.testing.assert_allclose(row, expected, atol=1e-6)


def test_sentences_without_words_have_no_features():
    abstracts = [["", " "], ["word"]]
    own, near = sequences_of(abstracts, WordHashes())

    assert binary_matrix(own, 3, 8).sum(axis=1).tolist()[:2] == [0, 0]
    assert set(near.sentences.tolist()) == {2}
    empty = binary_matrix(features.Grams(near.sentences[:0], near.hashes[:0]), 2, 8)
    assert (empty.shape, empty.nnz) == ((2, 8), 0)


def test_positions_have_four_columns_each():
    matrix = position_matrix(SHAPE)

    places = [(place, len(abstract)) for abstract in ABSTRACTS for place in range(len(abstract))]
    assert matrix.tolist() == [position(*each) for each in places]
    assert matrix.dtype == np.float32
    assert len(position_columns(SHAPE)) == 4


def test_word_hashes_are_kept_up_to_the_limit(monkeypatch):
    monkeypatch.setattr(features, "CACHED_WORDS", 2)
    hashes = WordHashes()

    assert [hashes[word] for word in "aba"] == [crc32(b"a"), crc32(b"b"), crc32(b"a")]
    assert set(hashes) == {"a", "b"}
    assert hashes["\ud800"] == crc32("\ud800".encode("utf-8", "surrogatepass"))
    assert set(hashes) == {"\ud800"}


def test_words_are_in_lower_case_and_numbers_are_zero():
    assert words_of("It's 3.14 — Café_9") == ["it", "'", "s", "0", ".", "0", "—", "café_0"]
