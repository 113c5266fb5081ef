from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.files.base import File
from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import Collection
from corpus.uploads import discard_upload, find_upload, keep_upload
from jobs.work import run_now
from web.errors import AppError


class Command(BaseCommand):
    help = "Import documents from JSON, CSV, TSV, TREC or SMART files, plain, gz or zip: all of them, or none."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the collection's short name")
        parser.add_argument("files", type=Path, nargs="+")
        parser.add_argument("--skip", type=int, default=0, metavar="N", help="skip up to N wrong lines")
        parser.add_argument("--no-split", action="store_true", help="each line of an abstract is one sentence")

    def handle(self, *, slug: str, files: list[Path], skip: int, no_split: bool, **options: Any) -> None:
        collection = Collection.objects.filter(slug=slug).first()
        if collection is None:
            raise CommandError(f"There is no collection {slug!r}.")
        uploads: list[str] = []
        try:
            for path in files:
                with path.open("rb") as stream:
                    uploads.append(find_upload(collection, keep_upload(collection, File(stream), path.name)))
            split = not no_split
            result = run_now("import_documents", collection=collection, files=uploads, skip=skip, split=split)
        except (AppError, OSError) as error:
            raise CommandError(str(error)) from error
        finally:
            for upload in uploads:
                discard_upload(upload)
        print("{added:,} added, {unchanged:,} unchanged, {skipped:,} skipped".format(**result))
        for reason in result["reasons"]:
            self.stderr.write(reason)
