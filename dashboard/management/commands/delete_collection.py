"""Delete an archived and exported collection."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.lookup import collection_named
from dashboard.settings.archiving import ArchiveError, begin_deletion
from dashboard.settings.deletion import delete_collection


class Command(BaseCommand):
    help = "Delete a collection that is archived and exported, with all its rows and files."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", help="Its short name.")
        parser.add_argument("--confirm", required=True, metavar="NAME", help="Its name again.")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = collection_named(options["collection"])
        try:
            begin_deletion(collection=collection, name=options["confirm"])
            delete_collection(collection=collection)
        except ArchiveError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{options['collection']}: deleted.")
