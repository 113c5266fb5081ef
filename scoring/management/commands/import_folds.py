"""Import the folds of a collection's queries, or say how many are made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.lookup import collection_named
from scoring.services import import_folds, make_folds
from web.errors import UserFacingError
from web.words import count_noun


class Command(BaseCommand):
    help = (
        "Import folds of queries from a file in the form of CSFCube's evaluation_splits.json, with "
        "any number of folds. Without imported folds, two are made from the collection's seed, of "
        "the same size for each facet."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", help="The collection's short name.")
        choice = parser.add_mutually_exclusive_group(required=True)
        choice.add_argument("file", nargs="?", type=Path, help="The JSON file of splits.")
        choice.add_argument(
            "--make",
            type=int,
            metavar="NUMBER",
            help="Make this many folds from the seed instead; 0 for none. They replace imported "
            "ones.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection, path = collection_named(options["collection"]), options["file"]
        try:
            if path is None:
                make_folds(collection=collection, number=options["make"])
                made = count_noun(options["make"], "fold")
                self.stdout.write(f"{collection.slug} has {made} made from its seed now.")
                return
            folds = import_folds(collection=collection, path=path, filename=path.name)
        except (UserFacingError, OSError) as error:
            raise CommandError(str(error)) from error
        number = collection.queries.filter(fold__isnull=False).count()
        self.stdout.write(
            f"{number} of the {len(folds.numbers)} queries in {path.name} are in {collection.slug} "
            f"and have folds now: {count_noun(folds.count, 'fold')}, {folds.origin}."
        )
