"""The numbers of annotators on the agreement page, from a report's summary. Nothing here computes.

The page is for admins only, and these numbers are in no download, API answer or release.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from accounts.models import User
from agreement.coefficients import COEFFICIENTS, Coefficient
from agreement.figures import without_facets
from agreement.tables import Payload, Value, in_words, signed_number
from web.figure_panels import Stack, stacks
from web.figures import Figure, Panel
from web.words import count_noun

MOST_NAME = 160  # pixels of an annotator's name
MOST_DRAWN = 12  # annotators of a facet; the table of the figure has all of them


@dataclass(frozen=True)
class JudgesLine:
    """The agreement of two annotators, or of all who judged a facet."""

    name: str
    people: Sequence[User]
    pairs: int
    ungraded: int
    values: Sequence[Value]


@dataclass(frozen=True)
class AnnotatorLine:
    """The grading of an annotator, beside the other judges of the same pairs."""

    user: User
    row: Payload

    @property
    def judgments(self) -> int:
        return int(sum(self.row["grades"]) + self.row["ungraded"])

    @property
    def sided_percent(self) -> float | None:
        decided = self.row["decided"]
        return 100 * self.row["sided"] / decided if decided else None

    @property
    def difference(self) -> str:
        """ "+0.25" if the annotator grades higher than the others."""
        value = self.row["difference"]
        if value is None:
            return ""
        return f"{'+' if value > 0 else ''}{signed_number(value, 2)}"


@dataclass(frozen=True)
class AnnotatorTables:
    """`people` are the annotators by their id, and `names` the facets' by their key."""

    summary: Payload
    people: Mapping[int, User]
    names: Mapping[str, str]
    coefficients: Sequence[Coefficient] = COEFFICIENTS

    @property
    def overall(self) -> list[JudgesLine]:
        return [
            self._line(row, self._facet_name(row["facet"]), ()) for row in self.summary["overall"]
        ]

    @property
    def pairs(self) -> list[JudgesLine]:
        """Those with the most pairs first."""
        lines = [
            self._line(row, "", [self.people[row["first"]], self.people[row["second"]]])
            for row in self.summary["pairs"]
        ]
        return sorted(lines, key=lambda line: -line.pairs)

    @property
    def annotators(self) -> list[AnnotatorLine]:
        """Of all facets together; those with the most judgments first."""
        rows = self.summary["annotators"]
        facet = rows[-1]["facet"] if rows else None  # the last part is of all facets
        lines = [
            AnnotatorLine(self.people[row["annotator"]], row)
            for row in rows
            if row["facet"] == facet
        ]
        return sorted(lines, key=lambda line: -line.judgments)

    @property
    def figures(self) -> list[Figure]:
        """The grades of each annotator, by facet, if there are any."""
        rows = [row for row in self.summary["annotators"] if row["facet"] is not None]
        facets = list(dict.fromkeys(row["facet"] for row in rows))
        figure = Figure(
            name="annotators",
            title="Grades by annotator",
            note="The share of each grade in the annotator’s judgments, of the judged pairs.",
            panels=[
                self._panel(facet, [row for row in rows if row["facet"] == facet])
                for facet in facets
            ],
            head=("annotator", "facet", "grade", "judgments", "share"),
            rows=[
                (self._name(row), self._facet_name(row["facet"]), str(grade), count, share)
                for row in rows
                for grade, count in enumerate(row["grades"])
                for share in [count / sum(row["grades"]) if sum(row["grades"]) else None]
            ],
        )
        if not rows:
            return []
        return [figure if any(self.names) else without_facets(figure)]

    def _panel(self, facet: str, rows: Sequence[Payload]) -> Panel:
        drawn = sorted(rows, key=lambda row: -sum(row["grades"]))[:MOST_DRAWN]
        name = self._facet_name(facet)
        title = f"{name}: {count_noun(len(rows), 'annotator')}"
        finding = "; ".join(
            f"{self._name(row)}: "
            + ", ".join(f"{count:,} at grade {grade}" for grade, count in enumerate(row["grades"]))
            for row in drawn
        )
        stacked = [Stack(self._name(row), row["grades"]) for row in drawn]
        return stacks(title, f"{name}. {finding}.", stacked, MOST_NAME)

    def _name(self, row: Payload) -> str:
        return self.people[row["annotator"]].shown_name

    def _facet_name(self, facet: str | None) -> str:
        """Without facets, the only one has no name."""
        return "All facets" if facet is None else self.names.get(facet, facet) or "All queries"

    def _line(self, row: Payload, name: str, people: Sequence[User]) -> JudgesLine:
        values = [
            Value(each, row[each.key], in_words(row["undefined"].get(each.key, "")))
            for each in self.coefficients
        ]
        return JudgesLine(name, people, row["pairs"], row["ungraded"], values)


def people_of(summary: Payload) -> dict[int, User]:
    """The annotators of a report's summary, by their id."""
    ids: set[Any] = {row["annotator"] for row in summary["annotators"]}
    return User.objects.in_bulk(ids)
