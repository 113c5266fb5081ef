"""Which documents may be drawn for a query paper, where a plan asks for a field or a year."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from accounts.models import Collection
from corpus.models import QueryPaper
from pooling.formats import Scored, docnos_of
from pooling.retrievers import Papers, Requirements, gather_papers
from pooling.services.asking import whole_paper
from pooling.services.corpus import ROWS
from pooling.services.plan import PoolPlan


@dataclass(frozen=True)
class Eligible:
    """Year and fields of the whole corpus, read once: some 200 bytes a document.

    Looking up what is in the lists instead would be thousands of questions where there are
    thousands of query papers. The rule is that of the retrievers that read no text.
    """

    papers: Papers
    places: Mapping[str, int]  # of every docno, its ordinal
    required: Requirements

    @classmethod
    def for_plan(cls, collection: Collection, plan: PoolPlan) -> Eligible | None:
        """None where the plan asks nothing of documents, and then nothing is read."""
        if not plan.only:
            return None
        papers = gather_papers(_facts(collection), lambda _: None)
        places = {docno: place for place, docno in enumerate(papers.docnos)}
        return cls(papers, places, plan.required)

    def others(self, paper: QueryPaper, rankings: Mapping[str, Sequence[Scored]]) -> set[str]:
        """The docnos in the lists that may not be drawn for the query paper."""
        mask = self.papers.eligible(whole_paper(paper.document), self.required)
        may = mask.tobytes()  # a byte each, several times as fast to look into as the array
        listed = set(chain.from_iterable(map(docnos_of, rankings.values())))
        return {docno for docno in listed if not self._is_in(docno, may)}

    def _is_in(self, docno: str, may: bytes) -> bool:
        place = self.places.get(docno)
        return place is not None and bool(may[place])


def _facts(collection: Collection) -> list[tuple[str, int | None, tuple[str, ...]]]:
    """By docno descending. Most documents share their fields with many others: kept once."""
    kept: dict[tuple[str, ...], tuple[str, ...]] = {}
    rows = collection.documents.order_by().values_list("docno", "year", "fields")
    facts = [
        (docno, year, kept.setdefault(tuple(fields), tuple(fields)))
        for docno, year, fields in rows.iterator(chunk_size=ROWS)
    ]
    return sorted(facts, key=lambda one: one[0], reverse=True)
