"""Archive a collection, or take it out of the archive."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from dashboard.settings.archiving import archive_collection, unarchive_collection


class Command(ProjectCommand):
    help = "Archive a collection: it can be read and downloaded, but not changed."
    stage = "Settings"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--undo", action="store_true", help="Let it be changed again.")

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        change = unarchive_collection if options["undo"] else archive_collection
        change(collection=collection)
        state = "no longer archived" if options["undo"] else "archived"
        self.stdout.write(f"{collection.slug}: {state}.")
