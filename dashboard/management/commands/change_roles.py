"""Add, change and remove a person of a collection."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.access import roles_in
from accounts.commands import ProjectCommand
from accounts.models import Collection, Role, User
from dashboard.services import change_roles
from web.program import command_text


class Command(ProjectCommand):
    help = "Add and remove roles of a person. The person must have an account."
    stage = "Judging"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("username", help="Of the person.")
        for name, help_text in (("--add", "Roles to give."), ("--remove", "Roles to remove.")):
            parser.add_argument(
                name, nargs="+", default=[], choices=Role.values, metavar="ROLE", help=help_text
            )

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
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
                + command_text(f"create_account {collection.slug} USERNAME --role ROLE")
            )
        roles = (roles_in(collection, person) | add) - remove
        change_roles(collection=collection, person=person, roles=roles)
        outcome = ", ".join(sorted(roles)) or "no role"
        self.stdout.write(f"{collection.slug}: {person.username}: {outcome}.")
