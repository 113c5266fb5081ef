"""Sorting and filtering, for every table of the admin's pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

Row = TypeVar("Row")


class Sort(NamedTuple):
    """By which column a table is sorted."""

    key: str
    descending: bool

    @property
    def aria(self) -> str:
        return "descending" if self.descending else "ascending"


def sort_rows(
    rows: Iterable[Row], asked: str, keys: Mapping[str, Callable[[Row], Any]], default: str
) -> tuple[list[Row], Sort]:
    """The rows as the address asks: "size" or "-size"; what has no value comes last either way."""
    name = asked if asked.removeprefix("-") in keys else default
    sort = Sort(name.removeprefix("-"), name.startswith("-"))
    key = keys[sort.key]
    known: list[Row] = []
    unknown: list[Row] = []
    for row in rows:
        (unknown if key(row) is None else known).append(row)
    return sorted(known, key=key, reverse=sort.descending) + unknown, sort


def matching(rows: Iterable[Row], words: str, text: Callable[[Row], str]) -> list[Row]:
    """The rows whose text has every word, in any case."""
    wanted = words.casefold().split()
    return [row for row in rows if all(word in text(row).casefold() for word in wanted)]
