"""Create an account with a role in a collection."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand
from accounts.forms import CreatePersonForm
from accounts.models import Collection, Role
from accounts.services import create_person, username_in


class Command(ProjectCommand):
    help = "Create an account with a role in a collection. Prints its one-time password."
    stage = "Judging"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("username", help="Like mara, who then logs in as mara@COLLECTION.")
        parser.add_argument("--role", required=True, choices=Role.values, help="In the collection.")
        parser.add_argument("--name", default="", help="The name that other people see.")

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        form = CreatePersonForm({key: options[key] for key in ("username", "name", "role")})
        if not form.is_valid():
            wrong = (f"{key}: {error}" for key in form.errors for error in form.errors[key])
            raise CommandError(" ".join(wrong))
        username = username_in(collection.slug, form.cleaned_data["username"])
        password = create_person(collection=collection, **form.cleaned_data)
        if options["dry_run"]:
            self.stdout.write(f"{username}: can be created.")
        else:
            self.stdout.write(f"{username}: created. One-time password: {password}")
