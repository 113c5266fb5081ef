"""List the people of a collection."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from accounts.lookup import collection_named


class Command(BaseCommand):
    help = "List the people of a collection: their usernames, roles and names, between tabs."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", help="Its short name.")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = collection_named(options["collection"])
        roles: dict[tuple[str, str], list[str]] = {}
        memberships = collection.memberships.select_related("user")
        for membership in memberships.order_by("user__username", "role"):
            person = membership.user
            roles.setdefault((person.username, person.shown_name), []).append(membership.role)
        for (username, name), held in roles.items():
            self.stdout.write(f"{username}\t{','.join(held)}\t{name}")
