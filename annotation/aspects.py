"""Aspects, which a match can be about: the bold sentences of a query, or its names for them. Pure.

Judges who disagree have often looked at different sentences of one facet (CSFCube's main finding).
A judge can mark what a grade above 0 is about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from annotation.presentation import ShownText


class Aspect(NamedTuple):
    """A sentence of the query by its number in the abstract, or a named aspect by its place.

    Both count from 1. A sentence has no name.
    """

    number: int
    name: str = ""

    @property
    def text(self) -> str:
        return self.name or f"sentence {self.number}"


def aspects_of(shown: ShownText, names: Sequence[str]) -> tuple[Aspect, ...]:
    """The aspects of a query: those that it names, or else its bold sentences.

    One sentence alone is no choice, and of a topic nothing is bold: such a query has no aspects.
    """
    if names:
        return tuple(Aspect(number, name) for number, name in enumerate(names, start=1))
    if getattr(shown, "is_topic", False):
        return ()
    bold = [number for number, sentence in enumerate(shown.sentences, start=1) if sentence.in_facet]
    return tuple(map(Aspect, bold)) if len(bold) > 1 else ()


def aspects_text(numbers: Iterable[int], names: Sequence[str]) -> str:
    """The aspects in words: "sentence 2", "sentences 2, 5", or their names; "" without any."""
    found = sorted(numbers)
    if names:
        return ", ".join(f"“{names[number - 1]}”" for number in found if number <= len(names))
    if not found:
        return ""
    return f"{'sentence' if len(found) == 1 else 'sentences'} {', '.join(map(str, found))}"


NOTHING_MARKED = "none"  # in a file: the judge was asked, and marked nothing
_CELL = re.compile(r"[1-9]\d{0,3}( [1-9]\d{0,3})*", re.ASCII)


class InvalidAspects(ValueError):
    """The text of a file that is neither numbers in order, nor "none", nor empty."""


def aspects_cell(aspects: Sequence[int] | None) -> str:
    """A judgment's aspects in a file: "2 5", "none" without any, "" if it was not asked for."""
    if aspects is None:
        return ""
    return " ".join(map(str, aspects)) or NOTHING_MARKED


def parse_aspects(cell: str) -> list[int] | None:
    """The aspects that `aspects_cell` was given.

    Raises:
        InvalidAspects
    """
    if not cell:
        return None
    if cell == NOTHING_MARKED:
        return []
    numbers = list(map(int, cell.split(" "))) if _CELL.fullmatch(cell) else []
    if not numbers or numbers != sorted(set(numbers)):
        raise InvalidAspects('numbers in order such as 2 5, "none", or empty')
    return numbers


def sentence_marks(aspects: Iterable[Aspect]) -> dict[int, str]:
    """The sentences that can be marked, for the page, which shows their numbers."""
    return {aspect.number: "" for aspect in aspects if not aspect.name}


def marked_sentences(
    numbers_by_judge: Mapping[str, Iterable[int]], names: Sequence[str]
) -> dict[int, str]:
    """The judges who marked each sentence, as in {2: "A", 5: "A B"}; none if aspects have names."""
    if names:
        return {}
    found: dict[int, list[str]] = {}
    for judge, numbers in sorted(numbers_by_judge.items()):
        for number in numbers:
            found.setdefault(number, []).append(judge)
    return {number: " ".join(judges) for number, judges in sorted(found.items())}
