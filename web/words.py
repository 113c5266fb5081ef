"""Counts with their nouns. Pure."""

from __future__ import annotations


def count_noun(number: int, singular: str, plural: str = "") -> str:
    """A number and its noun: "1 query", "1,204 queries". The plural defaults to the noun + "s"."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"
