"""Erase a person."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand, account_named
from accounts.personal_data.erasing import erase_person, plan_erasure
from web.words import count_noun


class Command(ProjectCommand):
    help = "Erase a person. Judgments stay under a pseudonym. It cannot be undone."
    stage = "Settings"
    takes_collection = False
    plans = True

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("username", help="Of the person.")
        parser.add_argument("--confirm", default="", metavar="USERNAME", help="The username again.")

    def handle(self, *args: Any, **options: Any) -> None:
        person = account_named(options["username"])
        if options["dry_run"]:
            self._show_plan(person)
        elif not options["confirm"]:
            raise CommandError(
                f"This cannot be undone. See what it does with --dry-run. To erase the person, add "
                f"--confirm {person.username}"
            )
        else:
            pseudonym = erase_person(person=person, typed=options["confirm"])
            self.stdout.write(f"Erased. The account is {pseudonym} now.")

    def _show_plan(self, person: Any) -> None:
        plan = plan_erasure(person)
        for title, stored in (
            ("removed", plan.removed),
            ("stays without addresses and emails", plan.emptied),
            ("stays under a pseudonym", plan.kept),
        ):
            for rows, count in stored:
                self.stdout.write(f"{rows.name}: {count_noun(count, 'row')}, {title}")
        for sentence in plan.obstacles:
            self.stdout.write(f"Not possible now: {sentence}")
