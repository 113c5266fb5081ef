"""Files to one zip whose bytes depend on nothing but the files. Pure."""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
from collections.abc import Mapping

EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time a zip can say
UNIX = 3
READABLE_FILE = 0o100644 << 16
NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*")


class BadName(ValueError):
    """A file name that would not unpack alike, or not safely, everywhere."""

    def __init__(self, name: str) -> None:
        super().__init__(f"not a plain relative file name: {name!r}")
        self.name = name


def pack(files: Mapping[str, bytes]) -> bytes:
    """A zip of the files, by name; the order they come in changes nothing.

    Stored, not deflated: what Python's zlib makes of the same input differs between zlib, its
    distributions' variants and zlib-ng, and a release must be the same bytes on every machine
    (docs/adr/0003-stored-zip.md). Names that are absolute, climb or hold odd characters raise
    BadName.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            archive.writestr(_entry(name), files[name])
    return buffer.getvalue()


def _entry(name: str) -> zipfile.ZipInfo:
    if not NAME.fullmatch(name):
        raise BadName(name)
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.create_system = UNIX  # or the machine's own would be written
    entry.external_attr = READABLE_FILE
    entry.compress_type = zipfile.ZIP_STORED
    return entry


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
