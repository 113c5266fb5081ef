"""The candidates of a query: their rows, filters, sorts and columns.

A pool is read as a whole, so that the rows are filtered and sorted in memory. A page shows 50.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from django.urls import reverse

from accounts.models import Collection
from adjudication.pair_details import PairDetails, pair_details
from annotation.models import Pair
from corpus.models import Query
from dashboard.pair_columns import GRADE_COLUMNS, GradedRow
from database.natural_order import natural_key
from pooling.models import Contribution, ExclusionReason, Pool
from web.tables.columns import Column, Table
from web.tables.filters import Filter, FilterChoice, Test


class Found(NamedTuple):
    """A source that has the candidate. `rank` is None for sources without ranks."""

    source: str
    rank: int | None
    score: float | None
    drawn: bool = False


@dataclass(frozen=True)
class CandidateRow(GradedRow):
    """A candidate with its sources, and its grades once both judges gave theirs."""

    pk: int
    position: int
    docno: str
    title: str
    excluded: str
    inclusion: float | None  # the probability of a sampled document
    found: tuple[Found, ...]
    pair: PairDetails | None
    # Of the rows that a page shows only:
    rank: int | None = None
    others: tuple[Found, ...] = ()

    @property
    def drawer(self) -> Found | None:
        return next((found for found in self.found if found.drawn), None)

    @property
    def standing(self) -> str:
        return self.standing_unless(self.excluded)

    @property
    def text(self) -> str:
        sources = " ".join(found.source for found in self.found)
        return f"{self.docno} {self.title} {self.excluded} {sources}"

    def rank_by(self, source: str) -> int | None:
        """Its rank by the source; without a name, by the source that drew it."""
        if not source:
            return self.drawer.rank if self.drawer else None
        return next((found.rank for found in self.found if found.source == source), None)


def candidate_rows(pool: Pool, query: Query | None) -> list[CandidateRow]:
    """All candidates in the order they were drawn, in four database queries.

    Without a query they have no grades.
    """
    found: dict[int, list[Found]] = defaultdict(list)
    contributions = Contribution.objects.filter(candidate__pool=pool).order_by("-drawn", "source")
    for candidate, source, rank, score, drawn in contributions.values_list(
        "candidate", "source", "rank", "score", "drawn"
    ):
        found[candidate].append(Found(source, rank, score, drawn))
    pairs = Pair.objects.filter(query=query) if query else Pair.objects.none()
    details = {pair.candidate: pair for pair in pair_details(pairs)}
    labels = dict(ExclusionReason.choices)
    rows = pool.candidates.order_by("position").values_list(
        "pk", "position", "document__docno", "document__title", "excluded", "inclusion"
    )
    return [
        CandidateRow(
            *(pk, position, docno, title, labels.get(excluded, excluded), inclusion),
            found=tuple(found[pk]),
            pair=details.get(pk),
        )
        for pk, position, docno, title, excluded, inclusion in rows
    ]


def candidate_sorts(source: str) -> dict[str, Callable[[CandidateRow], Any]]:
    """By column; "rank" is that by the source."""
    return {
        "position": lambda row: row.position,
        "title": lambda row: row.title.casefold() or None,
        "docno": lambda row: natural_key(row.docno),
        "slot1": lambda row: row.slot(1),
        "slot2": lambda row: row.slot(2),
        "final": lambda row: row.final,
        "rank": lambda row: row.rank_by(source),
        "sources": lambda row: len(row.found),
        "inclusion": lambda row: row.inclusion,
    }


def candidate_filters(
    collection: Collection, rows: Iterable[CandidateRow], *, judged: bool
) -> list[Filter[Test[CandidateRow]]]:
    """By grades, if the query is open; by what is not judged; by source."""
    rows = list(rows)
    sources = sorted({found.source for row in rows for found in row.found})
    return [
        Filter("grades", "Grades", _by_grades(collection.relevant_from) if judged else []),
        Filter(
            "excluded",
            "State",
            [FilterChoice[Test[CandidateRow]]("yes", "Not judged", lambda row: bool(row.excluded))]
            if any(row.excluded for row in rows)
            else [],
        ),
        Filter(
            "source",
            "Found by",
            [FilterChoice(source, source, partial(_is_found_by, source)) for source in sources],
        ),
    ]


def _by_grades(relevant_from: int) -> list[FilterChoice[Test[CandidateRow]]]:
    return [
        FilterChoice("relevant", "Relevant", lambda row: (row.final or -1) >= relevant_from),
        FilterChoice("differ", "Judges differ", lambda row: bool(row.pair and row.pair.differs)),
        FilterChoice(
            "undecided",
            "Undecided",
            lambda row: row.standing in ("unjudged", "due"),
        ),
    ]


def _is_found_by(source: str, row: CandidateRow) -> bool:
    return any(found.source == source for found in row.found)


CANDIDATES: Table[CandidateRow] = Table(
    "candidates",
    [
        Column(
            "title",
            "Title",
            {
                "docno": lambda row: row.docno,
                "title": lambda row: row.title,
                "not_judged": lambda row: row.excluded,
            },
        ),
        *GRADE_COLUMNS,
        Column("position", "Drawn", {"position": lambda row: row.position}),
        Column(
            "rank",
            "Rank",
            {
                "drawn_by": lambda row: row.drawer.source if row.drawer else "",
                "rank": lambda row: row.rank_by(""),
            },
        ),
        Column("sources", "Sources", {"sources": lambda row: len(row.found)}),
        Column("inclusion", "Probability, of samples", {"inclusion": lambda row: row.inclusion}),
        Column(
            "found",
            "Found by",
            {
                "also_found_by": lambda row: " ".join(
                    found.source for found in row.found if not found.drawn
                ),
                "ranks": lambda row: " ".join(
                    f"{found.source}:{found.rank}" for found in row.found if found.rank
                ),
            },
        ),
    ],
)
JUDGED_COLUMNS = frozenset(column.key for column in GRADE_COLUMNS)


def shown_rows(
    collection: Collection, query: Query | None, rows: Sequence[CandidateRow], source: str
) -> list[CandidateRow]:
    """The rows of a page, with their ranks by the source, and by systems that are none of the pool.

    Two database queries.
    """
    others: dict[str, list[Found]] = defaultdict(list)
    if query is not None:
        sources = {found.source for row in rows for found in row.found}
        wanted = {row.docno for row in rows}
        for system, docnos in _other_lists(collection, query, sources):
            for rank, docno in enumerate(docnos, start=1):
                if docno in wanted:
                    others[docno].append(Found(system, rank, None))
    return [replace(row, rank=row.rank_by(source), others=tuple(others[row.docno])) for row in rows]


def systems_with_pages(collection: Collection) -> dict[str, str]:
    """The addresses of the runs and systems by name: a source that is one of them is a link."""
    runs = collection.runs.order_by().values_list("name", flat=True)
    systems = collection.systems.order_by().values_list("name", flat=True)
    return {name: reverse("system", args=[collection.slug, name]) for name in {*runs, *systems}}


def _other_lists(
    collection: Collection, query: Query, sources: set[str]
) -> list[tuple[str, list[str]]]:
    runs = collection.runs.exclude(name__in=sources).filter(rankings__query_paper=query.query_paper)
    of_runs = runs.values_list("name", "parameters__facet", "rankings__docnos")
    of_files = query.system_rankings.exclude(system__name__in=sources)
    return sorted(
        [(name, docnos) for name, facet, docnos in of_runs if facet in (None, query.facet.key)]
        + list(of_files.order_by().values_list("system__name", "docnos"))
    )
