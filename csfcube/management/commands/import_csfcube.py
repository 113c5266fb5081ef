"""Import the CSFCube release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import ProjectCommand, account_named
from csfcube.services import CSFCubeReport, import_csfcube
from jobs.context import DirectRun


class Command(ProjectCommand):
    help = (
        "Import the CSFCube release. Makes a collection of a checkout with pools, judgments and "
        "final labels."
    )
    stage = "Overview"
    makes_collection = True

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("folder", type=Path, help="The checkout of the release.")
        parser.add_argument("--admin", default="", help="Username of the collection's admin.")

    def handle(self, *args: Any, **options: Any) -> None:
        admin = account_named(options["admin"]) if options["admin"] else None
        with DirectRun() as work:
            report = import_csfcube(
                folder=options["folder"], slug=options["collection"], admin=admin, work=work
            )
        self.stdout.write(summary(report))


def summary(report: CSFCubeReport) -> str:
    return (
        f"{report.collection}: {'unchanged' if report.unchanged else 'imported'}; "
        f"{report.documents} documents ({report.without_text} without text), "
        f"{report.query_papers} query papers, {report.queries} queries ({report.opened} judged), "
        f"{report.candidates} candidates ({report.excluded} excluded), {report.pairs} pairs, "
        f"{report.judgments} judgments ({report.missing} missing), {report.decisions} decisions; "
        f"folds {report.folds}."
    )
