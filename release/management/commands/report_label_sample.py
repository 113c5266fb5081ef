"""Print the errors of citation labels that a judged sample shows."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from release.label_samples.reading import label_report
from release.label_samples.tables import as_csv, as_text
from web.words import count_noun


class Command(ProjectCommand):
    help = "Print the shares of wrong citation labels, from a sample that people judged."
    stage = "Release"
    writes = False
    formats = ("table", "csv")

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="The short name of the collection with the sample.")

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        samples = collection.label_samples.select_related("collection", "origin")
        sample = samples.filter(collection__slug=options["slug"]).first()
        if sample is None:
            names = ", ".join(samples.values_list("collection__slug", flat=True)) or "none yet"
            raise CommandError(
                f"{collection.slug} has no sample {options['slug']!r}. Its samples: {names}."
            )
        report = label_report(sample)
        if not report.complete:
            raise CommandError(
                f"{len(report.judged):,} of {count_noun(report.pairs, 'pair')} have a final label "
                "or are set aside. The rates are shown when all have."
            )
        if options["format"] == "csv":
            self.stdout.write(as_csv(report.released), ending="")
        else:
            self.stdout.write("\n".join(as_text(report.released)))
