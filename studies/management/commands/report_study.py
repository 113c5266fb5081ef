"""Print how far a full-text study agrees with the labels from abstracts."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from studies.report import as_csv, as_text, report_of


class Command(ProjectCommand):
    help = "Print the agreement of full-text ratings with the labels from abstracts."
    stage = "Judging"
    writes = False
    formats = ("table", "csv")

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("name", help="The study's name.")

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        study = collection.studies.filter(name=options["name"]).first()
        if study is None:
            names = ", ".join(collection.studies.values_list("name", flat=True)) or "none yet"
            raise CommandError(
                f"{collection.slug} has no study {options['name']!r}. Its studies: {names}."
            )
        report = report_of(study)
        if options["format"] == "csv":
            if report.result is None:
                raise CommandError(
                    "Not every pair is rated, and the study has not ended. There is no file yet."
                )
            self.stdout.write(as_csv(report), ending="")
        else:
            self.stdout.write("\n".join(as_text(report)))
