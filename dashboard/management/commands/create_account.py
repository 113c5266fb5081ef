"""Create an account with a role in a collection."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.forms import CreatePersonForm
from accounts.locking import CollectionArchived
from accounts.lookup import collection_named
from accounts.models import Role
from accounts.services import AccountError, create_person, username_in
from web.api.serializers import rolled_back_if


class Command(BaseCommand):
    help = "Create an account with a role in a collection, and print its one-time password."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", help="Its short name.")
        parser.add_argument("username", help="Like mara, who then logs in as mara@COLLECTION.")
        parser.add_argument("--role", required=True, choices=Role.values, help="In the collection.")
        parser.add_argument("--name", default="", help="The name that other people see.")
        parser.add_argument("--dry-run", action="store_true", help="Only check, create nothing.")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = collection_named(options["collection"])
        form = CreatePersonForm({key: options[key] for key in ("username", "name", "role")})
        if not form.is_valid():
            wrong = (f"{key}: {error}" for key in form.errors for error in form.errors[key])
            raise CommandError(" ".join(wrong))
        username = username_in(collection.slug, form.cleaned_data["username"])
        try:
            with rolled_back_if(options["dry_run"]):
                password = create_person(collection=collection, **form.cleaned_data)
        except (AccountError, CollectionArchived) as error:
            raise CommandError(str(error)) from error
        if options["dry_run"]:
            self.stdout.write(f"{username}: can be created (dry run: nothing was changed).")
        else:
            self.stdout.write(f"{username}: created. One-time password: {password}")
