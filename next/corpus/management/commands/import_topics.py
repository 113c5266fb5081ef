from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.files.base import File
from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import Collection
from corpus.queries import import_topics
from corpus.uploads import find_upload, keep_upload
from web.errors import AppError


class Command(BaseCommand):
    help = "Import topics from JSON, TSV, TREC (SGML or XML) or SMART, plain, gz or zip: all of them, or none."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the collection's short name")
        parser.add_argument("file", type=Path)
        parser.add_argument("--skip", type=int, default=0, metavar="N", help="skip up to N wrong lines or topics")

    def handle(self, *, slug: str, file: Path, skip: int, **options: Any) -> None:
        collection = Collection.objects.filter(slug=slug).first()
        if collection is None:
            raise CommandError(f"There is no collection {slug!r}.")
        try:
            with file.open("rb") as stream:
                path = find_upload(collection, keep_upload(collection, File(stream), file.name))
            result = import_topics(collection=collection, path=path, skip=skip)
        except (AppError, OSError) as error:
            raise CommandError(str(error)) from error
        print("{added:,} added, {unchanged:,} unchanged, {skipped:,} skipped".format(**result))
        for reason in result["reasons"]:
            self.stderr.write(reason)
