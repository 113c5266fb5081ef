"""Create a token of the API for a person."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand, account_named
from accounts.tokens.forms import DEFAULT_LIFETIME, LIFETIMES, TokenForm
from accounts.tokens.scopes import TokenScope
from accounts.tokens.services import create_token

NEVER = "never"


class Command(ProjectCommand):
    help = "Create an API token for a person. Prints it once."
    stage = "Judging"
    takes_collection = False

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("username", help="Of the person for whom the token acts.")
        parser.add_argument("--name", required=True, help="What uses the token.")
        parser.add_argument(
            "--scope", required=True, choices=TokenScope.values, help="What it may do."
        )
        parser.add_argument(
            "--expires",
            choices=[days or NEVER for days in LIFETIMES],
            default=DEFAULT_LIFETIME,
            help=f"After how many days, or {NEVER} (default: {DEFAULT_LIFETIME}).",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        person = account_named(options["username"])
        lifetime = "" if options["expires"] == NEVER else options["expires"]
        form = TokenForm({"name": options["name"], "scope": options["scope"], "lifetime": lifetime})
        if not form.is_valid():
            wrong = (f"{key}: {error}" for key in form.errors for error in form.errors[key])
            raise CommandError(" ".join(wrong))
        fields = form.cleaned_data
        token = create_token(
            person=person, name=fields["name"], scope=fields["scope"], days=form.days
        )
        if options["dry_run"]:
            self.stdout.write(f"{person.username}: the token can be created.")
        else:
            self.stdout.write(token)
