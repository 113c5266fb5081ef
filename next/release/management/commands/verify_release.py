"""manage.py verify_release csfcube-1.0.zip: what the release's own verify.py does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from release.importing import unpacked
from release.verify import verify
from web.errors import BadInput


class Command(BaseCommand):
    help = "Check a release: its files, its labels, its qrels."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("zip", type=Path)

    def handle(self, **options: Any) -> None:
        try:
            with unpacked(options["zip"]) as folder:
                faults = verify(folder)
        except BadInput as error:
            raise CommandError(str(error)) from error
        if faults:
            raise CommandError("\n".join(faults))
        self.stdout.write("Every file is as published, and the labels follow from the judgments.")
