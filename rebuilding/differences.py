"""The differences between a manifest and what is here, and how they are said."""

from __future__ import annotations

from corpus.digests import canonical_json
from pooling.errors import PoolingError


class Mismatch(PoolingError):
    """The pools here differ from the manifest; the message names the first difference."""


def check_equal(path: str, expected: object, actual: object) -> None:
    """Raise Mismatch if the value at this path of the manifest is not that of here."""
    if expected != actual:
        raise Mismatch(difference_of(path, expected, actual))


def difference_of(path: str, expected: object, actual: object) -> str:
    return f"{path}: the manifest says {json_text(expected)}, here it is {json_text(actual)}."


def json_text(value: object) -> str:
    return "missing" if value is None else canonical_json(value).decode()
