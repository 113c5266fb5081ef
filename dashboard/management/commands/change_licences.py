"""Change the licences of a collection."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from dashboard.services import change_licences

LONGEST = Collection._meta.get_field("licence").max_length or 0


class Command(ProjectCommand):
    help = "Change the licence of the judgments or of the texts. Published versions keep theirs."
    stage = "Settings"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--licence", help="Of the judgments, like CC-BY-4.0.")
        parser.add_argument(
            "--corpus-licence",
            help="Of the documents' texts, like CC-BY-4.0. Releases contain texts only with it.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        licences = {key: options[key] for key in ("licence", "corpus_licence")}
        given = {key: licence for key, licence in licences.items() if licence is not None}
        if not given:
            raise CommandError("Name a licence: --licence CC-BY-4.0 or --corpus-licence CC-BY-4.0.")
        for licence in given.values():
            if len(licence) > LONGEST:
                raise CommandError(
                    f"A licence has at most {LONGEST} characters, got {len(licence)}. Use its SPDX "
                    "identifier, such as CC-BY-4.0."
                )
        changed = change_licences(collection=collection, **given)
        self.stdout.write(
            f"{changed.slug}: licence {changed.licence or 'none'}; "
            f"of the texts {changed.corpus_licence or 'none'}."
        )
