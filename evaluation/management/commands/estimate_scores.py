"""Print scores estimated from few people's labels and a shadow judge's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser

from evaluation.label_effects.command import ComparisonCommand
from evaluation.label_effects.rankings import usual_measure
from evaluation.prediction_powered.report import PredictionPoweredReport
from evaluation.prediction_powered.tables import Payload, estimate_lines, finding_of
from web.figures import percent_text
from web.text_tables import aligned


class Command(ComparisonCommand):
    help = (
        "Estimate scores from few people's labels and a shadow judge's. They are the means of "
        "systems over all opened queries, with intervals and the judging that the model saves."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("name", help="The shadow judge's name.")

    def report(self, **options: Any) -> PredictionPoweredReport:
        measure = options["measure"] or usual_measure(options["collection"])
        return PredictionPoweredReport(measure, options["name"])

    def lines(self, payload: Payload) -> Iterator[str]:
        yield f"Measure: {payload['measure']} ({payload['description']})."
        yield finding_of(payload)
        if payload["systems"]:
            yield ""
            yield from aligned(list(_rows(payload)), ("system",))


def _rows(payload: Payload) -> Iterator[tuple[str, ...]]:
    yield ("system", "human only", "with the model", "model only", "saved queries")
    for line in estimate_lines(payload):
        model_only = "undefined" if line.model_only is None else percent_text(line.model_only)
        saved = str(line.saved["queries"] or "none") if line.saved else "–"
        yield (line.system, _interval(line.human), _interval(line.powered), model_only, saved)


def _interval(bounds: Payload | None) -> str:
    if bounds is None:
        return "–"
    value, low, high = (percent_text(bounds[key]) for key in ("value", "low", "high"))
    return value if low == high else f"{value} ({low} to {high})"
