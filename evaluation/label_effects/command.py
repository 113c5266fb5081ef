"""Parts that the commands that compare labels share."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.lookup import collection_named
from evaluation.label_effects.rankings import usual_measure
from evaluation.label_effects.services import compute_label_report
from web.errors import UserFacingError


class ComparisonCommand(BaseCommand):
    """A command that computes a report, and prints it as a table or as JSON."""

    kind = ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", help="The collection's short name.")
        parser.add_argument(
            "--measure",
            default="",
            help="Such as NDCG%%20, AP or nDCG@10 (default: the leaderboard's first measure).",
        )
        parser.add_argument("--format", choices=["table", "json"], default="table")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = collection_named(options["collection"])
        try:
            report = compute_label_report(
                collection=collection,
                kind=self.kind,
                measure=options["measure"] or usual_measure(collection),
                shadow_judge=options.get("name", ""),
            )
        except UserFacingError as error:
            raise CommandError(str(error)) from error
        if options["format"] == "json":
            # Sorted, because PostgreSQL keeps no order of keys.
            text = json.dumps(report.payload, indent=2, sort_keys=True, ensure_ascii=False)
        else:
            text = "\n".join(self.lines(report.payload))
        self.stdout.write(text)

    def lines(self, payload: dict[str, Any]) -> list[str]:
        """The report as lines to read."""
        raise NotImplementedError
