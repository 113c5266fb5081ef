"""TF-IDF with cosine similarity: weighted by scikit-learn, ranked from memory-mapped columns.

SMART's "ltc" for documents and queries (Salton & Buckley, 1988), in scikit-learn's variant: the
weight of a term is (1 + ln tf)·(ln((1 + N)/(1 + df)) + 1), a vector has length 1, a score is a
cosine in (0, 1]. tf is damped (`sublinear_tf`) because the tenth use of a word in an abstract says
little more about the topic than the second. Words come from an analysis
(retrieval/retrievers/analysis.py). In `plain`, they are two or more letters, digits or underscores
in lower case (scikit-learn's default), without stemming or stop words. idf gives common words
little weight.

Scores are the same on every machine. Weights are rounded to float32, which removes differences in
the last digits of logarithms. They are added as float64, in ascending order of terms.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrieval.formats import Scored
from retrieval.indexes.arrays import new_map, open_array
from retrieval.indexes.external_sort import BEAT, SortedTexts, nothing_in, sort_texts
from retrieval.indexes.folders import FolderRetriever, IndexDraft
from retrieval.indexes.string_table import Strings, open_strings, write_strings
from retrieval.interface import (
    Field,
    IndexedText,
    PaperRanker,
    Progress,
    QueryText,
    field_of,
)
from retrieval.retrievers.analysis import PLAIN, Analysis

VOCABULARY = "vocabulary"  # the terms, sorted; a term's number is its index

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


@dataclass(frozen=True)
class Tfidf(FolderRetriever):
    """Ranks documents by the cosine between their `field` and the query paper's."""

    field: Field
    analysis: Analysis = PLAIN

    @property
    def name(self) -> str:
        return f"tfidf_{self.field}{self.analysis.suffix}"

    @property
    def kind(self) -> str:
        return "tfidf"

    @property
    def version(self) -> str:
        words = "" if self.analysis == PLAIN else f", tantivy {version('tantivy')}"
        return f"2, scikit-learn {version('scikit-learn')}{words}"

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
            **self.analysis.parameters,
        }

    def read(self, folder: Path, docnos: Sequence[str]) -> TfidfRanker:
        terms = open_strings(folder, VOCABULARY)
        weighing = Weighing(terms, open_array(folder, "idf"), self.analysis)
        columns = TermColumns(*(open_array(folder, name) for name in TermColumns.FILES))
        return TfidfRanker(self.field, docnos, weighing, columns)

    def write(
        self, documents: Iterable[IndexedText], place: IndexDraft, progress: Progress
    ) -> list[str]:
        draft = place.draft
        texts = sort_texts(documents, self.field, place.scratch, progress)
        docnos, frequency = _document_frequencies(texts, self.analysis, progress)
        if not frequency:
            raise nothing_in(self.field)
        terms = sorted(frequency)
        counts = np.array([frequency[term] for term in terms], dtype=np.int64)
        idf = smoothed_idf(counts, len(docnos))
        write_strings(draft, VOCABULARY, terms)
        np.save(draft / "idf.npy", idf)
        vectorizer = vectorizer_of(self.analysis, terms, idf)
        _write_columns(draft, texts, vectorizer, counts, progress)
        return docnos


@dataclass(frozen=True)
class TermColumns:
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
        # Importing scipy takes time, which a web process should not spend.
        from scipy.sparse import csc_array

        columns = [slice(int(self.starts[term]), int(self.starts[term + 1])) for term in terms]
        if not columns:
            return np.zeros(documents, np.float32)
        ordinals = np.concatenate([self.ordinals[column] for column in columns])
        values = np.concatenate([self.weights[column] for column in columns])
        ends = np.cumsum([0, *(column.stop - column.start for column in columns)])
        matrix = csc_array((values, ordinals, ends), shape=(documents, len(columns)))
        # A float64 vector makes the sums float64. They add up column by column, in order of terms.
        scores = matrix @ weights.astype(np.float64)
        return scores.astype(np.float32)


@dataclass(frozen=True)
class Weighing:
    """Weights the words of a query, as scikit-learn weights those of the documents.

    Its vectorizer needs all terms in a dictionary. A million terms take two seconds and 200 MB
    before the first query.
    """

    terms: Strings  # sorted
    idf: Floats  # (terms,)
    analysis: Analysis = PLAIN

    def weigh(self, text: str) -> tuple[Ints, Floats]:
        """The numbers of the text's terms, ascending, and their weights."""
        counts = Counter(words_of(self.analysis)(text))
        counts_by_number = {self.terms.index_of(term): count for term, count in counts.items()}
        number_counts = sorted(
            (number, count) for number, count in counts_by_number.items() if number is not None
        )
        if not number_counts:
            return np.zeros(0, np.int32), np.zeros(0, np.float32)
        numbers, term_counts = np.array(number_counts).T
        weights = (1 + np.log(term_counts)) * self.idf[numbers].astype(np.float64)
        weights /= math.sqrt(math.fsum(weights**2))
        return numbers.astype(np.int32), weights.astype(np.float32)


@dataclass(frozen=True)
class TfidfRanker(PaperRanker):
    """An opened TF-IDF index; row `ordinal` of its matrix is document `docnos[ordinal]`."""

    field: Field
    docnos: Sequence[str]
    weighing: Weighing
    columns: TermColumns

    def best(self, query: QueryText, depth: int) -> list[Scored]:
        terms, weights = self.weighing.weigh(field_of(query, self.field))
        scores = self.columns.cosines(terms, weights, len(self.docnos))
        # One more than `depth`, because the query paper finds itself.
        found = (
            Scored(self.docnos[ordinal], float(scores[ordinal]))
            for ordinal in top_ordinals(scores, depth + 1)
        )
        return [scored for scored in found if not query.is_own(scored.docno)]


def top_ordinals(scores: Floats, need: int) -> list[int]:
    """The ordinals of the `need` best positive scores (documents,), best first.

    Ties go to the lower ordinal. Ordinals follow docno descending (see SortedTexts), so this is
    `trec_order`.
    """
    positive = np.flatnonzero(scores > 0)
    if len(positive) > need:
        # Documents tied with the last are kept, because their ordinals decide.
        last = np.partition(scores[positive], len(positive) - need)[len(positive) - need]
        positive = positive[scores[positive] >= last]
    order = np.lexsort((positive, -scores[positive]))
    return [int(ordinal) for ordinal in positive[order][:need]]


def vectorizer_of(
    analysis: Analysis,
    terms: Sequence[str] | None = None,
    idf: Floats | None = None,
    *,
    sublinear_tf: bool = True,
) -> Any:
    """scikit-learn's vectorizer; with sorted `terms` and their `idf` (terms,), ready to use."""
    # Importing scikit-learn takes a second, which a web process should not spend.
    from sklearn.feature_extraction.text import TfidfVectorizer

    words = {} if analysis == PLAIN else {"analyzer": analysis.words}
    vectorizer = TfidfVectorizer(sublinear_tf=sublinear_tf, vocabulary=terms, **words)
    if idf is not None:
        vectorizer.idf_ = idf.astype(np.float64)
    return vectorizer


@cache
def words_of(analysis: Analysis) -> Callable[[str], list[str]]:
    """Splits a text into the words of the analysis, in order."""
    analyze: Callable[[str], list[str]] = vectorizer_of(analysis).build_analyzer()
    return analyze


def _document_frequencies(
    texts: SortedTexts, analysis: Analysis, progress: Progress
) -> tuple[list[str], Counter[str]]:
    analyze = words_of(analysis)
    docnos: list[str] = []
    frequency: Counter[str] = Counter()
    for docno, text in texts:
        docnos.append(docno)
        frequency.update(set(analyze(text)))
        if len(docnos) % BEAT == 0:
            progress(0)
    return docnos, frequency


def smoothed_idf(frequency: Longs, documents: int) -> Floats:
    """(terms,) the idf of scikit-learn, which computes it from a matrix in memory."""
    return (np.log((1 + documents) / (1 + frequency)) + 1).astype(np.float32)


def _write_columns(
    draft: Path, texts: SortedTexts, vectorizer: Any, counts: Longs, progress: Progress
) -> None:
    """Weight the documents in batches and write each weight to its position in its column."""
    starts = np.concatenate(([0], np.cumsum(counts)))
    np.save(draft / "starts.npy", starts)
    ordinals = new_map(draft / "ordinals.npy", np.int32, int(starts[-1]))
    weights = new_map(draft / "weights.npy", np.float32, int(starts[-1]))
    free, done, stream = starts[:-1].copy(), 0, iter(texts)
    while batch := [text for _, text in islice(stream, BEAT)]:
        matrix = vectorizer.transform(batch).tocsc()
        positions = _positions(matrix.indptr, free)
        ordinals[positions] = matrix.indices + done
        weights[positions] = matrix.data
        done += len(batch)
        progress(done)
    ordinals.flush()
    weights.flush()


def _positions(batch_starts: Ints, free: Longs) -> Longs:
    """(non-zeros of the batch,) the position of each; advances `free` (terms,) past them."""
    counts = np.diff(batch_starts)
    offsets = np.arange(batch_starts[-1]) - np.repeat(batch_starts[:-1], counts)
    positions: Longs = np.repeat(free, counts) + offsets
    free += counts
    return positions
