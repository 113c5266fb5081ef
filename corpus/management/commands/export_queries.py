"""Write the queries of a collection for another engine to answer."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from corpus.documents.export import FORMATS, query_lines


class Command(ProjectCommand):
    help = "Write every query paper with its text. Its lists in a run must have the same id."
    stage = "Corpus"
    writes = False
    formats = FORMATS

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--facet", default="", help="Only the queries under it, with its sentences alone."
        )
        parser.add_argument(
            "--name",
            default="",
            help="Only the queries by sentences whose ids end in -NAME, such as 2; or `whole` for "
            "those of a whole facet.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        facet = collection.facets.filter(key=options["facet"]).first()
        if options["facet"] and facet is None:
            keys = ", ".join(collection.facets.values_list("key", flat=True))
            raise CommandError(
                f"No facet {options['facet']!r} in {collection.slug}; it has {keys}."
            )
        lines = query_lines(
            collection, facet=facet, name=options["name"], format_name=options["format"]
        )
        for line in lines:
            self.stdout.write(line)
