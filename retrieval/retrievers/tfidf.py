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
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

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
    check_depth,
    field_of,
)
from retrieval.retrievers.analysis import PLAIN, Analysis
from retrieval.retrievers.term_columns import Floats, Ints, Longs, TermColumns, WeightedTerms

WEIGHED_TOGETHER = 10_000  # documents, some 12 MB
VOCABULARY = "vocabulary"  # the terms, sorted; a term's number is its index

FEW_QUERIES = 8  # fewer are faster one by one
RANKED_TOGETHER = 256


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
        counted = _count_terms(texts, self.analysis, place.scratch, progress)
        if not counted.terms:
            raise nothing_in(self.field)
        frequency = counted.document_frequency()
        order = sorted(range(len(counted.terms)), key=counted.terms.__getitem__)
        counts = frequency[order]
        idf = smoothed_idf(counts, len(counted.docnos))
        write_strings(draft, VOCABULARY, (counted.terms[number] for number in order))
        np.save(draft / "idf.npy", idf)
        _write_columns(draft, counted, np.array(order), idf, counts, progress)
        return counted.docnos


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
        terms, weights = self._weighed(query)
        scores = self.columns.cosines(terms, weights, len(self.docnos))
        # One more than `depth`, because the query paper finds itself.
        best = top_ordinals(scores, depth + 1)
        return self._list(query, best, scores[best])

    def rank(
        self, queries: Iterable[QueryText], depth: int, progress: Progress
    ) -> Iterator[tuple[str, list[Scored]]]:
        """See Ranker.rank. Many queries are ranked together, with the lists of `best`."""
        check_depth(depth)
        stream, done = iter(queries), 0
        while batch := list(islice(stream, RANKED_TOGETHER)):
            for query, ranking in zip(batch, self._rankings(batch, depth), strict=True):
                yield query.docno, ranking[:depth]
                progress(done := done + 1)

    def _rankings(self, queries: Sequence[QueryText], depth: int) -> Iterator[list[Scored]]:
        if len(queries) < FEW_QUERIES:
            yield from (self.best(query, depth) for query in queries)
            return
        weighed = [self._weighed(query) for query in queries]
        candidates = self.columns.candidates(weighed, depth + 1, len(self.docnos))
        for query, terms, chosen in zip(queries, weighed, candidates, strict=True):
            scores = self.columns.cosines_of(chosen, *terms)
            best = top_ordinals(scores, depth + 1)
            yield self._list(query, chosen[best], scores[best])

    def _weighed(self, query: QueryText) -> WeightedTerms:
        return WeightedTerms(*self.weighing.weigh(field_of(query, self.field)))

    def _list(self, query: QueryText, ordinals: Iterable[int], scores: Floats) -> list[Scored]:
        found = (
            Scored(self.docnos[ordinal], float(score))
            for ordinal, score in zip(ordinals, scores, strict=True)
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


class CountedTerms(NamedTuple):
    """The terms of documents, in the order in which they first occur, and the files of counts.

    `lengths` has the number of different terms of each document. The files have the numbers of
    these terms and their counts, document by document.
    """

    docnos: list[str]
    terms: list[str]
    lengths: array[int]
    numbers: Path
    counts: Path

    def document_frequency(self) -> Longs:
        """(terms,) the number of documents that have each."""
        frequency = np.zeros(len(self.terms), np.int64)
        for numbers, _, _ in self.batches():
            frequency += np.bincount(numbers, minlength=len(frequency))
        return frequency

    def batches(self) -> Iterator[tuple[Ints, Ints, Longs]]:
        """Numbers, counts and lengths of some documents at a time."""
        with self.numbers.open("rb") as numbers, self.counts.open("rb") as counts:
            for first in range(0, len(self.lengths), WEIGHED_TOGETHER):
                lengths = np.array(self.lengths[first : first + WEIGHED_TOGETHER], np.int64)
                size = int(lengths.sum())
                yield (
                    np.fromfile(numbers, np.int32, size),
                    np.fromfile(counts, np.int32, size),
                    lengths,
                )


def _count_terms(
    texts: SortedTexts, analysis: Analysis, scratch: Path, progress: Progress
) -> CountedTerms:
    """Count the terms of each document, so that its words are split only once."""
    analyze = words_of(analysis)
    number_of: defaultdict[str, int] = defaultdict()
    number_of.default_factory = number_of.__len__
    docnos: list[str] = []
    lengths, paths = array("i"), (scratch / "numbers", scratch / "counts")
    with paths[0].open("wb") as numbers, paths[1].open("wb") as counts:
        for docno, text in texts:
            docnos.append(docno)
            term_counts = Counter(analyze(text))
            lengths.append(len(term_counts))
            array("i", map(number_of.__getitem__, term_counts)).tofile(numbers)
            array("i", term_counts.values()).tofile(counts)
            if len(docnos) % BEAT == 0:
                progress(len(docnos))
    return CountedTerms(docnos, list(number_of), lengths, *paths)


def smoothed_idf(frequency: Longs, documents: int) -> Floats:
    """(terms,) the idf of scikit-learn, which computes it from a matrix in memory."""
    return (np.log((1 + documents) / (1 + frequency)) + 1).astype(np.float32)


def _write_columns(
    draft: Path,
    counted: CountedTerms,
    order: Longs,
    idf: Floats,
    frequency: Longs,
    progress: Progress,
) -> None:
    """Weight the documents in batches and write each weight to its position in its column.

    `order` (terms,) has the numbers of the terms in the order of the columns.
    """
    from scipy.sparse import csr_matrix
    from sklearn.feature_extraction.text import TfidfTransformer

    transformer = TfidfTransformer(sublinear_tf=True)
    transformer.idf_ = idf.astype(np.float64)
    column_of = np.empty(len(order), np.int32)
    column_of[order] = np.arange(len(order), dtype=np.int32)
    starts = np.concatenate(([0], np.cumsum(frequency)))
    np.save(draft / "starts.npy", starts)
    ordinals = new_map(draft / "ordinals.npy", np.int32, int(starts[-1]))
    weights = new_map(draft / "weights.npy", np.float32, int(starts[-1]))
    free, done = starts[:-1].copy(), 0
    for numbers, counts, lengths in counted.batches():
        ends = np.concatenate(([0], np.cumsum(lengths)))
        shape = (len(lengths), len(order))
        matrix = csr_matrix((counts.astype(np.float64), column_of[numbers], ends), shape=shape)
        matrix.sort_indices()
        matrix = transformer.transform(matrix, copy=False).tocsc()
        positions = _positions(matrix.indptr, free)
        ordinals[positions] = matrix.indices + done
        weights[positions] = matrix.data
        done += len(lengths)
        progress(len(counted.docnos))  # most of the time went to counting
    ordinals.flush()
    weights.flush()


def _positions(batch_starts: Ints, free: Longs) -> Longs:
    """(non-zeros of the batch,) the position of each; advances `free` (terms,) past them."""
    counts = np.diff(batch_starts)
    offsets = np.arange(batch_starts[-1]) - np.repeat(batch_starts[:-1], counts)
    positions: Longs = np.repeat(free, counts) + offsets
    free += counts
    return positions
