"""Write everything of an archived collection into one zip."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from dashboard.settings.archiving import check_archived
from dashboard.settings.export import export_collection


class Command(ProjectCommand):
    help = "Write everything of an archived collection into a zip. Then it can be deleted."
    stage = "Settings"
    plans = True

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", help="The zip to write.")

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        path = Path(options["file"])
        if options["dry_run"]:
            check_archived(collection)
            self.stdout.write(f"{collection.slug}: can be exported to {path}.")
            return
        parts = export_collection(collection)
        try:
            with path.open("wb") as file:
                for part in parts:
                    file.write(part)
        except OSError as error:
            raise CommandError(f"{path}: the zip cannot be written ({error}).") from error
        self.stdout.write(f"{collection.slug}: exported to {path}.")
