"""Reading who cites whom, the query papers and the texts of a sub-corpus. Writes nothing."""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from accounts.models import Collection
from corpus.state import LOOKUP, ROWS, papers_with_queries
from evaluation.corpus_sizes.sub_corpora import WHOLE, Population, Rows
from jobs.context import JobContext
from retrieval.services.query_texts import whole_paper

Longs = NDArray[np.int64]
Mask = NDArray[np.bool_]


class CitingQuery(NamedTuple):
    """A query paper with the docnos that it cites in the corpus: its positives.

    `field` is the first of its fields, or "".
    """

    docno: str
    title: str
    abstract: str
    field: str
    positives: Sequence[str]


class UnmeasuredQueries(NamedTuple):
    """Query papers that are in no sub-corpus, by the reason."""

    topics: int
    without_text: int
    without_citations: int


@dataclass(frozen=True)
class CitationRows:
    """The documents with text as rows, docno ascending, and the populations of the scopes."""

    docnos: Sequence[str]
    pks: Longs
    queries: Sequence[CitingQuery]
    populations: Mapping[str, Population]
    left_out: UnmeasuredQueries

    @property
    def fields(self) -> list[str]:
        """The fields of the queries, by name."""
        return sorted(scope for scope in self.populations if scope != WHOLE)

    def queries_of(self, scope: str) -> list[CitingQuery]:
        return [query for query in self.queries if scope in (WHOLE, query.field)]


def read_citations(collection: Collection, work: JobContext) -> CitationRows:
    """Read every document twice; takes about 200 bytes of memory for each."""
    docnos, pks = _documents(collection)
    row_of = {docno: row for row, docno in enumerate(docnos)}
    queries, left_out = _queries(collection, row_of)
    fields = {query.field for query in queries} - {WHOLE}
    cited = {scope: np.zeros(len(docnos), np.bool_) for scope in (WHOLE, *fields)}
    for field, rows in _references(collection, row_of, fields, work):
        cited[field][rows] = True
    populations = {
        scope: _population(scope, mask, queries, row_of) for scope, mask in cited.items()
    }
    return CitationRows(docnos, pks, queries, populations, left_out)


def _documents(collection: Collection) -> tuple[list[str], Longs]:
    """The docnos of the documents with text, ascending, and their primary keys."""
    rows = collection.documents.with_text().order_by().values_list("docno", "pk")
    docnos: list[str] = []
    pks = array("q")
    for docno, pk in rows.iterator(chunk_size=ROWS):
        docnos.append(docno)
        pks.append(pk)
    order = sorted(range(len(docnos)), key=docnos.__getitem__)
    places = np.array(order, dtype=np.int64)
    return [docnos[place] for place in order], np.array(pks, dtype=np.int64)[places]


def _queries(
    collection: Collection, row_of: Mapping[str, int]
) -> tuple[list[CitingQuery], UnmeasuredQueries]:
    queries = []
    reasons: Counter[str] = Counter()
    for paper in papers_with_queries(collection):
        document = paper.document
        if document is None:
            reasons["topics"] += 1
        elif not document.sentences:
            reasons["without_text"] += 1
        elif not (positives := _cited(document.docno, document.references, row_of)):
            reasons["without_citations"] += 1
        else:
            text = whole_paper(paper)
            field = text.fields[0] if text.fields else WHOLE
            queries.append(CitingQuery(text.docno, text.title, text.abstract, field, positives))
    return queries, UnmeasuredQueries(*(reasons[name] for name in UnmeasuredQueries._fields))


def _cited(docno: str, references: Iterable[str], row_of: Mapping[str, int]) -> list[str]:
    """The references with text in the corpus, without the paper itself."""
    return [cited for cited in dict.fromkeys(references) if cited in row_of and cited != docno]


def _references(
    collection: Collection, row_of: Mapping[str, int], fields: set[str], work: JobContext
) -> Iterator[tuple[str, list[int]]]:
    """Yield each scope of a paper with the rows that it cites."""
    papers = collection.documents.order_by().values_list("docno", "fields", "references")
    for done, (docno, paper_fields, references) in enumerate(papers.iterator(chunk_size=ROWS)):
        if done % ROWS == 0:
            work.progress(done, None, "papers read")
        rows = [row_of[cited] for cited in references if cited in row_of and cited != docno]
        if rows:
            yield WHOLE, rows
            if paper_fields and paper_fields[0] in fields:
                yield paper_fields[0], rows


def _population(
    scope: str, mask: Mask, queries: Iterable[CitingQuery], row_of: Mapping[str, int]
) -> Population:
    cited = np.zeros(len(mask), np.bool_)
    for query in queries:
        if scope in (WHOLE, query.field):
            cited[[row_of[docno] for docno in query.positives]] = True
    return Population(_rows(cited), _rows(mask & ~cited))


def _rows(mask: Mask) -> Rows:
    return np.flatnonzero(mask).astype(np.int32)


def write_texts(collection: Collection, pks: Longs, path: Path, work: JobContext) -> None:
    """Write the documents with these primary keys as lines of JSON: docno, title, abstract."""
    documents = collection.documents.order_by().values_list("docno", "title", "sentences")
    ordered = np.sort(pks)
    with path.open("w", encoding="utf-8") as stream:
        for first in range(0, len(ordered), LOOKUP):
            work.check()
            batch = ordered[first : first + LOOKUP].tolist()
            for docno, title, sentences in documents.filter(pk__in=batch):
                stream.write(json.dumps([docno, title, " ".join(sentences)]) + "\n")
