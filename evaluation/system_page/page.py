"""Everything that the page of a system shows, read for one system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from django.http import QueryDict

from accounts.models import Collection
from adjudication.labels import labelled_pairs
from adjudication.retriever_yield import Yield
from annotation.models import Pair
from evaluation.choices import kept_choices
from evaluation.error_browser.services import TypeCount, type_counts
from evaluation.gaps.cost import GapCosts
from evaluation.gaps.stored import stored_gaps, stored_line
from evaluation.gaps.tables import GapLine
from evaluation.leaderboard.rows import (
    LeaderboardLine,
    LeaderboardPlace,
    ScoredBoard,
    SystemSummary,
    omissions_of,
)
from evaluation.leaderboard.selection import LeaderboardSelection, MeasureHead, Select
from evaluation.system_page.query_values import QueryValues, query_values
from evaluation.unique_finds import UniqueFind, UniqueFindsReport
from planning.yields.report import ShownYields, shown_yields
from pooling.preview import Cost
from reports.models import StoredReport
from reports.services import changed_since, stored_report
from retrieval.run_rows import RunRow
from scoring.measures.scopes import Scope
from scoring.models import SystemKind
from scoring.score_tables import ALL, MeansRow
from scoring.services import out_of_date
from scoring.systems.named import NamedSystem
from scoring.systems.services import import_summary

CUTOFFS = (10, 20, 100)
MOST_FINDS = 20


class FacetHead(NamedTuple):
    caption: str
    queries: int
    url: str
    current: bool


class ScoreCell(NamedTuple):
    """Fractions; None where they are undefined."""

    value: float | None
    interval: tuple[float, float] | None


class MeasureLine(NamedTuple):
    head: MeasureHead
    cells: list[ScoreCell]


class Finds(NamedTuple):
    """Documents near the top of only this system's lists, each with its title."""

    relevant: int
    unique: int
    all_relevant: int
    rows: list[tuple[UniqueFind, str]]
    changed: str


@dataclass(frozen=True)
class SystemPage:
    """A system, scored or not, with the choices of the address."""

    collection: Collection
    named: NamedSystem
    choice: LeaderboardSelection
    asked_other: str

    @classmethod
    def of(cls, collection: Collection, named: NamedSystem, parameters: QueryDict) -> SystemPage:
        choice = LeaderboardSelection.of(collection, parameters)
        return cls(collection, named, choice, parameters.get("other", ""))

    # What it is

    @cached_property
    def lists(self) -> int:
        if self.named.run:
            return self.named.run.rankings.count()
        return self.named.system.rankings.count() if self.named.system else 0

    @cached_property
    def run_row(self) -> RunRow | None:
        return RunRow(self.named.run, self.lists) if self.named.run else None

    @property
    def digest(self) -> str:
        if self.named.run:
            return self.named.run.sha256
        return self.named.system.sha256 if self.named.system else ""

    @property
    def parameters(self) -> Mapping[str, Any]:
        if self.run_row:
            return self.run_row.parameters
        parameters = self.named.system.parameters if self.named.system else {}
        return {name: value for name, value in parameters.items() if name != "files"}

    @property
    def import_summary(self) -> str:
        system = self.named.system
        is_file = system is not None and system.kind == SystemKind.FILE
        return import_summary(system.report) if system and is_file and system.report else ""

    @property
    def unknown_ids(self) -> list[str]:
        report = self.named.system.report if self.named.system else {}
        return [*report.get("unknown_topic_examples", ()), *report.get("unknown_documents", ())]

    @property
    def without_text(self) -> int:
        """Documents that a baseline could not compare."""
        return int(self.named.system.report.get("without_text", 0)) if self.named.system else 0

    @cached_property
    def is_out_of_date(self) -> bool:
        late = out_of_date(self.collection, self.choice.source)
        return self.named.system in late

    # Its scores

    @cached_property
    def board(self) -> ScoredBoard:
        return ScoredBoard.of(self.collection, self.choice.profile, self.choice.source)

    @cached_property
    def lines(self) -> list[LeaderboardLine]:
        return self.board.lines(self.choice.place, self.choice.measure)

    @cached_property
    def line(self) -> LeaderboardLine | None:
        """Its line of the leaderboard, which it may share with its repetitions."""
        name = self.named.name
        return next(
            (line for line in self.lines if name == line.name or name in line.repetitions), None
        )

    @cached_property
    def summary(self) -> SystemSummary | None:
        return next((each for each in self.board.systems if each.name == self.named.name), None)

    @property
    def row(self) -> MeansRow | None:
        return self.summary.rows.get(self.choice.place) if self.summary else None

    @property
    def value(self) -> float | None:
        return self.row.measures.get(self.choice.measure) if self.row else None

    @property
    def interval(self) -> tuple[float, float] | None:
        return self.row.intervals.get(self.choice.measure) if self.row else None

    @cached_property
    def omissions(self) -> list[str]:
        """Notes on what the means of this system do not cover, or count as 0."""
        return omissions_of(self.row, self.choice.profile.scope) if self.row else []

    @cached_property
    def _facet_rows(self) -> list[tuple[str, MeansRow]]:
        if self.summary is None:
            return []
        return [
            (facet, row)
            for facet in self.choice.values_of("facet")
            if (row := self.summary.rows.get(self.choice.place._replace(facet=facet)))
        ]

    @cached_property
    def heads(self) -> list[FacetHead]:
        return [
            FacetHead(
                self.choice.facet_name(facet),
                row.queries,
                self.choice.address(facet=facet, **self._kept),
                facet == self.choice.place.facet,
            )
            for facet, row in self._facet_rows
        ]

    @cached_property
    def score_lines(self) -> list[MeasureLine]:
        return [
            MeasureLine(
                head,
                [
                    ScoreCell(row.measures.get(head.name), row.intervals.get(head.name))
                    for _, row in self._facet_rows
                ],
            )
            for head in self.choice.measures(**self._kept)
        ]

    @cached_property
    def unjudged(self) -> list[tuple[int, float]]:
        """The share of documents without a label among the first k of its open lists."""
        place = LeaderboardPlace(self.choice.place.facet, self.choice.place.split)
        summary = next(
            (each for each in self.board.open_lists if each.name == self.named.name), None
        )
        row = summary.rows.get(place) if summary else None
        if row is None:
            return []
        judged = [(cutoff, row.measures.get(f"Judged@{cutoff}")) for cutoff in CUTOFFS]
        return [(cutoff, 1 - share) for cutoff, share in judged if share is not None]

    # What its unjudged documents could change

    @cached_property
    def gaps(self) -> StoredReport | None:
        """The report on the gaps of all systems, without its payload."""
        return stored_gaps(self.collection)

    @cached_property
    def gap_measure(self) -> str:
        """The chosen measure, or the first one of open lists if it is of closed lists."""
        known = self.gaps.summary["measures"] if self.gaps else [""]
        is_open = self.choice.profile.scope is Scope.OPEN
        return self.choice.measure if is_open and self.choice.measure in known else known[0]

    @cached_property
    def gap(self) -> GapLine | None:
        """Over the queries of the chosen facet; None until the report has this system."""
        if self.gaps is None:
            return None
        return stored_line(self.gaps, self.named.name, self.choice.place.facet, self.gap_measure)

    @property
    def gap_changed(self) -> str:
        return changed_since(self.gaps) if self.gaps else ""

    @property
    def gap_cost(self) -> Cost:
        pairs = (self.gap and self.gap.unjudged) or 0
        return GapCosts.of(self.collection, QueryDict()).of_pairs(pairs)

    # Beside another system

    @cached_property
    def other(self) -> str:
        """The system of the address, or else the best other one; "" if there is none."""
        names = self.other_names
        if self.asked_other in names:
            return self.asked_other
        return next(iter(names), "")

    @cached_property
    def other_names(self) -> list[str]:
        """The other scored systems, the best first."""
        names = [name for line in self.lines for name in (line.repetitions or (line.name,))]
        return [name for name in names if name != self.named.name]

    @property
    def _kept(self) -> dict[str, str]:
        return {"other": self.asked_other} if self.asked_other else {}

    @cached_property
    def selects(self) -> list[Select]:
        others = [(name, name) for name in self.other_names]
        beside = [Select("other", "Beside", others, self.other)] if others else []
        return [*self.choice.selects(self.collection), *beside]

    @cached_property
    def queries(self) -> QueryValues:
        return query_values(self.collection, self.choice, system=self.named.name, other=self.other)

    @property
    def comparison_parameters(self) -> dict[str, str]:
        """Those of the page *Compare*, which draws the same figure as a file."""
        sides = {"first": self.other, "second": self.named.name}
        return sides | kept_choices(self.choice.parameters | {"split": ALL})

    # What only it found, and its errors

    @cached_property
    def pool_yield(self) -> Yield | None:
        """Its share of the pools, as the stored report counts it."""
        rows: Sequence[Yield] = self._yields.rows if self._yields else ()
        return next((row for row in rows if row.source == self.named.name), None)

    @property
    def pool_yield_changed(self) -> bool:
        return self._yields is not None and not self._yields.is_current

    @cached_property
    def _yields(self) -> ShownYields | None:
        return shown_yields(self.collection)

    @cached_property
    def finds(self) -> Finds | None:
        """None until they were computed with this system."""
        report = stored_report(UniqueFindsReport(), self.collection)
        if report is None or (stored := report.payload["systems"].get(self.named.name)) is None:
            return None
        rows = [UniqueFind(*row) for row in stored["finds"]][:MOST_FINDS]
        return Finds(
            stored["relevant"],
            stored["unique"],
            report.payload["relevant"],
            self._with_present_labels(rows),
            changed_since(report),
        )

    def _with_present_labels(self, rows: Sequence[UniqueFind]) -> list[tuple[UniqueFind, str]]:
        """The rows whose label is final now, with it, because a pair can be opened again."""
        pairs = Pair.objects.filter(
            query__name__in={row.query for row in rows},
            candidate__document__docno__in={row.docno for row in rows},
        )
        final = {
            (pair.query, pair.docno): pair.final
            for pair in labelled_pairs(self.collection, pairs)
            if pair.final is not None
        }
        documents = self.collection.documents.filter(docno__in={row.docno for row in rows})
        titles = dict(documents.order_by().values_list("docno", "title"))
        return [
            (row._replace(grade=grade), titles.get(row.docno, ""))
            for row in rows
            if (grade := final.get((row.query, row.docno))) is not None
            and grade >= self.collection.relevant_from
        ]

    @cached_property
    def error_types(self) -> list[TypeCount]:
        return type_counts(self.collection, self.named.name)
