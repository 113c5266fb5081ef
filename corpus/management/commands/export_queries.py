"""Write the queries of a collection for another engine to answer."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.lookup import collection_named
from corpus.export import FORMATS, query_lines


class Command(BaseCommand):
    help = "Write every query paper with its text, under the id that its lists in a run must have."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", help="The collection's short name.")
        parser.add_argument("--format", choices=FORMATS, default="jsonl")
        parser.add_argument(
            "--facet", default="", help="Only the queries under it, with its sentences alone."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection = collection_named(options["collection"])
        facet = collection.facets.filter(key=options["facet"]).first()
        if options["facet"] and facet is None:
            keys = ", ".join(collection.facets.values_list("key", flat=True))
            raise CommandError(
                f"No facet {options['facet']!r} in {collection.slug}; it has {keys}."
            )
        for line in query_lines(collection, facet=facet, format_name=options["format"]):
            self.stdout.write(line)
