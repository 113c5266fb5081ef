"""Import the two folds of a collection's queries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.lookup import collection_named
from evaluation.services import import_folds
from web.errors import UserFacingError


class Command(BaseCommand):
    help = (
        "Import folds of queries from a file in the form of CSFCube's evaluation_splits.json. "
        "Without imported folds, they are made from the collection's seed, of the same size for "
        "each facet."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", help="The collection's short name.")
        parser.add_argument("file", type=Path, help="The JSON file of splits.")

    def handle(self, *args: Any, **options: Any) -> None:
        collection, path = collection_named(options["collection"]), options["file"]
        try:
            folds = import_folds(collection=collection, path=path, filename=path.name)
        except (UserFacingError, OSError) as error:
            raise CommandError(str(error)) from error
        number = collection.queries.filter(fold__isnull=False).count()
        self.stdout.write(
            f"{number} of the {len(folds)} queries in {path.name} are in {collection.slug} and "
            "have a fold now."
        )
