"""Averaged word vectors, plain or weighted by TF-IDF, compared by cosine: two of CSFCube's kinds.

A document's vector is the mean of the word2vec vectors of its running words (`cbow`), or their mean
weighted by tf·idf (`tfidf_cbow`) with the weights of the retriever `tfidf`: (1 + ln tf) for the
term, ln((1 + N)/(1 + df)) + 1 for its rarity in this field. Words without a vector are skipped; a
document without any is never found. Vectors have length 1, so means and sums are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrieval.indexes.arrays import new_map, open_array
from retrieval.indexes.external_sort import BEAT, SortedTexts, nothing_in, sort_texts
from retrieval.indexes.folders import FolderRetriever, IndexDraft
from retrieval.indexes.string_table import open_strings, write_strings
from retrieval.interface import Field, IndexedText, Progress
from retrieval.retrievers.dense import VectorRanker, Vectors, normalise
from retrieval.retrievers.tfidf import smoothed_idf
from retrieval.retrievers.word2vec import Training, WordVectors, model_version, tokens, word_vectors

WORDS = "words"  # sorted; a word's number is its index
WORD_VECTORS, IDF = "word_vectors", "idf"
VECTORS_FILE = "vectors.npy"

DEFAULT = Training()

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Cbow(FolderRetriever):
    """Ranks documents by the cosine between the mean word vectors of their `field`."""

    field: Field
    weighted: bool = False
    training: Training = DEFAULT

    @property
    def name(self) -> str:
        return f"{self.kind}_{self.field}"

    @property
    def kind(self) -> str:
        return "tfidf_cbow" if self.weighted else "cbow"

    @property
    def version(self) -> str:
        return f"1, word vectors {model_version()}"

    @property
    def parameters(self) -> dict[str, object]:
        weights = "(1 + ln tf) * (ln((1 + N)/(1 + df)) + 1)" if self.weighted else "tf"
        return {
            "field": self.field,
            "word_weights": weights,
            "metric": "cosine",
            "word2vec": self.training.parameters,
        }

    def read(self, folder: Path, docnos: Sequence[str]) -> VectorRanker:
        words = open_strings(folder, WORDS)
        idf = open_array(folder, IDF) if self.weighted else None
        mean = Mean(words.index_of, open_array(folder, WORD_VECTORS), idf)
        vectors = Vectors.of(folder / VECTORS_FILE)
        return VectorRanker(self.field, docnos, vectors, "cosine", lambda: mean)

    def write(
        self, documents: Iterable[IndexedText], place: IndexDraft, progress: Progress
    ) -> list[str]:
        """Trains word vectors of the corpus unless they are there."""
        draft = place.draft
        texts = sort_texts(documents, "text", place.scratch, progress)
        vocabulary = word_vectors(texts, self.training, place.folder.parent, progress)
        docnos, frequency = _document_frequencies(self._fields(texts), vocabulary, progress)
        if not frequency.any():
            raise nothing_in(self.field)
        vocabulary, frequency = _words_of_field(vocabulary, frequency)
        idf = smoothed_idf(frequency, len(docnos)) if self.weighted else None
        write_strings(draft, WORDS, vocabulary.words)
        np.save(draft / f"{WORD_VECTORS}.npy", vocabulary.vectors)
        if idf is not None:
            np.save(draft / f"{IDF}.npy", idf)
        mean = Mean(_number_by_word(vocabulary.words).get, vocabulary.vectors, idf)
        _write_vectors(draft / VECTORS_FILE, self._fields(texts), len(docnos), mean, progress)
        return docnos

    def _fields(self, texts: SortedTexts) -> Iterator[tuple[str, str]]:
        for docno, text in texts:
            title, _, abstract = text.partition("\n")
            yield docno, {"title": title, "abstract": abstract}.get(self.field, text)


@dataclass(frozen=True)
class Mean:
    """Turns texts into vectors. With `idf` (words,) the mean is weighted, by 1 + ln tf or by tf."""

    number_of: Callable[[str], int | None]
    vectors: Floats  # (words, dimensions)
    idf: Floats | None
    sublinear_tf: bool = True

    def __call__(self, texts: Sequence[str]) -> Floats:
        """(texts, dimensions) of length 1, or all zeros for a text without a known word."""
        return normalise(self._weights(texts) @ self.vectors)

    def unscaled(self, texts: Sequence[str]) -> Floats:
        """(texts, dimensions): the means themselves, or NaN for a text without a known word."""
        weights = self._weights(texts)
        totals = np.asarray(weights.sum(axis=1), np.float32).reshape(-1, 1)
        totals[totals == 0] = np.nan
        means: Floats = (weights @ self.vectors) / totals
        return means

    def _weights(self, texts: Sequence[str]) -> Any:
        """(texts, words) float32, sparse; words are added in ascending order."""
        from scipy.sparse import csr_matrix

        numbers = [_word_numbers(text, self.number_of) for text in texts]
        ends = np.concatenate(([0], np.cumsum([len(text_numbers) for text_numbers in numbers])))
        columns = np.fromiter(
            (number for text_numbers in numbers for number in text_numbers), np.int32, int(ends[-1])
        )
        counts = np.ones(len(columns), np.float32)
        weights = csr_matrix((counts, columns, ends), shape=(len(texts), len(self.vectors)))
        weights.sum_duplicates()
        if self.idf is not None:
            counts = 1 + np.log(weights.data) if self.sublinear_tf else weights.data
            weights.data = counts * self.idf[weights.indices]
        return weights


def _word_numbers(text: str, number_of: Callable[[str], int | None]) -> list[int]:
    numbers = map(number_of, tokens(text))
    return [number for number in numbers if number is not None]


def _number_by_word(words: Sequence[str]) -> dict[str, int]:
    return {word: number for number, word in enumerate(words)}


def _document_frequencies(
    fields: Iterator[tuple[str, str]], vocabulary: WordVectors, progress: Progress
) -> tuple[list[str], NDArray[np.int64]]:
    """The docnos in order, and the number of documents with each word, (words,)."""
    number_of = _number_by_word(vocabulary.words).get
    docnos: list[str] = []
    frequency = np.zeros(len(vocabulary.words), np.int64)
    for docno, text in fields:
        docnos.append(docno)
        frequency[list(set(_word_numbers(text, number_of)))] += 1
        if len(docnos) % BEAT == 0:
            progress(0)
    return docnos, frequency


def _words_of_field(
    vocabulary: WordVectors, frequency: NDArray[np.int64]
) -> tuple[WordVectors, NDArray[np.int64]]:
    """The words of the field, sorted; an index of titles leaves out words of abstracts."""
    numbers = sorted(np.flatnonzero(frequency), key=lambda number: vocabulary.words[number])
    words = [vocabulary.words[number] for number in numbers]
    return WordVectors(words, vocabulary.vectors[numbers]), frequency[numbers]


def _write_vectors(
    path: Path, fields: Iterator[tuple[str, str]], documents: int, mean: Mean, progress: Progress
) -> None:
    vectors = new_map(path, np.float32, documents, mean.vectors.shape[1])
    done = 0
    while batch := [text for _, text in islice(fields, BEAT)]:
        vectors[done : done + len(batch)] = mean(batch)
        done += len(batch)
        progress(done)
    vectors.flush()
