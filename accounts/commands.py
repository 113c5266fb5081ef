"""The base class of every command: collection first, the same options, errors as sentences."""

from __future__ import annotations

from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.actions.actors import LONGEST_TOOL, Actor, acting
from accounts.actions.kinds import ActionWay
from accounts.models import Collection, User
from database.dry_run import rolled_back_if
from web.errors import UserFacingError
from web.program import command_text


class ProjectCommand(BaseCommand):
    """A command of ours. Its name is a verb and a noun.

    `handle` gets the collection itself in `options["collection"]`. A command that makes a
    collection gets the short name. An error for people becomes a sentence, without a traceback.
    """

    stage: ClassVar[str]  # of the navigation; `manage.py help` groups commands by it
    takes_collection = True
    makes_collection = False
    writes = True  # so it takes --dry-run
    # A dry run is the command in a transaction that is rolled back. Where that would hold locks
    # for long or leave files, the command plans: it reads `options["dry_run"]` and writes nothing.
    plans = False
    formats: tuple[str, ...] = ()  # of the output; the first is the default
    input_formats: tuple[str, ...] = ()  # of files; the first is the default

    def add_arguments(self, parser: CommandParser) -> None:
        if self.takes_collection:
            whose = "new collection" if self.makes_collection else "collection"
            parser.add_argument("collection", help=f"The short name of the {whose}.")
        if self.writes:
            parser.add_argument(
                "--dry-run",
                action="store_true",
                help="Check and print what would happen. Nothing changes.",
            )
        for option, choices in (("--format", self.formats), ("--input-format", self.input_formats)):
            if choices:
                what = "files" if option == "--input-format" else "output"
                parser.add_argument(
                    option,
                    choices=choices,
                    default=choices[0],
                    help=f"The format of the {what} (default: {choices[0]}).",
                )

    def execute(self, *args: Any, **options: Any) -> str | None:
        is_dry_run = bool(options.get("dry_run"))
        name = type(self).__module__.rpartition(".")[2]
        try:
            if self.takes_collection and not self.makes_collection:
                options["collection"] = collection_named(options["collection"])
            with (
                acting(Actor(ActionWay.COMMAND, tool=name[:LONGEST_TOOL])),
                rolled_back_if(is_dry_run and not self.plans),
            ):
                output = super().execute(*args, **options)
        except UserFacingError as error:
            raise CommandError(str(error)) from error
        if is_dry_run:
            self.stderr.write("Dry run: nothing was changed.")
        return output


def collection_named(slug: str) -> Collection:
    """The collection with that short name.

    Raises:
        CommandError: it does not exist. The message lists the existing ones.
    """
    collections = Collection.objects.finished()
    collection = collections.filter(slug=slug).first()
    if collection is None:
        slugs = ", ".join(collections.values_list("slug", flat=True)) or "none yet"
        raise CommandError(
            f"No collection {slug!r}. Existing collections: {slugs}. "
            "Create one with: "
            + command_text("create_collection SLUG --name NAME --admin USERNAME")
        )
    return collection


def account_named(username: str) -> User:
    """The account. Raises CommandError if there is none."""
    account = User.objects.filter(username=username).first()
    if account is None:
        raise CommandError(f"No user {username!r}. Create the account first.")
    return account
