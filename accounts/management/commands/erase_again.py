"""Erase the people of a list again, after a backup from before was restored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import ProjectCommand
from accounts.models import User
from accounts.personal_data.erasing import erase_again
from accounts.personal_data.erasures import all_erasures, erasures_in, not_erased
from web.words import count_noun


class Command(ProjectCommand):
    help = "After a restore, erase again the people who were erased since the backup."
    stage = "Settings"
    takes_collection = False

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "file",
            type=Path,
            nargs="?",
            help="A copy of the list: a file, or the folder erasures. Without it, the list of "
            "DATA_DIR and of FILES_BUCKET.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path | None = options["file"]
        erasures = erasures_in(path) if path else all_erasures()
        found = not_erased(erasures)
        for erasure in found:
            person = User.objects.get(pk=erasure.person)
            erase_again(person=person, pseudonym=erasure.pseudonym)
            self.stdout.write(f"{erasure.pseudonym}: erased again.")
        if not found:
            self.stdout.write(
                f"Nothing to do: {count_noun(len(erasures), 'person', 'people')} in the list, "
                "all erased here."
            )
