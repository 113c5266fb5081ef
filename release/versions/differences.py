"""The changes between two versions, from the bundles themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import BinaryIO, NamedTuple

from bundle.label_changes import Label, aligned, read_labels
from bundle.names import QRELS
from bundle.reading.opened import ZipBundle
from release.models import Release
from release.versions.published_files import Unreadable, check_file, lines_of


class Difference(NamedTuple):
    """Labels that came, went, or got another grade since the version `since`."""

    since: str
    added: int
    removed: int
    changed: int


def compare(since: str, before: Iterable[Label], after: Iterable[Label]) -> Difference:
    """Both in the order of their files, so that neither has to be in memory."""
    kinds = Counter(pair.kind for pair in aligned(before, after))
    return Difference(since, kinds["added"], kinds["removed"], kinds["changed"])


def difference_to(before: Release, bundle: BinaryIO) -> Difference | None:
    """The changes from a published version to a new bundle; None if that cannot be read."""
    try:
        check_file(before, QRELS)
        with ZipBundle(bundle).open(QRELS) as after:
            old = read_labels(lines_of(before, QRELS))
            return compare(before.version, old, read_labels(after))
    except Unreadable:
        return None
