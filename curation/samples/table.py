"""The papers of a sample with their screenings as a table: rows, filters and CSV lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from accounts.models import User
from corpus.models import Document
from curation.models import Sample, Screening
from curation.models.samples import HIGHEST_RATING
from curation.samples.report import stratum_name
from curation.screening.results import mean_rating, papers_without_text
from curation.screening.services import RATINGS
from web.tables.columns import Column, Table
from web.tables.filters import Filter, FilterChoice, Test


class PaperRow(NamedTuple):
    """A sampled paper. `hidden` screenings are those that the person must not see yet."""

    position: int
    document: Document
    stratum: str
    screenings: list[Screening]
    hidden: int
    facet_names: Mapping[str, str]

    @property
    def rating(self) -> Fraction | None:
        return mean_rating(self.screenings) if self.screenings else None

    @property
    def text(self) -> str:
        return f"{self.document.docno} {self.document.title}"

    @property
    def lines(self) -> list[PaperLine]:
        """A line for each screening; a paper without any has one without a screening."""
        screenings: list[Screening | None] = [*self.screenings]
        return [PaperLine(self, screening) for screening in screenings or [None]]

    def differ(self, answer: Callable[[Screening], object]) -> bool:
        """Return whether two screenings give different answers."""
        return len({answer(screening) for screening in self.screenings}) > 1


class PaperLine(NamedTuple):
    row: PaperRow
    screening: Screening | None

    @property
    def facets(self) -> str:
        keys = self.screening.facets if self.screening else []
        names = self.row.facet_names
        return ", ".join(name for key, name in names.items() if key in keys)


def _of_screening(read: Callable[[Screening], object]) -> Callable[[PaperLine], object]:
    return lambda line: "" if line.screening is None else read(line.screening)


PAPERS: Table[PaperLine] = Table(
    "sampled-papers",
    [
        Column(
            "paper",
            "Paper",
            {
                "position": lambda line: line.row.position,
                "docno": lambda line: line.row.document.docno,
                "title": lambda line: line.row.document.title,
                "year": lambda line: line.row.document.year,
            },
        ),
        Column("stratum", "Stratum", {"stratum": lambda line: line.row.stratum}),
        Column(
            "screener",
            "Screener",
            {
                "screener": _of_screening(lambda screening: screening.screener.username),
                "screened_at": _of_screening(lambda row: row.screened_at.isoformat()),
            },
        ),
        Column(
            "type",
            "Paper type",
            {"paper_type": _of_screening(lambda screening: screening.paper_type.name)},
        ),
        Column("facets", "Facets", {"facets": lambda line: line.facets}),
        Column("rating", "Rating", {"rating": _of_screening(lambda screening: screening.rating)}),
        Column("reason", "Reason", {"reason": _of_screening(lambda screening: screening.reason)}),
    ],
)


def _rated_at_least(rating: int) -> FilterChoice[Test[PaperRow]]:
    return FilterChoice(
        str(rating),
        f"{rating} or higher" if rating < HIGHEST_RATING else str(rating),
        lambda row: row.rating is not None and row.rating >= rating,
    )


PAPER_FILTERS: list[Filter[Test[PaperRow]]] = [
    Filter(
        "screened",
        "Screened",
        [
            FilterChoice("no", "Not yet", lambda row: not row.screenings and not row.hidden),
            FilterChoice("yes", "Yes", lambda row: bool(row.screenings or row.hidden)),
        ],
    ),
    Filter("rating", "Mean rating", [_rated_at_least(rating) for rating in RATINGS[1:]]),
    Filter(
        "differ",
        "Screeners differ in",
        [
            FilterChoice("type", "type", lambda row: row.differ(lambda each: each.paper_type_id)),
            FilterChoice(
                "facets", "facets", lambda row: row.differ(lambda each: frozenset(each.facets))
            ),
            FilterChoice("rating", "rating", lambda row: row.differ(lambda each: each.rating)),
        ],
    ),
]


def paper_filters(*, has_facets: bool) -> list[Filter[Test[PaperRow]]]:
    if has_facets:
        return PAPER_FILTERS
    return [
        replace(each, choices=[choice for choice in each.choices if choice.value != "facets"])
        for each in PAPER_FILTERS
    ]


def paper_rows(sample: Sample, person: User) -> list[PaperRow]:
    """The papers in the order of screening, with the screenings that the person may see.

    A person who screens the sample sees those of other screeners only for papers that they have
    screened themselves, so that every screening is independent.
    """
    papers = papers_without_text(sample).prefetch_related(
        "screenings__screener", "screenings__paper_type"
    )
    names = dict(sample.collection.facets.exclude(key="").values_list("key", "name"))
    screens_too = person.screenings.filter(paper__sample=sample).exists()
    rows = []
    for paper in papers:
        screenings = sorted(paper.screenings.all(), key=lambda each: each.screener.username)
        is_own = any(each.screener_id == person.pk for each in screenings)
        shown = screenings if is_own or not screens_too else []
        rows.append(
            PaperRow(
                position=paper.position,
                document=paper.document,
                stratum=stratum_name(paper.stratum, sample.strata),
                screenings=shown,
                hidden=len(screenings) - len(shown),
                facet_names=names,
            )
        )
    return rows


def paper_lines(rows: Iterable[PaperRow]) -> Iterator[PaperLine]:
    for row in rows:
        yield from row.lines


def screened_by(rows: Sequence[PaperRow]) -> list[tuple[str, int]]:
    """The number of these papers that each screener has screened, by name."""
    counts = Counter(each.screener.shown_name for row in rows for each in row.screenings)
    return sorted(counts.items())
