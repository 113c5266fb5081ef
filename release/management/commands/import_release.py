"""manage.py import_release csfcube-1.0.zip csfcube --admin ann"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import Collection, User
from annotation.models import Judgment, Pair
from release.importing import import_release
from web.errors import AppError


class Command(BaseCommand):
    help = "Make a collection of a release's zip, once it is verified."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, metavar="zip")
        parser.add_argument("slug", help="the short name of the new collection")
        parser.add_argument("--admin", default="", help="username of its admin; without one, only superusers see it")

    def handle(self, slug: str, admin: str, **options: Any) -> None:
        user = User.objects.filter(username=admin).first()
        if admin and user is None:
            raise CommandError(f"There is no account {admin!r}.")
        try:
            collection = self.make(slug=slug, admin=user, **options)
        except AppError as error:
            raise CommandError(str(error)) from error
        judgments = Judgment.objects.filter(collection=collection)
        self.stdout.write(
            f"{slug}: {collection.documents.count():,} documents, {collection.queries.count()} queries "
            f"({collection.queries.exclude(openings=None).count()} judged), "
            f"{Pair.objects.of(collection).count():,} pairs, {judgments.count():,} judgments "
            f"({judgments.filter(grade=None).count()} missing), {collection.decisions.count():,} decisions."
        )

    def make(self, *, path: Path, slug: str, admin: User | None, **options: Any) -> Collection:
        return import_release(file=path, slug=slug, admin=admin)
