"""Files of published bundles, read line by line: they can be too large for memory."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

from bundle.names import QUERY_TABLE
from release.files import path_of
from release.models import Release
from release.versions.differences import Unreadable

CHUNK = 1 << 20


@contextmanager
def published_bundle(release: Release) -> Iterator[zipfile.ZipFile]:
    """The zip, opened for reading. Raises Unreadable, also where a file in it cannot be read."""
    try:
        with zipfile.ZipFile(path_of(release.collection.slug, release.version)) as archive:
            yield archive
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise Unreadable(f"the file of {release.version}") from error


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
        yield from io.BufferedReader(cast(io.RawIOBase, file), CHUNK)


def published_facets(release: Release) -> dict[str, str]:
    """The facet of each query, by the list of queries. Without one there is only one facet.

    Raises Unreadable.
    """
    with published_bundle(release) as archive:
        if QUERY_TABLE not in archive.namelist():
            return {}
        lines = archive_lines(archive, QUERY_TABLE)
        rows = (line.decode().rstrip("\n").split("\t") for line in lines)
        next(rows, None)  # the header
        return {query: facet for query, _, facet, *_ in rows}
