"""manage.py publish_release csfcube 1.0 --accept duplicates="So in the published pools." --output ."""

from __future__ import annotations

import shutil
from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import Collection
from jobs.work import run_now
from release.publishing import KIND
from web.errors import AppError


def reason(argument: str) -> tuple[str, str]:
    check, is_given, words = argument.partition("=")
    if not is_given:
        raise ArgumentTypeError(f'give the check and a reason, as in duplicates="Why.", got {argument!r}')
    return check, words


class Command(BaseCommand):
    help = "Publish the labels of a collection as a version, which never changes."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("version")
        parser.add_argument("--output", type=Path, help="also write the zip into this folder")
        parser.add_argument("--accept", action="append", type=reason, default=[], metavar="CHECK=REASON")
        parser.add_argument("--with-texts", action="store_true", help="include the texts of documents")
        parser.add_argument("--with-models", action="store_true", help="include what models as judges answered")
        parser.add_argument("--notes", default="", help="for the README")

    def handle(self, slug: str, version: str, output: Path | None, **options: Any) -> None:
        collection = Collection.objects.filter(slug=slug).first()
        if collection is None:
            raise CommandError(f"There is no collection {slug!r}.")
        values = {key: options[key] for key in ("with_texts", "with_models", "notes")}
        try:
            run_now(KIND, collection=collection, version=version, accept=dict(options["accept"]), **values)
        except AppError as error:
            raise CommandError(str(error)) from error
        release = collection.releases.get(version=version)
        if output:
            output.mkdir(parents=True, exist_ok=True)
            with release.file.open() as source, (output / release.file_name).open("wb") as target:
                shutil.copyfileobj(source, target)
            self.stdout.write(str(output / release.file_name))
        self.stdout.write(f"SHA-256 {release.sha256}")
