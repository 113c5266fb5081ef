"""Import the folds of a collection's queries, or say how many are made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from scoring.services import import_folds, make_folds
from web.words import count_noun


class Command(ProjectCommand):
    help = (
        "Import folds of queries, or make them from the seed. The file has the form of CSFCube's "
        "evaluation_splits.json, with any number of folds. Without imported folds, two are made "
        "from the collection's seed, of the same size for each facet."
    )
    stage = "Evaluation"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
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
        collection: Collection = options["collection"]
        path: Path | None = options["file"]
        if path is None:
            make_folds(collection=collection, number=options["make"])
            made = count_noun(options["make"], "fold")
            self.stdout.write(f"{collection.slug} has {made} made from its seed now.")
            return
        folds = import_folds(collection=collection, content=path.read_bytes(), filename=path.name)
        number = collection.queries.filter(fold__isnull=False).count()
        self.stdout.write(
            f"{number} of the {len(folds.numbers)} queries in {path.name} are in {collection.slug} "
            f"and have folds now: {count_noun(folds.count, 'fold')}, {folds.origin}."
        )
