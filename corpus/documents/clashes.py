"""The message about all ids of an import that are in use already."""

from __future__ import annotations

from typing import NamedTuple

from corpus.services import CorpusError


class Clash(NamedTuple):
    """An id of a file that is in use. `reason` continues the sentence "FIELD is ID, "."""

    file: str
    line: int | None
    field: str
    identifier: str
    reason: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.field} is {self.identifier}, {self.reason}."


class IdsTaken(CorpusError):
    """Ids are in use, so nothing was imported. `first` is the example of the message."""

    def __init__(self, name: str, *, summary: str, first: Clash, advice: str) -> None:
        self.first = first
        super().__init__(clash_message(name, summary=summary, first=first, advice=advice))


def clash_message(name: str, *, summary: str, first: Clash, advice: str) -> str:
    """The message: the file, the number of ids in use, the first of them, and how to fix it."""
    return f"Nothing of {name} was imported. {summary}\n{first}\n{advice}"


def prefix_advice(nouns: str, example: str) -> str:
    return (
        f"If they are different {nouns}, import one of the files with a prefix for its ids, such "
        f"as {example}."
    )
