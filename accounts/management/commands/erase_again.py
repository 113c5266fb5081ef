"""Erase the people of a list again, after a backup from before was restored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand
from accounts.models import User
from accounts.personal_data.erasing import erase_again


class Command(ProjectCommand):
    help = "After a restore, erase again the people of DATA_DIR/erasures.jsonl."
    stage = "Settings"
    takes_collection = False

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", help="The list of erasures, kept apart from the backup.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            lines = Path(options["file"]).read_text().splitlines()
            erasures = {int(each["id"]): str(each["pseudonym"]) for each in map(json.loads, lines)}
        except (OSError, ValueError, KeyError) as error:
            raise CommandError(f"{options['file']}: no list of erasures ({error}).") from error
        found = User.objects.filter(pk__in=erasures, erased_at=None).order_by("pk")
        for person in found:
            erase_again(person=person, pseudonym=erasures[person.pk])
            self.stdout.write(f"{erasures[person.pk]}: erased again.")
        if not found:
            self.stdout.write("All people of the list are erased.")
