from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import Collection
from pooling.published import import_pools, read_pools
from web.errors import AppError


class Command(BaseCommand):
    help = (
        "Import MDCR's published pools as the frozen pools of a collection without queries. Import the papers' texts "
        "before, if you have them: without, papers have ids only."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the collection's short name")
        parser.add_argument("pools", type=Path, help="{field: {query: {type: [candidate, …]}}}, as mdcr_test.json")

    def handle(self, *, slug: str, pools: Path, **options: Any) -> None:
        collection = Collection.objects.filter(slug=slug).first()
        if collection is None:
            raise CommandError(f"There is no collection {slug!r}.")
        try:
            result = import_pools(collection=collection, pools=read_pools(pools))
        except (AppError, OSError) as error:
            raise CommandError(str(error)) from error
        text = "{queries:,} queries, {candidates:,} candidates; {added:,} documents added without a text"
        self.stdout.write(text.format(**result))
