"""The base class of the commands that list actions."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, ClassVar

from django.core.management.base import CommandParser

from accounts.actions.kinds import ActionKind, ActionWay
from accounts.actions.models import RecordedAction, RecordedActionQuerySet
from accounts.actions.reading import ActionChoice, matching, with_people
from accounts.actions.table import in_words, json_lines
from accounts.commands import ProjectCommand
from web.tables.columns import Table

CHUNK = 2_000  # rows that are read together


class ListingCommand(ProjectCommand):
    stage = "Settings"
    writes = False
    formats = ("table", "jsonl", "csv")
    table: ClassVar[Table[RecordedAction]]

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--kind",
            default="",
            choices=ActionKind.values,
            metavar="KIND",
            help="Only actions of this kind, such as role-given.",
        )
        parser.add_argument("--person", default="", help="Only those of this username or name.")
        parser.add_argument("--way", default="", choices=ActionWay.values, help="How it was done.")
        for name, which in (("--since", "first"), ("--until", "last")):
            parser.add_argument(
                name, type=date.fromisoformat, metavar="DAY", help=f"The {which} day: 2026-02-28."
            )
        parser.add_argument("--limit", type=int, default=0, help="At most so many; 0 for all.")

    def list(self, actions: RecordedActionQuerySet, options: Mapping[str, Any]) -> None:
        choice = ActionChoice(**{name: options[name] for name in ActionChoice._fields})
        found = with_people(matching(actions, choice)).newest_first()
        if options["limit"]:
            found = found[: options["limit"]]
        rows = found.iterator(chunk_size=CHUNK)
        if options["format"] == "jsonl":
            for line in json_lines(self.table, rows):
                self.stdout.write(line, ending="")
        elif options["format"] == "csv":
            for line in self.table.whole.csv_lines(rows):
                self.stdout.write(line.removesuffix("\r\n"))  # `write` ends the line
        else:
            for row in rows:
                self.stdout.write("\t".join(_cells(row)))


def _cells(action: RecordedAction) -> list[str]:
    person = action.person.username if action.person else "-"
    subject = action.about.username if action.about else action.subject_label
    return [
        f"{action.at:%Y-%m-%d %H:%M:%S}",
        person,
        action.kind,
        subject,
        in_words(action.details),
    ]
