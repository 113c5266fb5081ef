"""The record as a table: its columns, and the lines of its files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from accounts.actions.models import RecordedAction
from accounts.models import User
from web.tables.columns import Column, Table


def _username(person: User | None) -> str:
    return person.username if person else ""


def _name(person: User | None) -> str:
    return person.shown_name if person else ""


def _details(action: RecordedAction) -> str:
    return json.dumps(action.details, ensure_ascii=False, sort_keys=True) if action.details else ""


Fields = Mapping[str, Callable[[RecordedAction], Any]]
WHEN: Fields = {"at": lambda action: action.at.isoformat()}
WHO: Fields = {
    "person": lambda action: _username(action.person),
    "name": lambda action: _name(action.person),
}
WHAT: Fields = {"kind": lambda action: action.kind}
SUBJECT: Fields = {
    "subject_kind": lambda action: action.subject_kind,
    "subject": lambda action: _username(action.about) or action.subject_label,
}
DETAILS: Fields = {"details": _details}
WAY: Fields = {"way": lambda action: action.way, "tool": lambda action: action.tool}
COLLECTION: Fields = {"collection": lambda action: action.collection_slug}
# Where people are is no business of a collection's admin.
FROM: Fields = {"address": lambda action: action.address, "agent": lambda action: action.agent}

ACTIONS: Table[RecordedAction] = Table(
    "actions",
    [
        Column("when", "When", WHEN),
        Column("who", "Who", WHO),
        Column("what", "What", WHAT),
        Column("about", "About", SUBJECT),
        Column("details", "Details", DETAILS),
        Column("way", "Way", WAY),
    ],
)
SERVER_ACTIONS: Table[RecordedAction] = Table(
    "server-actions",
    [
        *ACTIONS.columns,
        Column("collection", "Collection", COLLECTION),
        Column("from", "Address", FROM),
    ],
)


def json_lines(table: Table[RecordedAction], actions: Iterable[RecordedAction]) -> Iterator[str]:
    """A line for each action, with the fields of the CSV file; details are an object."""
    fields = {name: value for column in table.columns for name, value in column.fields.items()}
    for action in actions:
        values = {name: value(action) for name, value in fields.items()}
        line = values | {"details": action.details}
        yield f"{json.dumps(line, ensure_ascii=False)}\n"


def in_words(details: Mapping[str, Any]) -> str:
    """Details for a page: "role: annotator · seat: 1"."""
    return " · ".join(f"{name.replace('_', ' ')}: {_value(each)}" for name, each in details.items())


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, list):
        return ", ".join(str(each).replace("_", " ") for each in value)
    return str(value)
