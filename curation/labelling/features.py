"""The features of sentences in abstracts, as sparse matrices. Pure.

Words and word sequences are hashed into a fixed number of columns, so weights hold no text. The
hash is CRC-32 of the word's UTF-8 and 32-bit arithmetic, the same on every machine. A whole batch
of abstracts is hashed at once, because one sentence at a time takes ten times as long.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

VERSION = 1  # of the features: weights of another version do not fit
OWN_COLUMNS = 1 << 17  # of the words of a sentence
NEIGHBOUR_COLUMNS = 1 << 15  # of the words of the previous and of the next sentence
MOST_PLACES = 12  # places from the start, from the end, and lengths that are told apart
TENTHS = 10
POSITION_COLUMNS = 3 * MOST_PLACES + TENTHS
CACHED_WORDS = 500_000

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Integers = NDArray[np.int64]
Hashes = NDArray[np.uint32]
Rows = NDArray[np.floating[Any]]  # single precision for predictions, double for training
Abstracts = Sequence[Sequence[str]]

_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"\w+|[^\w\s]")


class Grams(NamedTuple):
    """Hashed word sequences: the sentence of each, and its hash."""

    sentences: Integers
    hashes: Hashes


class SentencePlaces(NamedTuple):
    """The place of each sentence in its abstract, and the abstract's length."""

    places: Integers
    lengths: Integers

    @classmethod
    def of(cls, abstracts: Abstracts) -> SentencePlaces:
        counts = np.fromiter(map(len, abstracts), np.int64, len(abstracts))
        starts = np.cumsum(counts) - counts
        places = np.arange(counts.sum()) - np.repeat(starts, counts)
        return cls(places, np.repeat(counts, counts))


class WordHashes(dict[str, int]):
    """CRC-32 of words, kept up to a limit of words."""

    def __missing__(self, word: str) -> int:
        if len(self) >= CACHED_WORDS:
            self.clear()
        value = self[word] = crc32(word.encode("utf-8", "surrogatepass"))
        return value


def words_of(sentence: str) -> list[str]:
    """The words and marks of a sentence in lower case, every number as "0"."""
    return _WORD.findall(_DIGITS.sub("0", sentence.lower()))


def sequences_of(abstracts: Abstracts, hashes: WordHashes) -> tuple[Grams, Grams]:
    """The word sequences of each sentence, numbered through the batch.

    The first are of the sentence itself: one to three words, the first one to three words, and the
    last two. The second are those that its neighbours see: one and two words, and the first words.
    """
    words = [words_of(sentence) for sentence in chain.from_iterable(abstracts)]
    counts = np.fromiter(map(len, words), np.int64, len(words))
    flat = chain.from_iterable(words)
    one = np.fromiter(map(hashes.__getitem__, flat), np.uint32, int(counts.sum()))
    sentences = np.repeat(np.arange(len(words)), counts)
    starts = np.cumsum(counts) - counts

    def longer(before: Hashes, length: int) -> tuple[Hashes, NDArray[np.bool_]]:
        """Hash of the sequence that starts at each word; whether it ends in the same sentence."""
        last = one[length - 1 :]
        fits = sentences[length - 1 :] == sentences[: len(last)]
        return _mix(before[: len(last)] * np.uint32(31) + last), fits

    two, two_fits = longer(_mix(one), 2)
    three, three_fits = longer(two, 3)
    short = [
        Grams(sentences, _salted(one, 1)),
        Grams(sentences[: len(two)][two_fits], _salted(two[two_fits], 2)),
    ]
    for salt, (length, sequence) in enumerate(((1, one), (2, two), (3, three)), start=4):
        long_enough = np.flatnonzero(counts >= length)
        short.append(Grams(long_enough, _salted(sequence[starts[long_enough]], salt)))
    long_enough = np.flatnonzero(counts >= 2)
    last_two = two[(starts + counts)[long_enough] - 2]
    own = [
        *short,
        Grams(sentences[: len(three)][three_fits], _salted(three[three_fits], 3)),
        Grams(long_enough, _salted(last_two, 7)),
    ]
    return _joined(own), _joined(short)


def _joined(grams: Sequence[Grams]) -> Grams:
    return Grams(
        np.concatenate([part.sentences for part in grams]),
        np.concatenate([part.hashes for part in grams]),
    )


def _salted(hashes: Hashes, salt: int) -> Hashes:
    """Different hashes for the same words in another role."""
    return _mix(hashes ^ np.uint32(salt * 0x9E3779B1 & 0xFFFFFFFF))


def _mix(values: Hashes) -> Hashes:
    """The finaliser of MurmurHash3 (Appleby, 2011), which spreads every bit over the 32 bits."""
    values = values ^ (values >> np.uint32(16))
    values = values * np.uint32(0x85EBCA6B)
    values = values ^ (values >> np.uint32(13))
    values = values * np.uint32(0xC2B2AE35)
    return values ^ (values >> np.uint32(16))


def binary_matrix(grams: Grams, sentences: int, columns: int) -> csr_array:
    """(sentences, columns) with 1 where a sentence has a sequence of that column."""
    from scipy.sparse import csr_array

    cells = grams.sentences * columns + (grams.hashes & np.uint32(columns - 1))
    cells.sort()
    cells = cells[np.concatenate(([True], cells[1:] != cells[:-1]))] if len(cells) else cells
    rows, places = np.divmod(cells, columns)
    starts = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=sentences))))
    values = np.ones(len(cells), np.float32)
    indices, pointers = places.astype(np.int32), starts.astype(np.int32)
    return csr_array((values, indices, pointers), shape=(sentences, columns))


def weigh(matrix: csr_array, idf: Floats) -> csr_array:
    """tf-idf of a binary matrix: each value times its column's idf, each row of length 1."""
    from scipy.sparse import csr_array

    values = idf[matrix.indices]
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    squares = np.bincount(rows, values.astype(np.float64) ** 2, minlength=matrix.shape[0])
    values = (values / np.sqrt(squares)[rows]).astype(np.float32)
    return csr_array((values, matrix.indices, matrix.indptr), shape=matrix.shape)


def neighbours(rows: Rows, shape: SentencePlaces, offset: int) -> Rows:
    """The row of the sentence `offset` places further in the same abstract; zeros outside it."""
    result = np.zeros_like(rows)
    target = shape.places + offset
    inside = np.flatnonzero((target >= 0) & (target < shape.lengths))
    result[inside] = rows[inside + offset]
    return result


def position_columns(shape: SentencePlaces) -> tuple[Integers, ...]:
    """Of each sentence, its columns among POSITION_COLUMNS: four, each with the value 1."""
    from_start = np.minimum(shape.places, MOST_PLACES - 1)
    from_end = np.minimum(shape.lengths - 1 - shape.places, MOST_PLACES - 1)
    lengths = np.minimum(shape.lengths - 1, MOST_PLACES - 1)
    tenths = shape.places * TENTHS // shape.lengths
    return (
        from_start,
        MOST_PLACES + from_end,
        2 * MOST_PLACES + lengths,
        3 * MOST_PLACES + tenths,
    )


def position_matrix(shape: SentencePlaces) -> Floats:
    """(sentences, POSITION_COLUMNS) of zeros and ones."""
    matrix = np.zeros((len(shape.places), POSITION_COLUMNS), np.float32)
    for columns in position_columns(shape):
        matrix[np.arange(len(columns)), columns] = 1
    return matrix


def context_of(probabilities: Rows, shape: SentencePlaces) -> Rows:
    """The input of the second stage: (sentences, 14 × labels + POSITION_COLUMNS).

    Logarithms and values of the probabilities of the sentence itself, of the one and two before and
    after it, and of the mean of those before and of those after.
    """
    both = np.concatenate([np.log(np.maximum(probabilities, 1e-6)), probabilities], axis=1)
    parts = [neighbours(both, shape, offset) for offset in (0, -1, 1, -2, 2)]
    before, after = _means_around(both, shape)
    return np.concatenate([*parts, before, after, position_matrix(shape)], axis=1)


def _means_around(rows: Rows, shape: SentencePlaces) -> tuple[Floats, Floats]:
    """Of each sentence, the mean row of those before it, and of those after it; zeros if none."""
    sums = np.concatenate([np.zeros((1, rows.shape[1])), np.cumsum(rows, axis=0, dtype=np.float64)])
    here = np.arange(len(rows))
    start, end = here - shape.places, here - shape.places + shape.lengths
    before = (sums[here] - sums[start]) / np.maximum(shape.places, 1)[:, None]
    after_count = shape.lengths - 1 - shape.places
    after = (sums[end] - sums[here + 1]) / np.maximum(after_count, 1)[:, None]
    return before.astype(np.float32), after.astype(np.float32)
