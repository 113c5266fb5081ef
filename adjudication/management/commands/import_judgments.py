"""Import judgments and decisions that were made elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from adjudication.judgment_import import (
    ImportOptions,
    JudgmentImportReport,
    import_judgments,
)
from adjudication.judgment_import.label_lines import parse_labels
from jobs.context import DirectRun
from web.words import count_noun


class Command(ProjectCommand):
    help = "Import judgments and decisions from CSV, JSON Lines, Label Studio or doccano."
    stage = "Judging"
    plans = True

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("files", nargs="+", type=Path, metavar="file")
        parser.add_argument("--query-field", default="query", help="Field of the query's id.")
        parser.add_argument("--docno-field", default="docno", help="Field of the docno.")
        parser.add_argument(
            "--annotator-field", default="", help="Field of who judged (default: detect it)."
        )
        parser.add_argument(
            "--grade-field", default="", help="Field of the grade (default: detect it)."
        )
        parser.add_argument(
            "--label",
            action="append",
            default=[],
            metavar="LABEL=GRADE",
            help="What a label means, such as Relevant=2 or Unclear=other. Can be repeated.",
        )
        parser.add_argument("--prefix", default="", help="Put before every docno, such as cran-.")
        parser.add_argument(
            "--topic-prefix", default="", help="Put before every id of a query, such as topic-."
        )
        parser.add_argument(
            "--second-annotator",
            default="",
            metavar="USERNAME",
            help="Annotator for the second judgment where the files have one per pair.",
        )
        parser.add_argument(
            "--replace-drafts",
            action="store_true",
            help="Replace draft pools that do not hold a judged document.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        work = DirectRun()
        try:
            report = import_judgments(
                collection=collection,
                files=[(path, str(path)) for path in options["files"]],
                options=ImportOptions.of({**options, "labels": parse_labels(options["label"])}),
                work=work,
            )
        finally:
            work.complete({})
        self.stdout.write(f"{collection.slug}: {summary(report)}")


def summary(report: JudgmentImportReport) -> str:
    start = "nothing was changed. The import would give: " if report.dry_run else ""
    return (
        f"{start}judgments {report.judgments} imported, {report.judgments_unchanged} unchanged; "
        f"decisions {report.decisions} imported, {report.decisions_unchanged} unchanged; "
        f"{count_noun(report.queries_opened, 'query', 'queries')} opened, "
        f"{count_noun(report.pools_imported, 'pool')} imported, "
        f"{count_noun(report.skipped, 'task')} without a judgment skipped."
    )
