"""Write the documents of a collection as the import reads them."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from accounts.lookup import collection_named
from corpus.documents.export import document_lines


class Command(BaseCommand):
    help = "Write every document as a line of JSON, as import_documents reads it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", help="The collection's short name.")

    def handle(self, *args: Any, **options: Any) -> None:
        for line in document_lines(collection_named(options["collection"])):
            self.stdout.write(line)
