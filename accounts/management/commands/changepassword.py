"""Set the password of an account. It replaces Django's command of that name, to be recorded."""

from __future__ import annotations

import sys
from getpass import getpass
from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand, account_named
from accounts.models import User
from accounts.services import change_password

TRIES = 3


class Command(ProjectCommand):
    help = "Ask for a new password of an account. Its tokens and other logins end."
    stage = "Settings"
    takes_collection = False
    plans = True  # a transaction would be open while a person types

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("username", help="Of the person.")

    def handle(self, *args: Any, **options: Any) -> None:
        person = account_named(options["username"])
        for _ in range(TRIES):
            password = self._asked_password(person)
            if password:
                if not options["dry_run"]:
                    change_password(person=person, password=password)
                self.stdout.write(f"{person.username}: the password is changed.")
                return
        raise CommandError(f"Three passwords were refused. {person.username} keeps the old one.")

    def _asked_password(self, person: User) -> str:
        """Empty if it is refused, which the command then says."""
        password = _typed("New password: ")
        try:
            validate_password(password, person)
        except ValidationError as error:
            self.stderr.write(" ".join(error.messages))
            return ""
        if _typed("The same again: ") != password:
            self.stderr.write("These two are not the same.")
            return ""
        return password


def _typed(prompt: str) -> str:
    """A line that the terminal does not show, or one of a file."""
    return getpass(prompt) if sys.stdin.isatty() else sys.stdin.readline().rstrip("\n")
