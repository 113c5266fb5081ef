"""The natural order of ids: q2 comes before q10.

No collation orders texts like this on both databases, so rows store a key whose plain order is the
natural one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

NUMBER = re.compile("[0-9]+")


def natural_key(text: str) -> str:
    """A text whose order by code point is the natural order of `text`. Pure.

    Numbers are compared by value, then by their leading zeros; everything else by code point.
    Different texts have different keys. The key of n characters has at most 2n + 1.
    """
    return NUMBER.sub(_number_key, text)


def _number_key(match: re.Match[str]) -> str:
    # The number of digits comes first, because 10 has more digits than 9.
    digits = match[0].lstrip("0")
    return f"{_length_key(len(digits))}{digits}{_length_key(len(match[0]) - len(digits))}"


def _length_key(length: int) -> str:
    """A digit up to 8, and 9 with three digits above. Ids have at most 240 characters."""
    return str(length) if length < 9 else f"9{length:03}"


class NaturalKeyField(models.CharField):  # type: ignore[type-arg]
    """The natural key of the field `of`, written with every row that Django saves.

    Bulk inserts of plain values write it themselves.
    """

    def __init__(self, *arguments: Any, of: str, **options: Any) -> None:
        self.of = of
        super().__init__(*arguments, **{"editable": False, **options})

    def deconstruct(self) -> tuple[str, str, Sequence[Any], dict[str, Any]]:
        name, path, arguments, options = super().deconstruct()
        return name, path, arguments, {**options, "of": self.of}

    def pre_save(self, model_instance: models.Model, add: bool) -> str:
        key = natural_key(getattr(model_instance, self.of))
        setattr(model_instance, self.attname, key)
        return key

    def db_parameters(self, connection: BaseDatabaseWrapper) -> dict[str, Any]:
        """By code point, as SQLite compares texts and as pure functions do."""
        collation = "C" if connection.vendor == "postgresql" else None
        return {**super().db_parameters(connection), "collation": collation}
