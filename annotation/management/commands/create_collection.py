"""Make an empty collection, ready for documents."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import User
from annotation.services import set_up_collection
from corpus.services import CorpusError


class Command(BaseCommand):
    help = "Make a collection with the default facets and guidelines."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="Its short name: letters, digits, hyphens, underscores.")
        parser.add_argument("--name", required=True, help="Its name, as people say it.")
        parser.add_argument("--admin", required=True, help="Username of its first admin.")
        parser.add_argument("--licence", default="", help="Of its data, like CC-BY-4.0.")

    def handle(self, *args: Any, **options: Any) -> None:
        owner = User.objects.filter(username=options["admin"]).first()
        if owner is None:
            raise CommandError(f"No user {options['admin']!r}; make the account first.")
        try:
            collection = set_up_collection(
                slug=options["slug"], name=options["name"], owner=owner, licence=options["licence"]
            )
        except CorpusError as error:
            raise CommandError(str(error)) from error
        facets = ", ".join(collection.facets.values_list("key", flat=True))
        self.stdout.write(f"{collection.slug}: created with the facets {facets}; admin {owner}.")
