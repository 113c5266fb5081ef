"""Parts that the commands that compare labels share."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from evaluation.label_effects.rankings import usual_measure
from evaluation.label_effects.services import LabelComparison
from reports.commands import ReportCommand


class ComparisonCommand(ReportCommand):
    kind: type[LabelComparison]

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--measure",
            default="",
            help="Such as NDCG%%20, AP or nDCG@10 (default: the leaderboard's first measure).",
        )

    def report(self, **options: Any) -> LabelComparison:
        return self.kind(options["measure"] or usual_measure(options["collection"]))
