"""The tables, figures and file of the page on self-consistency and drift. Nothing here computes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from accounts.models import User
from agreement.consistency.advice import (
    advice_of,
    between,
    number,
    percent,
    percent_interval,
)
from agreement.consistency.estimates import EstimatedValue
from web.figure_panels import Interval, gutter_for, intervals
from web.figures import Figure, Panel
from web.tables.columns import Column, Table
from web.words import count_noun

MOST_DRAWN = 30  # rows of a panel
EVERYBODY = "All annotators"
MOST_NAME = 160  # pixels of an annotator's name
NAN = math.nan


@dataclass(frozen=True)
class ShownEstimate:
    """An estimate as a table shows it. `exact` is its title, with the reason if it has none."""

    estimate: EstimatedValue
    text: str
    interval: str

    @property
    def exact(self) -> str:
        if self.estimate.value is None:
            return self.estimate.undefined
        return f"{self.estimate.value}, n = {self.estimate.n}"


def in_numbers(row: Mapping[str, Any]) -> ShownEstimate:
    estimate = EstimatedValue.of(dict(row))
    return ShownEstimate(estimate, number(estimate.value), between(estimate))


def in_percent(row: Mapping[str, Any]) -> ShownEstimate:
    estimate = EstimatedValue.of(dict(row))
    return ShownEstimate(estimate, percent(estimate.value), percent_interval(estimate))


@dataclass(frozen=True)
class ConsistencyLine:
    """The numbers of an annotator, or of all: then `user` is None."""

    user: User | None
    row: Mapping[str, Any]

    @property
    def name(self) -> str:
        return self.user.shown_name if self.user else EVERYBODY

    @property
    def advice(self) -> list[str]:
        return advice_of(self.row["drift"], self.row["consistency"])

    @property
    def repeats(self) -> int:
        return int(self.row["consistency"]["repeats"])

    @property
    def same(self) -> ShownEstimate:
        return in_percent(self.row["consistency"]["same"])

    @property
    def repeated(self) -> list[ShownEstimate]:
        names = ("kappa_quadratic", "alpha", "difference", "direction")
        return [in_numbers(self.row["consistency"][name]) for name in names]

    @property
    def answers(self) -> int:
        return int(self.row["drift"]["answers"])

    @property
    def sittings(self) -> int:
        return int(self.row["drift"]["sittings"])

    @property
    def grades(self) -> list[ShownEstimate]:
        names = ("change", "spearman", "query_thirds")
        return [
            *(in_numbers(self.row["drift"][name]) for name in names),
            in_percent(self.row["drift"]["agreement"]),
        ]

    @property
    def thirds(self) -> str:
        """The mean grades of the first and the last third of the whole work."""
        thirds = self.row["drift"]["whole_thirds"]
        return f"{number(thirds['first'])} → {number(thirds['last'])}"

    @property
    def seconds(self) -> str:
        seconds = self.row["drift"]["seconds"]
        return "–" if seconds is None else f"{seconds:.1f}"

    @property
    def speed(self) -> list[ShownEstimate]:
        drift = self.row["drift"]
        return [in_numbers(drift["seconds_spearman"]), in_percent(drift["quick"])]


@dataclass(frozen=True)
class DistanceLine:
    """The share of same grades of the repeats at some distances."""

    row: Mapping[str, Any]

    @property
    def distances(self) -> str:
        low, high = self.row["from"], self.row["to"]
        return f"{low} or more" if high is None else f"{low} to {high}"

    @property
    def same(self) -> ShownEstimate:
        return in_percent(self.row)


@dataclass(frozen=True)
class RoundDriftLine:
    """The grades of old pairs among those of a pool round, against the judgments that stood."""

    number: int
    judges: str
    row: Mapping[str, Any]

    @property
    def pairs(self) -> int:
        return int(self.row["repeats"])

    @property
    def same(self) -> ShownEstimate:
        return in_percent(self.row["same"])

    @property
    def values(self) -> list[ShownEstimate]:
        names = ("kappa_quadratic", "alpha", "difference", "direction")
        return [in_numbers(self.row[name]) for name in names]


JUDGES = {
    "all": "all judges",
    "same_judges": "same judge twice",
    "other_judges": "another judge",
}


@dataclass(frozen=True)
class ConsistencyPage:
    """A report and the people in it, by id."""

    payload: Mapping[str, Any]
    people: Mapping[int, User]

    @property
    def overall(self) -> ConsistencyLine:
        return ConsistencyLine(None, self.payload["overall"])

    @property
    def lines(self) -> list[ConsistencyLine]:
        """The lines of annotators, by name."""
        found = [
            ConsistencyLine(self.people[row["annotator"]], row)
            for row in self.payload["annotators"]
            if row["annotator"] in self.people
        ]
        return sorted(found, key=lambda line: line.name.lower())

    @property
    def all_lines(self) -> list[ConsistencyLine]:
        return [self.overall, *self.lines]

    @property
    def pool_rounds(self) -> list[RoundDriftLine]:
        """By pool round, then by who gave the two grades; without lines of no pair."""
        lines = [
            RoundDriftLine(row["round"], name, row[key])
            for row in self.payload.get("pool_rounds", [])
            for key, name in JUDGES.items()
        ]
        return [line for line in lines if line.pairs]

    @property
    def distances(self) -> list[DistanceLine]:
        return [DistanceLine(row) for row in self.payload["overall"]["consistency"]["distances"]]

    @property
    def figures(self) -> list[Figure]:
        return [figure for figure in (self._repeats(), self._sitting()) if figure.panels]

    def _repeats(self) -> Figure:
        lines = [line for line in self.all_lines if line.repeats]
        rows = [
            (line.name, same.n, same.value, *(same.interval or (None, None)))
            for line in lines
            for same in [line.same.estimate]
        ]
        drawn = [
            _interval(line.name, line.same.estimate, is_sure=line.user is None)
            for line in lines[:MOST_DRAWN]
        ]
        of = count_noun(self.overall.repeats, "repeat")
        finding = f"Same grade of {of}: {'; '.join(row.text for row in drawn)}."
        return Figure(
            name="self-consistency",
            title="Share of repeats with the same grade",
            note="With 95 % intervals (Wilson).",
            panels=[_panel(f"Same grade, {of}", finding, drawn, (0, 1))] if lines else [],
            head=("annotator", "repeats", "share", "low", "high"),
            rows=rows,
        )

    def _sitting(self) -> Figure:
        steps = self.payload["overall"]["drift"]["steps"]
        estimates = [
            (f"{step['from']}–{step['to']}", EstimatedValue.of(step["grade"])) for step in steps
        ]
        known = [(name, estimate) for name, estimate in estimates if estimate.value is not None]
        drawn = [_interval(name, estimate) for name, estimate in known[:MOST_DRAWN]]
        ends = [end for row in drawn for end in row[1:4] if not math.isnan(end)]
        most = max((abs(end) for end in ends), default=0)
        finding = f"Difference from the mean of the query: {'; '.join(row.text for row in drawn)}."
        panel = _panel("Answers of a sitting", finding, drawn, (-most, most))
        return Figure(
            name="sitting",
            title="Grades by their place in the sitting",
            note="The mean of the grades minus the person’s mean in the same query, of all "
            "annotators, with 95 % intervals. Above 0, grades are higher than usual.",
            panels=[panel] if drawn and most else [],
            head=("answers", "grades", "difference", "low", "high", "median seconds"),
            rows=[
                (
                    name,
                    estimate.n,
                    estimate.value,
                    *(estimate.interval or (None, None)),
                    step["seconds"],
                )
                for (name, estimate), step in zip(estimates, steps, strict=True)
            ],
        )


def _panel(title: str, finding: str, rows: Sequence[Interval], ends: tuple[float, float]) -> Panel:
    gutter = gutter_for([row.name for row in rows], MOST_NAME)
    return intervals(title, finding, rows, *ends, gutter)


def _interval(name: str, estimate: EstimatedValue, *, is_sure: bool = True) -> Interval:
    value = NAN if estimate.value is None else estimate.value
    low, high = estimate.interval or (NAN, NAN)
    return Interval(name, low, value, high, is_sure)


def page_of(payload: Mapping[str, Any]) -> ConsistencyPage:
    ids = {row["annotator"] for row in payload["annotators"]}
    return ConsistencyPage(payload, User.objects.in_bulk(ids))


# The file


def _fields(part: str, name: str) -> dict[str, Callable[[ConsistencyLine], object]]:
    """The value of an estimate, the ends of its interval, and why it has no value."""

    def ends(line: ConsistencyLine, place: int) -> object:
        interval = line.row[part][name]["interval"]
        return None if interval is None else interval[place]

    return {
        name: lambda line: line.row[part][name]["value"],
        f"{name}_low": lambda line: ends(line, 0),
        f"{name}_high": lambda line: ends(line, 1),
        f"{name}_n": lambda line: line.row[part][name]["n"],
        f"{name}_undefined": lambda line: line.row[part][name]["undefined"],
    }


CONSISTENCY: Table[ConsistencyLine] = Table(
    "consistency",
    [
        Column(
            "annotator",
            "Annotator",
            {"annotator": lambda line: line.user.username if line.user else ""},
        ),
        Column("repeats", "Repeats", {"repeats": lambda line: line.repeats}),
        *(
            Column(name, name, _fields("consistency", name))
            for name in ("same", "kappa_quadratic", "alpha", "difference", "direction")
        ),
        Column(
            "sittings",
            "Sittings",
            {
                "answers": lambda line: line.answers,
                "sittings": lambda line: line.sittings,
                "sitting": lambda line: line.row["drift"]["sitting"],
                "first_third": lambda line: line.row["drift"]["whole_thirds"]["first"],
                "last_third": lambda line: line.row["drift"]["whole_thirds"]["last"],
                "seconds": lambda line: line.row["drift"]["seconds"],
            },
        ),
        *(
            Column(name, name, _fields("drift", name))
            for name in (
                *("change", "spearman", "query_thirds", "agreement"),
                *("seconds_spearman", "quick"),
            )
        ),
    ],
)
