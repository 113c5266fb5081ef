"""Change the licences of a collection."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.locking import CollectionArchived
from accounts.lookup import collection_named
from accounts.models import Collection
from dashboard.services import change_licences

LONGEST = Collection._meta.get_field("licence").max_length or 0


class Command(BaseCommand):
    help = "Change the licence of the judgments or of the texts. Published versions keep theirs."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", help="Its short name.")
        parser.add_argument("--licence", help="Of the judgments, like CC-BY-4.0.")
        parser.add_argument(
            "--corpus-licence",
            help="Of the documents' texts, like CC-BY-4.0. Releases contain texts only with it.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection = collection_named(options["collection"])
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
        try:
            changed = change_licences(collection=collection, **given)
        except CollectionArchived as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"{changed.slug}: licence {changed.licence or 'none'}; "
            f"of the texts {changed.corpus_licence or 'none'}."
        )
