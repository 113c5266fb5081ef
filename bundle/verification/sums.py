"""The checksums of a release, and that it has every file and no other. Pure."""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from typing import TypedDict

from bundle.names import MANIFEST, SUMS
from bundle.reading.opened import BundleError, OpenedBundle, ZipBundle, read_json, read_lines
from bundle.verification.failures import Failure
from bundle.zip.interruption import check_interruption

READ_TOGETHER = 1024 * 1024  # bytes
SUM = re.compile(r"(?P<sha256>[0-9a-f]{64})  (?P<name>.+)")
AGAIN = "Download the release again."


class ListedFile(TypedDict, total=False):
    """A file in the manifest. That of a damaged release may lack either."""

    bytes: int
    sha256: str


OnRead = Callable[[int], None]  # called with the bytes read so far


def ignore(done: int) -> None:
    """A callback that ignores progress."""


def wrong_sums(bundle: OpenedBundle, on_read: OnRead = ignore) -> Iterator[Failure]:
    """Files that differ from SHA256SUMS or from the manifest."""
    sums = listed_sums(bundle)
    listed = listed_files(bundle)
    done = 0
    for name in sorted(bundle.names - {SUMS}):
        try:
            sha256 = sha256_of(bundle, name)
        except (BundleError, zipfile.BadZipFile, OSError, EOFError) as error:
            yield Failure(name, None, f"cannot be read ({error}). {AGAIN}")
            continue
        done += bundle.size(name)
        on_read(done)
        if name in sums and sums[name] != sha256:
            yield Failure(name, None, f"has the SHA-256 {sha256}, in {SUMS} {sums[name]}. {AGAIN}")
        if name not in listed:
            continue
        if listed[name].get("sha256") != sha256:
            yield Failure(
                name,
                None,
                f"has the SHA-256 {sha256}, in {MANIFEST} {listed[name].get('sha256')}. {AGAIN}",
            )
        elif listed[name].get("bytes") != bundle.size(name):
            yield Failure(
                name,
                None,
                f"has {bundle.size(name):,} bytes, in {MANIFEST} {listed[name].get('bytes')}.",
            )


def wrong_files(bundle: OpenedBundle) -> Iterator[Failure]:
    """Files that SHA256SUMS or the manifest lists and the release lacks, or that neither lists."""
    own = {MANIFEST: {SUMS, MANIFEST}, SUMS: {SUMS}}
    for source, names in ((SUMS, set(listed_sums(bundle))), (MANIFEST, set(listed_files(bundle)))):
        for name in sorted(names - bundle.names):
            yield Failure(name, None, f"is missing, but {source} lists it. {AGAIN}")
        for name in sorted(bundle.names - names - own[source]):
            yield Failure(name, None, f"is not listed in {source}. Remove it, or {AGAIN.lower()}")


def listed_sums(bundle: OpenedBundle) -> dict[str, str]:
    """The checksum of each file by its name. Raises BundleError."""
    sums: dict[str, str] = {}
    for number, line in read_lines(bundle, SUMS):
        match = SUM.fullmatch(line)
        if match is None:
            raise BundleError(SUMS, number, f"must be <SHA-256>  <name>, got {line[:80]!r}.")
        if match["name"] in sums:
            raise BundleError(SUMS, number, f"lists {match['name']} a second time.")
        sums[match["name"]] = match["sha256"]
    return sums


def listed_files(bundle: OpenedBundle) -> dict[str, ListedFile]:
    """The files of the manifest by their names. Raises BundleError."""
    manifest = read_json(bundle, MANIFEST)
    files = manifest.get("files") if isinstance(manifest, dict) else None
    if not isinstance(files, dict) or not all(isinstance(about, dict) for about in files.values()):
        raise BundleError(MANIFEST, None, '"files" must be an object with an object for each file.')
    return files


def sha256_of(bundle: OpenedBundle, name: str) -> str:
    # `file_digest` needs a plain file: that of a zip reads into buffers slowly.
    digest = hashlib.sha256()
    with bundle.open(name) as file:
        while part := file.read(READ_TOGETHER):
            check_interruption()
            digest.update(part)
    return digest.hexdigest()


class WrittenWrong(Exception):
    """A zip on disk is not what was written there."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} differs from what was written")
        self.name = name


def check_written(file: io.BufferedReader, sha256_of_zip: str, digests: Mapping[str, str]) -> None:
    """Read a zip again and compare it, and each of its files, with these SHA-256.

    Raises:
        WrittenWrong: the zip, or a file in it, is not what was written.
    """
    if hashlib.file_digest(file, "sha256").hexdigest() != sha256_of_zip:
        raise WrittenWrong("the zip")
    bundle = ZipBundle(file)
    if bundle.names != digests.keys():
        raise WrittenWrong("its list of files")
    for name, digest in digests.items():
        if sha256_of(bundle, name) != digest:
            raise WrittenWrong(name)
