"""The values that layouts share: what they are written from, their notes and loaders. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from bundle.counts import ReleaseCounts
from bundle.sampling import ReleasedSample
from bundle.snapshot import Snapshot
from bundle.zip.writing import StoredFile

if TYPE_CHECKING:
    from agreement.coefficients import Missing
    from bundle.findings import AcceptedFinding

Files = dict[str, "bytes | StoredFile"]  # by name in the zip


class FileNote(NamedTuple):
    """A file, or several whose names differ in `<a word>`, and what it holds.

    `what_of_citations` is what it holds if labels are citations, where that differs. `{folds}` in
    them stands for where the folds are from.
    """

    name: str
    what: str
    what_of_citations: str = ""

    def what_of(self, snapshot: Snapshot) -> str:
        what = self.what_of_citations if snapshot.of_citations else ""
        return (what or self.what).replace("{folds}", snapshot.folds.origin)

    @property
    def pattern(self) -> re.Pattern[str]:
        return re.compile("[^/]+".join(map(re.escape, re.split(r"<[^>]*>", self.name))))


@dataclass(frozen=True)
class UnpackedBundle:
    """A bundle that was unpacked into `folder`, and the names of its files.

    `relevant_from` is the lowest relevant grade, None in old bundles. Ordinary measures are wrong
    over a sample, so a sample has no loader that computes one.
    """

    folder: str
    files: Collection[str]
    relevant_from: int | None
    is_sample: bool


class LayoutLoader(NamedTuple):
    """A tool that reads a layout. `code` gives a program, "" if the bundle lacks what it needs.

    `key` is the id of its element on a page, and `reads` has the files whose names it needs.
    """

    key: str
    title: str
    code: Callable[[UnpackedBundle], str]
    reads: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Content:
    """A snapshot with what is computed from it once, for all layouts.

    `counts` are those of the manifest. `agreement` has the report's payload by how it treats
    missing judgments, and `confusion` the matrices of each facet. `accepted` are the findings of
    the gate that the publisher accepted.
    """

    snapshot: Snapshot
    version: str
    accepted: Sequence[AcceptedFinding]
    counts: ReleaseCounts
    sample: ReleasedSample | None
    agreement: Mapping[Missing, Mapping[str, Any]]
    confusion: Mapping[str, Mapping[str, Any]]
    software_version: str


def notes_on(names: Iterable[str], notes: Iterable[FileNote]) -> list[FileNote]:
    """The notes that are about at least one of the names; each name counts for its first note."""
    left, found = set(names), []
    for note in notes:
        pattern = note.pattern
        matching = {name for name in left if pattern.fullmatch(name)}
        if matching:
            found.append(note)
            left -= matching
    return found
