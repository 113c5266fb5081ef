"""Files of published bundles, read line by line: they can be too large for memory."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager

from release.differences import Unreadable
from release.files import path_of
from release.models import Release

CHUNK = 1 << 20


@contextmanager
def published_bundle(release: Release) -> Iterator[zipfile.ZipFile]:
    """The zip, opened for reading. Raises Unreadable, also where a file in it cannot be read."""
    try:
        with zipfile.ZipFile(path_of(release.collection.slug, release.version)) as archive:
            yield archive
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise Unreadable(f"the file of {release.version}") from error


def has_file(release: Release, name: str) -> bool:
    """Whether the version has this file, by its manifest."""
    return name in release.manifest["files"]


def check_file(release: Release, name: str) -> None:
    """Raise Unreadable if the file is missing, or its digest is not that of the manifest."""
    with published_bundle(release) as archive, archive.open(name) as file:
        digest = hashlib.sha256()
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    if digest.hexdigest() != release.manifest["files"].get(name, {}).get("sha256"):
        raise Unreadable(f"{name} of {release.version}")


def lines_of(release: Release, name: str) -> Iterator[bytes]:
    """The lines of a file that `check_file` has checked. Raises Unreadable."""
    with published_bundle(release) as archive:
        yield from archive_lines(archive, name)


def archive_lines(archive: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    """The lines of a file, each with its end."""
    with archive.open(name) as file:
        yield from io.BufferedReader(file, CHUNK)  # type: ignore[arg-type]
