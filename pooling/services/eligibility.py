"""The documents that may be drawn for a query paper if the plan sets `only`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from operator import itemgetter
from typing import Any

from django.db.models import QuerySet

from accounts.models import Collection
from corpus.models import Document, QueryPaper
from corpus.state import LOOKUP, ROWS
from pooling.services.plans import PoolPlan
from retrieval.formats import Scored, docnos_of
from retrieval.retrievers import CorpusMetadata, Requirements, build_corpus_metadata
from retrieval.services.query_texts import whole_paper

Fact = tuple[str, int | None, tuple[str, ...]]  # docno, year, fields
FactRows = QuerySet[Document, Any]


@dataclass(frozen=True)
class Eligible:
    """Year and fields of the corpus, read once: some 200 bytes a document.

    Reading the documents of each list instead would take a query per query paper. The rule is the
    one of the retrievers that read no text.
    """

    papers: CorpusMetadata
    positions: Mapping[str, int]  # by docno, the index in `papers`
    requirements: Requirements

    @classmethod
    def for_plan(
        cls, collection: Collection, plan: PoolPlan, docnos: Iterable[str] | None = None
    ) -> Eligible | None:
        """Of the whole corpus, or of these documents. None, and nothing read, without `only`."""
        if not plan.only:
            return None
        rows = collection.documents.order_by().values_list("docno", "year", "fields")
        parts = [rows] if docnos is None else _in_parts(rows, docnos)
        papers = build_corpus_metadata(_facts(parts), lambda _: None)
        positions = {docno: position for position, docno in enumerate(papers.docnos)}
        return cls(papers, positions, plan.requirements)

    def ineligible(self, paper: QueryPaper, rankings: Mapping[str, Sequence[Scored]]) -> set[str]:
        """The docnos in the lists that may not be drawn for the query paper."""
        mask = self.papers.eligible(whole_paper(paper), self.requirements)
        flags = mask.tobytes()  # one byte each; indexing is several times faster than the array's
        listed_docnos = set(chain.from_iterable(map(docnos_of, rankings.values())))
        return {docno for docno in listed_docnos if not self._is_eligible(docno, flags)}

    def _is_eligible(self, docno: str, flags: bytes) -> bool:
        position = self.positions.get(docno)
        return position is not None and bool(flags[position])


def _facts(parts: Iterable[FactRows]) -> list[Fact]:
    """By docno descending. Equal fields share one tuple, to save memory."""
    field_tuples: dict[tuple[str, ...], tuple[str, ...]] = {}
    facts = [
        (docno, year, field_tuples.setdefault(tuple(fields), tuple(fields)))
        for rows in parts
        for docno, year, fields in rows.iterator(chunk_size=ROWS)
    ]
    return sorted(facts, key=itemgetter(0), reverse=True)


def _in_parts(rows: FactRows, docnos: Iterable[str]) -> Iterator[FactRows]:
    """The rows of these documents, some hundreds a query."""
    remaining_docnos = iter(sorted(docnos))
    while part := list(islice(remaining_docnos, LOOKUP)):
        yield rows.filter(docno__in=part)
