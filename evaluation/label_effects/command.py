"""Parts that the commands that compare labels share."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from evaluation.label_effects.rankings import usual_measure
from evaluation.label_effects.services import LabelComparison
from evaluation.label_effects.tables import Payload
from reports.services import compute_report
from web.downloads import json_text


class ComparisonCommand(ProjectCommand):
    """A command that computes a report, and prints it as a table or as JSON."""

    stage = "Trust"
    formats = ("table", "json")

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--measure",
            default="",
            help="Such as NDCG%%20, AP or nDCG@10 (default: the leaderboard's first measure).",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        measure = options["measure"] or usual_measure(collection)
        report = compute_report(
            self.comparison(**options | {"measure": measure}), collection=collection
        )
        if options["format"] == "json":
            text = json_text(report.payload)
        else:
            text = "\n".join(self.lines(report.payload))
        self.stdout.write(text)

    def comparison(self, measure: str, **options: Any) -> LabelComparison:
        raise NotImplementedError

    def lines(self, payload: Payload) -> list[str]:
        """The report as lines to read."""
        raise NotImplementedError
