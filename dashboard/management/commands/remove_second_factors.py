"""Remove the second factors of a person who has lost them."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import ProjectCommand, account_named
from accounts.login.second_factors import remove_second_factors
from web.words import count_noun


class Command(ProjectCommand):
    help = "Remove the second factors of a person who has lost them."
    stage = "Judging"
    takes_collection = False

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("username", help="Of the person. Be sure who asks you to do this.")

    def handle(self, *args: Any, **options: Any) -> None:
        person = account_named(options["username"])
        number = remove_second_factors(person=person)
        self.stdout.write(f"{person.username}: {count_noun(number, 'second factor')} removed.")
