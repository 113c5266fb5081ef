"""The changes between two versions, from the bundles themselves."""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, NamedTuple

from bundle.label_changes import Label, aligned, read_labels
from bundle.names import QRELS
from bundle.zip.writing import sha256
from release.files import path_of
from release.models import Release

README = "README.md"


class Unreadable(Exception):
    """A file of a bundle is missing, or its digest is not the one in the manifest."""


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


def read_qrels(content: bytes) -> Iterator[Label]:
    """The labels of a file of qrels, in its order."""
    return read_labels(BytesIO(content))


def read_member(release: Release, name: str) -> bytes:
    """A file of the bundle, after its checksum was compared with the manifest in the database.

    Raises:
        Unreadable: there is no such file, or it is another.
    """
    try:
        content = _member(path_of(release.collection.slug, release.version), name)
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise Unreadable(f"{name} of {release.version}") from error
    if sha256(content) != release.manifest["files"].get(name, {}).get("sha256"):
        raise Unreadable(f"{name} of {release.version}")
    return content


def _member(bundle: Path | BinaryIO, name: str) -> bytes:
    with zipfile.ZipFile(bundle) as archive:
        return archive.read(name)


def difference_to(before: Release, bundle: BinaryIO) -> Difference | None:
    """The changes from a published version to a new bundle; None if that cannot be read."""
    try:
        old = read_member(before, QRELS)
    except Unreadable:
        return None
    new = _member(bundle, QRELS)
    return compare(before.version, read_qrels(old), read_qrels(new))
