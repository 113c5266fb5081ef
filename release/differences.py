"""What a version's labels have that the version before had not, read from the two bundles."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import NamedTuple

from release.bundle import sha256
from release.files import path_of
from release.models import Release

QRELS = "trec/qrels.all.txt"
README = "README.md"

Labels = Mapping[tuple[str, str], str]


class Unreadable(Exception):
    """A file of a bundle is gone or is not what the manifest says."""


class Difference(NamedTuple):
    """Labels that came, went, or got another grade since the version `since`."""

    since: str
    added: int
    removed: int
    changed: int

    @property
    def none(self) -> bool:
        return not (self.added or self.removed or self.changed)


def compare(since: str, before: Labels, after: Labels) -> Difference:
    both = before.keys() & after.keys()
    return Difference(
        since=since,
        added=len(after.keys() - both),
        removed=len(before.keys() - both),
        changed=sum(before[pair] != after[pair] for pair in both),
    )


def read_qrels(content: bytes) -> Labels:
    """(query, docno) to grade."""
    lines = (line.split() for line in content.decode().splitlines())
    return {(query, docno): grade for query, _, docno, grade in lines}


def read_member(release: Release, name: str) -> bytes:
    """A file of the bundle, after its checksum was compared with the manifest in the database.

    Raises:
        Unreadable: there is no such file, or it is another.
    """
    try:
        with zipfile.ZipFile(path_of(release.collection.slug, release.version)) as bundle:
            content = bundle.read(name)
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise Unreadable(f"{name} of {release.version}") from error
    if sha256(content) != release.manifest["files"].get(name, {}).get("sha256"):
        raise Unreadable(f"{name} of {release.version}")
    return content


def differences(releases: Iterable[Release]) -> dict[int, Difference]:
    """Release to what changed since the one before; newest first, unreadable ones left out."""
    found: dict[int, Difference] = {}
    for after, before in pairwise(releases):
        try:
            found[after.pk] = _difference(before, after)
        except Unreadable:
            continue
    return found


def _difference(before: Release, after: Release) -> Difference:
    digests = [one.manifest["files"].get(QRELS, {}).get("sha256") for one in (before, after)]
    if digests[0] == digests[1]:
        return Difference(before.version, 0, 0, 0)
    old, new = (read_qrels(read_member(one, QRELS)) for one in (before, after))
    return compare(before.version, old, new)
