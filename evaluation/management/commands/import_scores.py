from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import Collection
from evaluation.rankings import import_scores
from web.errors import AppError


class Command(BaseCommand):
    help = "Import MDCR's score file of a model as a system: it ranks the frozen pools of the collection."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the collection's short name")
        parser.add_argument("scores", type=Path, help='{"query_candidate": score}, the highest is the best')
        parser.add_argument("--name", required=True, help="the system's name, in tables")

    def handle(self, *, slug: str, scores: Path, name: str, **options: Any) -> None:
        collection = Collection.objects.filter(slug=slug).first()
        if collection is None:
            raise CommandError(f"There is no collection {slug!r}.")
        try:
            run = import_scores(collection=collection, path=scores, name=name)
        except (AppError, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{name}: {run.lists.count():,} of {collection.queries.count():,} queries")
