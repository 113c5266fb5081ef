"""Write everything that the server has about a person into a zip."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand, account_named
from accounts.personal_data.exporting import export_person, stored_about
from web.words import count_noun


class Command(ProjectCommand):
    help = "Write everything about a person into a zip. Give it to this person only."
    stage = "Settings"
    takes_collection = False
    plans = True

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("username", help="Of the person.")
        parser.add_argument("file", help="The zip to write.")

    def handle(self, *args: Any, **options: Any) -> None:
        person, path = account_named(options["username"]), Path(options["file"])
        if options["dry_run"]:
            for rows, count in stored_about(person):
                self.stdout.write(f"{rows.file}: {count_noun(count, 'row')}")
            return
        try:
            with path.open("wb") as file:
                export_person(person=person, file=file, for_the_person=True)
        except OSError as error:
            raise CommandError(f"{path}: the zip cannot be written ({error}).") from error
        self.stdout.write(f"{person.username}: exported to {path}.")
