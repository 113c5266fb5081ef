"""The table of the page about one pool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from django.db.models import F, Prefetch

from corpus.models import QueryPaper
from database.natural_order import natural_key
from pooling.models import Candidate, Contribution, Pool


@dataclass(frozen=True)
class CandidateRow:
    """A candidate with all its sources."""

    position: int
    docno: str
    title: str
    year: int | None
    excluded: str
    inclusion: float | None  # the probability of a sampled document
    drawer: Contribution | None
    others: list[Contribution]

    @property
    def sources(self) -> int:
        return len(self.others) + (self.drawer is not None)

    @property
    def text(self) -> str:
        contributions = [*self.others, *([self.drawer] if self.drawer else [])]
        sources = [contribution.source for contribution in contributions]
        return " ".join([self.docno, self.title, self.excluded, *sources])


CANDIDATE_SORTS: dict[str, Callable[[CandidateRow], Any]] = {
    "position": attrgetter("position"),
    "docno": lambda row: natural_key(row.docno),
    "title": lambda row: row.title.casefold() or None,
    "drawer": lambda row: (row.drawer.source, row.drawer.rank or 0) if row.drawer else None,
    "rank": lambda row: row.drawer.rank if row.drawer else None,
    "sources": attrgetter("sources"),
    "inclusion": attrgetter("inclusion"),
}


def candidate_rows(pool: Pool) -> list[CandidateRow]:
    candidates = (
        pool.candidates.select_related("document")
        .defer("document__sentences", "document__labels", "document__references")
        .prefetch_related(
            Prefetch(
                "contributions", Contribution.objects.order_by(F("rank").asc(nulls_first=True))
            )
        )
        .order_by("position")
    )
    return [_candidate_row(candidate) for candidate in candidates]


def _candidate_row(candidate: Candidate) -> CandidateRow:
    contributions = list(candidate.contributions.all())
    return CandidateRow(
        position=candidate.position,
        docno=candidate.document.docno,
        title=candidate.document.title,
        year=candidate.document.year,
        excluded=candidate.exclusion_label,
        inclusion=candidate.inclusion,
        drawer=next((source for source in contributions if source.drawn), None),
        others=[source for source in contributions if not source.drawn],
    )


def neighbours(paper: QueryPaper) -> tuple[str | None, str | None]:
    """The names of the query papers before and after this one that have a pool."""
    docnos = paper.collection.query_papers.filter(pool__isnull=False).values_list("name", flat=True)
    place, column = natural_key(paper.name), "name_order"
    before = docnos.filter(**{f"{column}__lt": place}).order_by(f"-{column}")
    after = docnos.filter(**{f"{column}__gt": place}).order_by(column)
    return before.first(), after.first()
