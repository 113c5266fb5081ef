"""Sentences that a query names instead of a whole facet: numbers from 1, as in 2,4-5. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from web.errors import UserFacingError

RANGES = r"\d+(?:-\d+)?(?:,\s*\d+(?:-\d+)?)*"
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,19}")
WHOLE = "whole"  # stands for the queries of a whole facet where a name is asked for
HIGHEST = 9_999  # no abstract has so many sentences
EXAMPLE = "Write the numbers from 1, such as 2,4-5."

Numbers = tuple[int, ...]


class SentenceNumberError(UserFacingError):
    """Numbers of sentences, or the name of a query by sentences, that are invalid."""


def parse_numbers(text: str) -> Numbers:
    """The numbers of "2,4-5", each once and in order.

    Raises:
        SentenceNumberError: the text is empty or no list of numbers from 1.
    """
    if not text.strip():
        raise SentenceNumberError(f"No sentences are given. {EXAMPLE}")
    if not re.fullmatch(RANGES, text.strip(), re.ASCII):
        raise SentenceNumberError(f'"{text.strip()}" is not a list of sentences. {EXAMPLE}')
    numbers: set[int] = set()
    for part in text.split(","):
        first, _, last = part.strip().partition("-")
        low, high = int(first[:9]), int((last or first)[:9])
        if not 1 <= low <= high:
            raise SentenceNumberError(f'"{part.strip()}" is not a range of sentences. {EXAMPLE}')
        if high > HIGHEST:
            raise SentenceNumberError(f"There is no sentence {high}. {EXAMPLE}")
        numbers.update(range(low, high + 1))
    return tuple(sorted(numbers))


def numbers_text(numbers: Iterable[int]) -> str:
    """The numbers as `parse_numbers` reads them: "2,4-5"."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(str(low) if low == high else f"{low}-{high}" for low, high in runs)


def check_numbers(numbers: Numbers, sentences: int, docno: str) -> None:
    """Raise SentenceNumberError if the numbers are not of these many sentences of the document."""
    if not numbers:
        raise SentenceNumberError(f"No sentence of {docno} is chosen. {EXAMPLE}")
    outside = [number for number in numbers if not 1 <= number <= sentences]
    if outside:
        has = f"its sentences are 1 to {sentences}" if sentences else "it has no sentences"
        raise SentenceNumberError(
            f"{docno} has no sentence {outside[0]}; {has}. Choose sentences of its abstract."
        )


def check_name(name: str) -> None:
    """Raise SentenceNumberError for a word that cannot end the id of a query."""
    if not NAME.fullmatch(name) or name == WHOLE:
        raise SentenceNumberError(
            f'The name "{name}" is invalid. Use at most 20 lower-case letters, digits and '
            "hyphens, such as 2 or pruning."
        )


def next_name(names: Iterable[str]) -> str:
    """The first of "2", "3", … that is not among the names. 1 is the whole facet."""
    used = set(names)
    number = 2
    while str(number) in used:
        number += 1
    return str(number)
