"""Make a query of a document and a facet."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.lookup import collection_named
from corpus.services import CorpusError, create_query


class Command(BaseCommand):
    help = "Make a document of the collection a query; asking twice changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", help="The collection's short name.")
        parser.add_argument("docno", help="The document's id.")
        parser.add_argument(
            "facet",
            nargs="?",
            default="",
            help="The facet's key, like background. Leave it out in a collection without facets.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection = collection_named(options["collection"])
        already_exists = collection.queries.filter(
            query_paper__document__docno=options["docno"], facet__key=options["facet"]
        ).exists()
        try:
            query = create_query(
                collection=collection, docno=options["docno"], facet_key=options["facet"]
            )
        except CorpusError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{query.name}: {'unchanged' if already_exists else 'created'}.")
