"""The tables of a shadow judge's page, made from a report's payload. Nothing here computes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from agreement.coefficients import COEFFICIENTS, Coefficient
from agreement.tables import ConfusionMatrix, grade_matrix, in_words, signed_number
from evaluation.shadow_judges.agreement import COMPARISONS
from evaluation.shadow_judges.models import ShadowJudge
from evaluation.shadow_judges.services import OMISSIONS

Payload = Mapping[str, Any]

COMPARISON_NAMES = {
    "judges": "Annotator 1 and annotator 2",
    "model-first": "Model and annotator 1",
    "model-second": "Model and annotator 2",
    "model-final": "Model and final label",
    "first-final": "Annotator 1 and final label",
    "second-final": "Annotator 2 and final label",
}
RATERS = {"model": "model", "first": "annotator 1", "second": "annotator 2", "final": "final label"}
MATRICES = ("model-first", "model-second", "model-final", "judges")


class CoefficientCell(NamedTuple):
    """A coefficient: the median over the queries, and over all pairs together."""

    coefficient: Coefficient
    values: Payload

    @property
    def median(self) -> str:
        return self._shown("median")

    @property
    def pooled(self) -> str:
        return self._shown("pooled")

    @property
    def reason(self) -> str:
        return in_words(self.values["undefined"])

    def _shown(self, key: str) -> str:
        value = self.values[key]
        if value is None:
            return "undefined"
        return signed_number(value, self.coefficient.decimals)


class ComparisonLine(NamedTuple):
    name: str
    cells: list[CoefficientCell]
    by_grade: list[float | None]  # in percent


@dataclass(frozen=True)
class FacetTables:
    """The comparisons of a facet, or of all queries."""

    row: Payload
    name: str

    @property
    def lines(self) -> list[ComparisonLine]:
        comparisons = self.row["comparisons"]
        return [
            ComparisonLine(
                name,
                [
                    CoefficientCell(each, comparisons[key]["coefficients"][each.key])
                    for each in COEFFICIENTS
                ],
                [None if value is None else 100 * value for value in comparisons[key]["by_grade"]],
            )
            for key, name in COMPARISON_NAMES.items()
        ]

    @property
    def matrices(self) -> list[ConfusionMatrix]:
        by_key = {comparison.key: comparison for comparison in COMPARISONS}
        return [
            grade_matrix(
                RATERS[by_key[key].rows],
                RATERS[by_key[key].columns],
                self.row["comparisons"][key]["confusion"],
                self.row["pairs"],
            )
            for key in MATRICES
        ]


class JudgeLine(NamedTuple):
    """A shadow judge, and the lines of its file without a label."""

    judge: ShadowJudge
    omissions: list[Omission]


class Omission(NamedTuple):
    """Lines without a label: the reason, the number of lines, and the first ids."""

    reason: str
    lines: int
    examples: list[str]


def omissions_of(judge: ShadowJudge) -> list[Omission]:
    return [
        Omission(OMISSIONS.get(reason, reason), entry["lines"], entry["examples"])
        for reason, entry in judge.omitted.items()
    ]


def judge_lines(judges: Iterable[ShadowJudge]) -> list[JudgeLine]:
    return [JudgeLine(judge, omissions_of(judge)) for judge in judges]


def facet_tables(agreement: Payload, names: Mapping[str, str]) -> list[FacetTables]:
    """`names` are the facets' by their key."""
    shown = {**names, "": "All queries", "all": "All facets"}
    return [FacetTables(row, shown.get(row["facet"], row["facet"])) for row in agreement["facets"]]


def grades_of(agreement: Payload) -> Sequence[int]:
    """The grades of the scale."""
    rows = agreement["facets"]
    return range(len(rows[0]["comparisons"]["judges"]["by_grade"])) if rows else []
