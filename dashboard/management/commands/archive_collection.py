"""Archive a collection, or take it out of the archive."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.lookup import collection_named
from dashboard.settings.archiving import ArchiveError, archive_collection, unarchive_collection


class Command(BaseCommand):
    help = "Archive a collection: it can be read and downloaded, but not changed."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", help="Its short name.")
        parser.add_argument("--undo", action="store_true", help="Let it be changed again.")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = collection_named(options["collection"])
        change = unarchive_collection if options["undo"] else archive_collection
        try:
            change(collection=collection)
        except ArchiveError as error:
            raise CommandError(str(error)) from error
        state = "no longer archived" if options["undo"] else "archived"
        self.stdout.write(f"{collection.slug}: {state}.")
