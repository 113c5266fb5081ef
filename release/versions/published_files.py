"""Files of published bundles, read line by line where they can be too large for memory."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager

from bundle.names import QUERY_TABLE
from bundle.reading.opened import BundleError, OpenedBundle, open_bundle
from bundle.reading.trec import read_query_table
from bundle.verification.sums import sha256_of
from bundle.zip.writing import sha256
from release.files import path_of
from release.models import Release
from web.stored_files import StorageFailed, local_copy


class Unreadable(Exception):
    """A file of a bundle is missing, or its digest is not the one in the manifest."""


@contextmanager
def published_bundle(release: Release) -> Iterator[OpenedBundle]:
    """The zip, opened for reading. Raises Unreadable, also where a file in it cannot be read."""
    try:
        path = path_of(release.collection.slug, release.version)
        with local_copy(path) as copy, open_bundle(copy) as bundle:
            yield bundle
    except (StorageFailed, BundleError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise Unreadable(f"the file of {release.version}") from error


def check_file(release: Release, name: str) -> None:
    """Raise Unreadable if the file is missing, or its digest is not that of the manifest."""
    with published_bundle(release) as bundle:
        _check_digest(release, name, sha256_of(bundle, name))


def _check_digest(release: Release, name: str, digest: str) -> None:
    if digest != release.manifest["files"].get(name, {}).get("sha256"):
        raise Unreadable(f"{name} of {release.version}")


def read_member(release: Release, name: str) -> bytes:
    """A file that fits in memory. Raises Unreadable as `check_file`."""
    with published_bundle(release) as bundle, bundle.open(name) as file:
        content = file.read()
    _check_digest(release, name, sha256(content))
    return content


def lines_of(release: Release, name: str) -> Iterator[bytes]:
    """The lines of a file that `check_file` has checked. Raises Unreadable."""
    with published_bundle(release) as bundle, bundle.open(name) as file:
        yield from file


def published_facets(release: Release) -> dict[str, str]:
    """The facet of each query, by the list of queries. Without one there is only one facet.

    Raises Unreadable.
    """
    with published_bundle(release) as bundle:
        if QUERY_TABLE not in bundle.names:
            return {}
        return {row.query: row.facet for _, row in read_query_table(bundle)}
