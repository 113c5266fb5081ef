"""Which documents may be drawn for a query paper if the plan sets `only`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter

from accounts.models import Collection
from corpus.models import QueryPaper
from corpus.state import ROWS
from pooling.services.plans import PoolPlan
from retrieval.formats import Scored, docnos_of
from retrieval.retrievers import CorpusMetadata, Requirements, build_corpus_metadata
from retrieval.services.query_texts import whole_paper


@dataclass(frozen=True)
class Eligible:
    """Year and fields of the whole corpus, read once: some 200 bytes a document.

    Reading the documents of each list instead would take a query per query paper. The rule is the
    one of the retrievers that read no text.
    """

    papers: CorpusMetadata
    positions: Mapping[str, int]  # by docno, the index in `papers`
    requirements: Requirements

    @classmethod
    def for_plan(cls, collection: Collection, plan: PoolPlan) -> Eligible | None:
        """None if the plan sets no `only`; then nothing is read."""
        if not plan.only:
            return None
        papers = build_corpus_metadata(_facts(collection), lambda _: None)
        positions = {docno: position for position, docno in enumerate(papers.docnos)}
        return cls(papers, positions, plan.requirements)

    def ineligible(self, paper: QueryPaper, rankings: Mapping[str, Sequence[Scored]]) -> set[str]:
        """The docnos in the lists that may not be drawn for the query paper."""
        mask = self.papers.eligible(whole_paper(paper.document), self.requirements)
        flags = mask.tobytes()  # one byte each; indexing is several times faster than the array's
        listed_docnos = set(chain.from_iterable(map(docnos_of, rankings.values())))
        return {docno for docno in listed_docnos if not self._is_eligible(docno, flags)}

    def _is_eligible(self, docno: str, flags: bytes) -> bool:
        position = self.positions.get(docno)
        return position is not None and bool(flags[position])


def _facts(collection: Collection) -> list[tuple[str, int | None, tuple[str, ...]]]:
    """(docno, year, fields), by docno descending. Equal fields share one tuple, to save memory."""
    field_tuples: dict[tuple[str, ...], tuple[str, ...]] = {}
    rows = collection.documents.order_by().values_list("docno", "year", "fields")
    facts = [
        (docno, year, field_tuples.setdefault(tuple(fields), tuple(fields)))
        for docno, year, fields in rows.iterator(chunk_size=ROWS)
    ]
    return sorted(facts, key=itemgetter(0), reverse=True)
