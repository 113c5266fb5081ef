"""Print how far a shadow judge agrees with people, and how systems rank under its labels."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from agreement.coefficients import COEFFICIENTS
from evaluation.label_effects.command import ComparisonCommand
from evaluation.label_effects.rankings import usual_measure
from evaluation.label_effects.services import ShadowJudgeReport
from evaluation.label_effects.tables import Payload
from evaluation.label_effects.text import ranking_lines
from evaluation.shadow_judges.parts import report_parts
from evaluation.shadow_judges.services import shadow_judge_named
from evaluation.shadow_judges.tables import COMPARISON_NAMES


class Command(ComparisonCommand):
    help = (
        "Compare a shadow judge with people: with each annotator and with the final labels, on the "
        "same pairs as the annotators with each other. Compares the rankings of systems, too."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("name", help="The shadow judge's name.")

    def report(self, **options: Any) -> ShadowJudgeReport:
        measure = options["measure"] or usual_measure(options["collection"])
        self.family = shadow_judge_named(options["collection"], options["name"]).family
        return ShadowJudgeReport(measure, options["name"])

    def lines(self, payload: Payload) -> list[str]:
        head = "".join(f"{coefficient.key:>20}" for coefficient in COEFFICIENTS)
        lines = [f"{'median (all pairs)':<40}{head}"]
        for row in payload["agreement"]["facets"]:
            lines.append(f"{row['facet'] or 'all queries'}: {row['pairs']:,} pairs")
            for key, name in COMPARISON_NAMES.items():
                coefficients = row["comparisons"][key]["coefficients"]
                cells = "".join(f"{_cell(coefficients[each.key]):>20}" for each in COEFFICIENTS)
                lines.append(f"  {name:<38}{cells}")
        for part in report_parts(payload, {}, self.family):
            lines += ["", part.title, *(f"  {finding}" for finding in part.findings)]
        return [*lines, "", *ranking_lines(payload)]


def _cell(values: Payload) -> str:
    shown = (
        "undefined" if values[key] is None else f"{values[key]:.4f}" for key in ("median", "pooled")
    )
    return "{} ({})".format(*shown)
