"""manage.py verify_release csfcube-1.0.zip: what the release's own verify.py does."""

from __future__ import annotations

import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from release.verify import verify


class Command(BaseCommand):
    help = "Check a release: its files, its labels, its qrels."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("zip", type=Path)

    def handle(self, **options: Any) -> None:
        with TemporaryDirectory() as folder:
            try:
                with zipfile.ZipFile(options["zip"]) as archive:
                    archive.extractall(folder)
            except (OSError, zipfile.BadZipFile) as error:
                raise CommandError(f"{options['zip']} cannot be read: {error}") from error
            if faults := verify(Path(folder)):
                raise CommandError("\n".join(faults))
        self.stdout.write("Every file is as published, and the labels follow from the judgments.")
