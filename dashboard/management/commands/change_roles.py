"""Add, change and remove a person of a collection."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.access import roles_in
from accounts.locking import CollectionArchived
from accounts.lookup import collection_named
from accounts.models import Role, User
from accounts.services import AccountError
from dashboard.services import change_roles
from web.api.serializers import rolled_back_if


class Command(BaseCommand):
    help = "Add roles in a collection to a person who has an account, and remove roles."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", help="Its short name.")
        parser.add_argument("username", help="Of the person.")
        for name, help_text in (("--add", "Roles to give."), ("--remove", "Roles to remove.")):
            parser.add_argument(
                name, nargs="+", default=[], choices=Role.values, metavar="ROLE", help=help_text
            )
        parser.add_argument("--dry-run", action="store_true", help="Only print the new roles.")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = collection_named(options["collection"])
        add, remove = set(options["add"]), set(options["remove"])
        if not add | remove or add & remove:
            raise CommandError(
                "Name different roles to --add and to --remove, and at least one: "
                f"{', '.join(Role.values)}."
            )
        person = User.objects.filter(username=options["username"]).first()
        if person is None:
            raise CommandError(
                f"No account {options['username']!r}. Create one with: "
                f"manage.py create_account {collection.slug} USERNAME --role ROLE"
            )
        try:
            with rolled_back_if(options["dry_run"]):
                roles = (roles_in(collection, person) | add) - remove
                change_roles(collection=collection, person=person, roles=roles)
        except (AccountError, CollectionArchived) as error:
            raise CommandError(str(error)) from error
        outcome = ", ".join(sorted(roles)) or "no role"
        tried = " (dry run: nothing was changed)" if options["dry_run"] else ""
        self.stdout.write(f"{collection.slug}: {person.username}: {outcome}{tried}.")
