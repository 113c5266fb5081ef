"""Files to one zip whose bytes depend on nothing but the files."""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO, NamedTuple

from bundle.zip.interruption import check_interruption

EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time a zip can say
UNIX = 3
COPIED_TOGETHER = 1 << 20  # bytes
READABLE_FILE = 0o100644 << 16
# Only the one hidden file that Zenodo looks for: unpacking it overwrites nothing else.
NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*|\.zenodo\.json")


class BadName(ValueError):
    """A file name that would not unpack alike, or not safely, everywhere."""

    def __init__(self, name: str) -> None:
        super().__init__(f"a file name in a release must be plain and relative, got {name!r}")
        self.name = name


class StoredFile(NamedTuple):
    """A file on disk that is too large for memory."""

    path: Path
    size: int
    sha256: str


def pack(files: Mapping[str, bytes | StoredFile]) -> bytes:
    """The zip of `pack_into` in memory."""
    buffer = io.BytesIO()
    pack_into(buffer, files)
    return buffer.getvalue()


def pack_into(target: BinaryIO, files: Mapping[str, bytes | StoredFile]) -> None:
    """Write a zip of the files, by name; the order they come in changes nothing.

    Stored, not deflated: what Python's zlib makes of the same input differs between zlib, its
    distributions' variants and zlib-ng, and a release must be the same bytes on every machine
    (docs/adr/0003-stored-zip.md). Names that are absolute, climb or hold odd characters raise
    BadName.
    """
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            content = files[name]
            if isinstance(content, bytes):
                archive.writestr(zip_entry(name), content)
            else:
                _copy(content, zip_entry(name), archive)


def _copy(content: StoredFile, entry: zipfile.ZipInfo, archive: zipfile.ZipFile) -> None:
    entry.file_size = content.size  # tells whether 32 bits are enough
    with content.path.open("rb") as source, archive.open(entry, "w") as member:
        while part := source.read(COPIED_TOGETHER):
            check_interruption()
            member.write(part)


def zip_entry(name: str) -> zipfile.ZipInfo:
    """The entry of a file, the same on every machine. Raises BadName."""
    if not NAME.fullmatch(name):
        raise BadName(name)
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.create_system = UNIX  # or the machine's own would be written
    entry.external_attr = READABLE_FILE
    entry.compress_type = zipfile.ZIP_STORED
    return entry


def size_of(content: bytes | StoredFile) -> int:
    return len(content) if isinstance(content, bytes) else content.size


def digest_of(content: bytes | StoredFile) -> str:
    return sha256(content) if isinstance(content, bytes) else content.sha256


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
