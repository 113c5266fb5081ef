"""The values of a release from elsewhere, checked: each error names its place. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from typing import Any, NoReturn, TypeVar

from bundle.reading.opened import BundleError, OpenedBundle, parsed_json, read_lines
from corpus.formats.document_lines import Problem, checked_text, excerpt

T = TypeVar("T")
LARGEST_NUMBER = 2**31 - 1  # that both databases store
HIGHEST_GRADE = 4  # of any scale


class Fields:
    """An object of a JSON file. Each method gives a field, or raises BundleError."""

    def __init__(self, value: Any, file: str, line: int | None = None, within: str = "") -> None:
        self.file, self.line, self._within = file, line, within
        if not isinstance(value, dict):
            self.fail(f"must be an object, got {excerpt(value)}.")
        self._value: Mapping[str, Any] = value

    def fail(self, reason: str) -> NoReturn:
        raise BundleError(self.file, self.line, f"{self._within}{reason}")

    def text(self, name: str, *, longest: int | None = None, default: str | None = None) -> str:
        try:
            text = checked_text(self._value.get(name), f'"{name}"', default=default)
        except Problem as problem:
            self.fail(str(problem))
        if longest is not None and len(text) > longest:
            self.fail(f'"{name}" must have at most {longest} characters, got {len(text):,}.')
        return text

    def whole(self, name: str, *, least: int = 0, most: int = LARGEST_NUMBER) -> int:
        value = self._value.get(name)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            self.fail(
                f'"{name}" must be a whole number from {least} to {most}, got {excerpt(value)}.'
            )
        return value

    def optional_whole(self, name: str, **limits: int) -> int | None:
        return None if self._value.get(name) is None else self.whole(name, **limits)

    def number(self, name: str) -> float:
        value = self._value.get(name)
        # A whole number of 400 digits is one, but no float has its value.
        if isinstance(value, bool) or not isinstance(value, int | float) or not _is_float(value):
            self.fail(f'"{name}" must be a number, got {excerpt(value)}.')
        return float(value)

    def optional_number(self, name: str) -> float | None:
        return None if self._value.get(name) is None else self.number(name)

    def truth(self, name: str) -> bool:
        value = self._value.get(name)
        if not isinstance(value, bool):
            self.fail(f'"{name}" must be true or false, got {excerpt(value)}.')
        return value

    def optional_truth(self, name: str) -> bool | None:
        return None if self._value.get(name) is None else self.truth(name)

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts; none if the field is missing."""
        try:
            return tuple(checked_text(item, f'an item of "{name}"') for item in self._list(name))
        except Problem as problem:
            self.fail(str(problem))

    def optional_texts(self, name: str) -> tuple[str, ...]:
        """Those of `texts`; none if the key is missing."""
        return () if self._value.get(name) is None else self.texts(name)

    def wholes(self, name: str) -> tuple[int, ...]:
        items = self._list(name)
        if any(isinstance(item, bool) or not isinstance(item, int) for item in items):
            self.fail(f'"{name}" must be a list of whole numbers, got {excerpt(items)}.')
        return tuple(items)

    def fields(self, name: str) -> Fields:
        return Fields(self._value.get(name), self.file, self.line, f'{self._within}"{name}": ')

    def optional_fields(self, name: str) -> Fields | None:
        return None if self._value.get(name) is None else self.fields(name)

    def each(self, name: str, read: Callable[[Fields], T]) -> tuple[T, ...]:
        """A list of objects, each read; none if the field is missing."""
        return tuple(
            read(Fields(item, self.file, self.line, f'{self._within}item {place} of "{name}": '))
            for place, item in enumerate(self._list(name), start=1)
        )

    def mapping(self, name: str) -> dict[str, Any]:
        """An object as it is, with values that a database can store; empty if it is missing."""
        value = self._value.get(name)
        if value is None:
            return {}
        if not isinstance(value, dict):
            self.fail(f'"{name}" must be an object, got {excerpt(value)}.')
        self._check_storable(name, value)
        return value

    def values(self, name: str) -> list[Any]:
        """A list as it is, with values that a database can store."""
        items = self._list(name)
        self._check_storable(name, items)
        return items

    def _list(self, name: str) -> list[Any]:
        value = self._value.get(name)
        if value is None:
            return []
        if not isinstance(value, list):
            self.fail(f'"{name}" must be a list, got {excerpt(value)}.')
        return value

    def _check_storable(self, name: str, value: Any) -> None:
        try:
            checked_text(json.dumps(value, ensure_ascii=False, allow_nan=False), f'"{name}"')
        except (Problem, ValueError, RecursionError) as problem:
            self.fail(f"{problem}")
        if "\\u0000" in json.dumps(value):
            self.fail(f'"{name}" contains the character U+0000, which cannot be stored. Remove it.')


def _is_float(value: float) -> bool:
    try:
        return isfinite(value)
    except OverflowError:
        return False


def each_line(bundle: OpenedBundle, name: str) -> Iterator[Fields]:
    """The objects of a JSON Lines file. Raises BundleError."""
    for number, line in read_lines(bundle, name):
        yield Fields(parsed_json(line, name, number), name, number)
