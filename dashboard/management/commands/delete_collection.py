"""Delete an archived and exported collection."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from dashboard.settings.archiving import begin_deletion
from dashboard.settings.deletion import contents_of, delete_collection
from database.dry_run import rolled_back_if


class Command(ProjectCommand):
    help = "Delete a collection that is archived and exported, with all its rows and files."
    stage = "Settings"
    plans = True

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--confirm", required=True, metavar="NAME", help="Its name again.")

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        slug = collection.slug  # the row is gone afterwards
        if options["dry_run"]:
            with rolled_back_if(True):
                begin_deletion(collection=collection, name=options["confirm"])
            rows = (
                f"{name} {number}" for name, number in contents_of(collection)._asdict().items()
            )
            self.stdout.write(f"{slug}: would be deleted: {', '.join(rows)}.")
            return
        begin_deletion(collection=collection, name=options["confirm"])
        delete_collection(collection=collection)
        self.stdout.write(f"{slug}: deleted.")
