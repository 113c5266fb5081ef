"""Answers to the questions of the gate. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice

from adjudication.standing import LabelledPair
from bundle.formats.records import is_writable

SHOWN = 20


@dataclass(frozen=True, slots=True)
class Faults:
    """The number of faults, and the first of them by name.

    `are_some` is set by a question about the collection as a whole, which counts nothing. `words`
    are for the sentences of the check.
    """

    count: int = 0
    items: tuple[str, ...] = ()
    are_some: bool = False
    words: Mapping[str, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        return not (self.count or self.are_some)


def faults(items: Iterable[str]) -> Faults:
    """All items counted; the first of them are kept."""
    every = iter(items)
    first = tuple(islice(every, SHOWN))
    return Faults(len(first) + sum(1 for _ in every), first)


def unwritable(ids: Iterable[str], facets: Iterable[str]) -> Faults:
    """Ids of labels, each once, and keys of facets that the files of qrels cannot have."""
    wrong = [repr(name) for name in sorted({name for name in ids if not is_writable(name)})]
    return faults([*wrong, *(f"facet {facet}" for facet in facets if facet == "all")])


def name_of(pair: LabelledPair) -> str:
    return f"{pair.query} {pair.docno}"
