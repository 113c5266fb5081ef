"""TF-IDF with cosine similarity: weighted by scikit-learn, ranked from memory-mapped columns.

SMART's "ltc" for documents and queries (Salton & Buckley, 1988), in scikit-learn's variant: the
weight of a term is (1 + ln tf)·(ln((1 + N)/(1 + df)) + 1), a vector has length 1, a score is a
cosine in (0, 1]. tf is damped (`sublinear_tf`) because a word's tenth use in an abstract says
little more about the topic than its second. Words are two or more letters, digits or underscores
in lower case (scikit-learn's default), unstemmed, without a stop list: idf makes common ones count
little.

Scores are the same on every machine: weights are rounded to float32, which absorbs the last-digit
differences between logarithms, and are then added as float64 in one fixed order of terms.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pooling.formats import Scored
from pooling.retrievers.arrays import new_map
from pooling.retrievers.folders import IndexCorrupt, build_folder, check_folder
from pooling.retrievers.interface import (
    Field,
    IndexedText,
    Progress,
    QueryText,
    check_depth,
    field_of,
)
from pooling.retrievers.spool import BEAT, Spool, nothing_in, spool
from pooling.retrievers.strings import Strings, open_strings, write_strings

VOCABULARY = "vocabulary"  # the terms, sorted; a term's number is its place

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


@dataclass(frozen=True)
class Tfidf:
    """Ranks documents by the cosine between their `field` and the query paper's."""

    field: Field

    @property
    def name(self) -> str:
        return f"tfidf_{self.field}"

    @property
    def kind(self) -> str:
        return "tfidf"

    @property
    def version(self) -> str:
        return f"2, scikit-learn {version('scikit-learn')}"

    @property
    def parameters(self) -> dict[str, object]:
        return {
            "field": self.field,
            "sublinear_tf": True,
            "smooth_idf": True,
            "norm": "l2",
            "tokens": r"(?u)\b\w\w+\b, lower case",
            "stemming": False,
            "stop_words": False,
        }

    def build(self, documents: Iterable[IndexedText], folder: Path, progress: Progress) -> None:
        """See Retriever.build."""

        def write(draft: Path, scratch: Path) -> Sequence[str]:
            return self._write_index(
                spool(documents, self.field, scratch, progress), draft, progress
            )

        build_folder(folder, self, write)

    def open(self, folder: Path) -> TfidfRanker:
        """See Retriever.open."""
        docnos = check_folder(folder, self)
        try:
            terms = open_strings(folder, VOCABULARY)
            idf = _mapped(folder, "idf")
            columns = Columns(*(_mapped(folder, name) for name in Columns.FILES))
        except (OSError, ValueError) as error:
            raise IndexCorrupt(folder, str(error)) from error
        return TfidfRanker(self.field, docnos, Weighing(terms, idf), columns)

    def _write_index(self, texts: Spool, draft: Path, progress: Progress) -> list[str]:
        docnos, frequency = _document_frequencies(texts, progress)
        if not frequency:
            raise nothing_in(self.field)
        terms = sorted(frequency)
        counts = np.array([frequency[term] for term in terms], dtype=np.int64)
        idf = _idf(counts, len(docnos))
        write_strings(draft, VOCABULARY, terms)
        np.save(draft / "idf.npy", idf)
        _write_columns(draft, texts, _vectorizer(terms, idf), counts, progress)
        return docnos


@dataclass(frozen=True)
class Columns:
    """A documents × terms matrix by columns (CSC).

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
        # scipy's product of a CSC matrix and a vector, a column at a time: it adds to `scores` in
        # place and takes the ordinals as they lie mapped. NumPy first turns them into 64 bits, and
        # takes five times as long; scipy's public product makes a new result for every column.
        from scipy.sparse._sparsetools import csc_matvec

        scores = np.zeros(documents, dtype=np.float64)
        for term, weight in zip(terms, weights.astype(np.float64), strict=True):
            start, end = int(self.starts[term]), int(self.starts[term + 1])
            csc_matvec(
                documents,
                1,
                np.array([0, end - start], np.int32),
                self.ordinals[start:end],
                self.weights[start:end].astype(np.float64),
                np.array([weight]),
                scores,
            )
        return scores.astype(np.float32)


@dataclass(frozen=True)
class Weighing:
    """Weighs the words of a query as scikit-learn weighs those of the documents.

    Its vectorizer wants all terms in a dictionary: at a million of them, two seconds and 200 MB
    before the first query.
    """

    terms: Strings  # sorted
    idf: Floats  # (terms,)

    def weighted(self, text: str) -> tuple[Ints, Floats]:
        """Ascending numbers of the terms in the text, and the weight of each."""
        counts = Counter(_analyzer()(text))
        places = {self.terms.place(term): count for term, count in counts.items()}
        found = sorted((place, count) for place, count in places.items() if place is not None)
        if not found:
            return np.zeros(0, np.int32), np.zeros(0, np.float32)
        numbers, counted = np.array(found).T
        weights = (1 + np.log(counted)) * self.idf[numbers].astype(np.float64)
        weights /= math.sqrt(math.fsum(weights**2))
        return numbers.astype(np.int32), weights.astype(np.float32)


@dataclass(frozen=True)
class TfidfRanker:
    """An opened TF-IDF index; row `ordinal` of its matrix is document `docnos[ordinal]`."""

    field: Field
    docnos: Sequence[str]
    weighing: Weighing
    columns: Columns

    def rank(
        self, queries: Iterable[QueryText], depth: int, progress: Progress
    ) -> Iterator[tuple[str, list[Scored]]]:
        """See Ranker.rank."""
        check_depth(depth)
        for done, query in enumerate(queries, start=1):
            text = field_of(query, self.field)
            # One more than asked for, because the query paper finds itself.
            found = self._best(text, depth + 1)
            yield query.docno, [one for one in found if one.docno != query.docno][:depth]
            progress(done)

    def _best(self, text: str, need: int) -> list[Scored]:
        scores = self.columns.cosines(*self.weighing.weighted(text), len(self.docnos))
        return [
            Scored(self.docnos[ordinal], float(scores[ordinal]))
            for ordinal in top_ordinals(scores, need)
        ]


def top_ordinals(scores: Floats, need: int) -> list[int]:
    """The `need` best of `scores` (documents,), those above 0 only: score down, ordinal up.

    Ordinals follow docno downwards (see Spool), so this is `trec_order`.
    """
    positive = np.flatnonzero(scores > 0)
    if len(positive) > need:
        # Everything tied with the last place stays in, for the ordinals to decide.
        last = np.partition(scores[positive], len(positive) - need)[len(positive) - need]
        positive = positive[scores[positive] >= last]
    order = np.lexsort((positive, -scores[positive]))
    return [int(ordinal) for ordinal in positive[order][:need]]


def _vectorizer(terms: Sequence[str] | None = None, idf: Floats | None = None) -> Any:
    # Importing scikit-learn takes a second; a web process that ranks nothing should not pay it.
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(sublinear_tf=True, vocabulary=terms)
    if idf is not None:
        vectorizer.idf_ = idf.astype(np.float64)
    return vectorizer


@cache
def _analyzer() -> Callable[[str], list[str]]:
    analyze: Callable[[str], list[str]] = _vectorizer().build_analyzer()
    return analyze


def _document_frequencies(texts: Spool, progress: Progress) -> tuple[list[str], Counter[str]]:
    analyze = _analyzer()
    docnos: list[str] = []
    frequency: Counter[str] = Counter()
    for docno, text in texts:
        docnos.append(docno)
        frequency.update(set(analyze(text)))
        if len(docnos) % BEAT == 0:
            progress(0)
    return docnos, frequency


def _idf(counts: Longs, documents: int) -> Floats:
    """(terms,) smoothed idf; scikit-learn's own is computed from a matrix held in memory."""
    return (np.log((1 + documents) / (1 + counts)) + 1).astype(np.float32)


def _write_columns(
    draft: Path, texts: Spool, vectorizer: Any, counts: Longs, progress: Progress
) -> None:
    """Weigh the documents a batch at a time, each weight straight to its place in its column."""
    starts = np.concatenate(([0], np.cumsum(counts)))
    np.save(draft / "starts.npy", starts)
    ordinals = new_map(draft / "ordinals.npy", np.int32, int(starts[-1]))
    weights = new_map(draft / "weights.npy", np.float32, int(starts[-1]))
    free, done, stream = starts[:-1].copy(), 0, iter(texts)
    while batch := [text for _, text in islice(stream, BEAT)]:
        matrix = vectorizer.transform(batch).tocsc()
        places = _places(matrix.indptr, free)
        ordinals[places] = matrix.indices + done
        weights[places] = matrix.data
        done += len(batch)
        progress(done)
    ordinals.flush()
    weights.flush()


def _places(batch_starts: Ints, free: Longs) -> Longs:
    """(non-zeros of the batch,) where each goes; moves `free` (terms,) on past them."""
    counts = np.diff(batch_starts)
    within = np.arange(batch_starts[-1]) - np.repeat(batch_starts[:-1], counts)
    places: Longs = np.repeat(free, counts) + within
    free += counts
    return places


def _mapped(folder: Path, name: str) -> Any:
    return np.load(folder / f"{name}.npy", mmap_mode="r")
