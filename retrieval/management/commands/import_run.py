from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import Collection
from retrieval.run_files import import_run
from web.errors import AppError


class Command(BaseCommand):
    help = "Import a TREC run file (topic Q0 docno rank score tag), plain or gz."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the collection's short name")
        parser.add_argument("file", type=Path)
        parser.add_argument("--name", required=True, help="the run's name, in pools and tables")
        parser.add_argument(
            "--match-leading-zeros", action="store_true", help="take topic 51 for query 051, and the reverse"
        )

    def handle(self, *, slug: str, file: Path, name: str, match_leading_zeros: bool, **options: Any) -> None:
        collection = Collection.objects.filter(slug=slug).first()
        if collection is None:
            raise CommandError(f"There is no collection {slug!r}.")
        try:
            with file.open("rb") as stream:
                run = import_run(
                    collection=collection,
                    file=stream,
                    filename=file.name,
                    name=name,
                    match_leading_zeros=match_leading_zeros,
                )
        except (AppError, OSError) as error:
            raise CommandError(str(error)) from error
        print(f"{name}: {run.lists.count():,} of {collection.queries.count():,} queries")
        for why, what in run.skipped.items():
            named = f": {', '.join(what['named'])}" if what["named"] else ""
            print(f"left out: {what['number']:,} {why}{named}")
        for warning in run.warnings:
            self.stderr.write(self.style.WARNING(warning))
