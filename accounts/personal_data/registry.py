"""The registry of rows about people. Each room adds its own; a test finds what is missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from django.apps import apps
from django.db.models import Model, Q, QuerySet

from accounts.models import User


class Fate(StrEnum):
    """The effect of an erasure on rows."""

    REMOVED = "removed"
    EMPTIED = "emptied"
    KEPT = "kept"


@dataclass(frozen=True)
class PersonalRows:
    """The rows of a table that are about a person, as one file of an export.

    `people` are the columns that refer to the person, or `found` gives the condition.
    `columns` are what the export has of a row: its name there, and the path to the value. It has
    nothing about anybody else. Rows for which `private` holds are for the person's own eyes: an
    export by another person leaves them out. An erasure removes the rows, sets the values of
    `emptied`, or keeps the rows, which then show the pseudonym.
    """

    name: str
    about: str
    model_label: str
    people: tuple[str, ...]
    columns: Mapping[str, str]
    fate: Fate = Fate.KEPT
    emptied: Mapping[str, Any] = field(default_factory=dict)
    found: Callable[[User], Q] | None = None
    private: Q | None = None

    @property
    def model(self) -> type[Model]:
        return apps.get_model(self.model_label)

    @property
    def file(self) -> str:
        return f"{self.name}.jsonl"

    def of(self, person: User) -> QuerySet[Any]:
        condition = self.found(person) if self.found else Q()
        for column in () if self.found else self.people:
            condition |= Q(**{column: person.pk})
        return self.model._default_manager.filter(condition).order_by("pk")

    def erase(self, person: User) -> None:
        if self.fate is Fate.REMOVED:
            self.of(person).delete()
        elif self.fate is Fate.EMPTIED:
            self.of(person).update(**self.emptied)


Obstacle = Callable[[User], Sequence[str]]

_rows: dict[str, PersonalRows] = {}
_left_out: dict[str, str] = {}
_obstacles: list[Obstacle] = []


def register_rows(
    name: str,
    about: str,
    *columns: str,
    model: str,
    people: Sequence[str],
    fate: Fate = Fate.KEPT,
    **more: Any,
) -> None:
    """Register rows. A column is a path such as `pair__query__name`, or `query=pair__query__name`.

    `more` are the other fields of PersonalRows.
    """
    paths = dict(_named(column) for column in columns)
    _rows[name] = PersonalRows(name, about, model, tuple(people), paths, fate, **more)


def _named(column: str) -> tuple[str, str]:
    name, is_named, path = column.partition("=")
    return (name, path) if is_named else (column, column)


def leave_out(reason: str, *columns: str) -> None:
    """State why columns that refer to people, such as `app.Model.column`, are in no export."""
    for column in columns:
        _left_out[column] = reason


def obstacle(check: Obstacle) -> Obstacle:
    """Register a function that lists, as sentences, why a person cannot be erased now."""
    _obstacles.append(check)
    return check


def personal_rows() -> list[PersonalRows]:
    """All of them, by name."""
    return [_rows[name] for name in sorted(_rows)]


def left_out() -> Mapping[str, str]:
    return dict(_left_out)


def obstacles_for(person: User) -> list[str]:
    return [sentence for check in _obstacles for sentence in check(person)]
