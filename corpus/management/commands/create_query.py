"""Make a query of a document and a facet."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.lookup import collection_named
from corpus.services import CorpusError, create_query


class Command(BaseCommand):
    help = "Make a document of the collection a query under a facet; asking twice changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", help="The collection's short name.")
        parser.add_argument("docno", help="The document's id.")
        parser.add_argument("facet", help="The facet's key, like background.")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = collection_named(options["collection"])
        name = f"{options['docno']}_{options['facet']}"
        already_exists = collection.queries.filter(name=name).exists()
        try:
            query = create_query(
                collection=collection, docno=options["docno"], facet_key=options["facet"]
            )
        except CorpusError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{query.name}: {'unchanged' if already_exists else 'created'}.")
