"""Write everything of an archived collection into one zip."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.lookup import collection_named
from dashboard.settings.archiving import ArchiveError
from dashboard.settings.export import export_collection


class Command(BaseCommand):
    help = "Write everything of an archived collection into a zip. Then it can be deleted."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", help="Its short name.")
        parser.add_argument("file", help="The zip to write.")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = collection_named(options["collection"])
        path = Path(options["file"])
        try:
            parts = export_collection(collection)
            with path.open("wb") as file:
                for part in parts:
                    file.write(part)
        except ArchiveError as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"{path}: the zip cannot be written ({error}).") from error
        self.stdout.write(f"{collection.slug}: exported to {path}.")
