from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import Collection
from corpus.queries import add_query_papers, parse_wanted
from web.errors import AppError


class Command(BaseCommand):
    help = "Make documents query papers: lines of docno and facet, perhaps with numbers of sentences (2,4-5)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the collection's short name")
        parser.add_argument("file", type=Path)
        parser.add_argument("--whole", action="store_true", help="a line without a facet is the whole abstract")

    def handle(self, *, slug: str, file: Path, whole: bool, **options: Any) -> None:
        collection = Collection.objects.filter(slug=slug).first()
        if collection is None:
            raise CommandError(f"There is no collection {slug!r}.")
        try:
            facets = [""] if whole or not collection.facets else []
            wanted = parse_wanted(file.read_text("utf-8-sig"), collection=collection, facets=facets)
            new, known = add_query_papers(collection=collection, wanted=wanted)
        except (AppError, OSError, UnicodeDecodeError) as error:
            raise CommandError(str(error)) from error
        print(f"{new:,} added, {known:,} unchanged")
