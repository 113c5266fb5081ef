"""Import a known benchmark from its published files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import ProjectCommand, account_named
from benchmarks.registry import BENCHMARKS
from benchmarks.services import import_benchmark
from jobs.context import DirectRun


class Command(ProjectCommand):
    help = (
        "Import a known benchmark. Makes a collection of its published files, with pools and the "
        "published labels, which never count as judgments."
    )
    stage = "Overview"
    makes_collection = True

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("benchmark", choices=list(BENCHMARKS), help="Its name.")
        parser.add_argument("folder", type=Path, help="The folder with its files.")
        parser.add_argument("--admin", default="", help="Username of the collection's admin.")

    def handle(self, *args: Any, **options: Any) -> None:
        admin = account_named(options["admin"]) if options["admin"] else None
        with DirectRun() as work:
            report = import_benchmark(
                name=options["benchmark"],
                folder=options["folder"],
                slug=options["collection"],
                admin=admin,
                work=work,
            )
        self.stdout.write(
            f"{report.collection}: {'unchanged' if report.unchanged else 'imported'}; "
            f"{report.documents} documents ({report.without_text} without text), "
            f"{report.queries} queries, {report.candidates} candidates, {report.labels} labels."
        )
        for note in report.notes:
            self.stdout.write(note)
