"""The base class of the commands that compute a report and print it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from accounts.commands import ProjectCommand
from reports.kinds import ReportKind
from reports.services import compute_report
from web.downloads import json_text


class ReportCommand(ProjectCommand):
    stage = "Evaluation"
    formats = ("table", "json")

    def handle(self, *args: Any, **options: Any) -> None:
        report = compute_report(self.report(**options), collection=options["collection"])
        is_json = options["format"] == "json"
        self.stdout.write(
            json_text(report.payload) if is_json else "\n".join(self.lines(report.payload))
        )

    def report(self, **options: Any) -> ReportKind:
        raise NotImplementedError

    def lines(self, payload: Mapping[str, Any]) -> Iterable[str]:
        """The report as lines to read."""
        raise NotImplementedError
