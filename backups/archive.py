"""The form of a backup: a tar that is written and read as a stream, in constant memory. Pure.

The first member is `manifest.json`. The database follows in parts, because the length of a member
must be known before it is written. Then come the files. The last member, `SHA256SUMS`, has the
digest of every other, so an archive without it was cut off.
"""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple

from backups.errors import BackupDamaged

FORMAT_VERSION = 1
MANIFEST, SUMS = "manifest.json", "SHA256SUMS"
DATABASE, FILES = "database/", "files/"
PART_BYTES = 4 << 20
CHUNK_BYTES = 1 << 20


class BackupManifest(NamedTuple):
    """`tables` has the number of rows and the digest of each table."""

    version: str
    created_at: str
    engine: str
    migrations: list[str]
    tables: dict[str, list[Any]]
    format: int = FORMAT_VERSION


class ArchiveWriter:
    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar
        self.digests: dict[str, str] = {}

    def add(self, name: str, content: bytes) -> None:
        self._add(name, io.BytesIO(content), len(content))

    def add_manifest(self, manifest: BackupManifest) -> None:
        self.add(MANIFEST, json.dumps(manifest._asdict(), indent=1).encode())

    def add_database(self, chunks: Iterable[bytes]) -> None:
        for number, part in enumerate(_parts(chunks), start=1):
            self.add(f"{DATABASE}{number:06}", part)

    def add_file(self, name: str, path: Path) -> None:
        """The file as long as it is now: one that is still being uploaded grows."""
        with path.open("rb") as file:
            self._add(f"{FILES}{name}", file, path.stat().st_size)

    def _add(self, name: str, content: IO[bytes], size: int) -> None:
        member = tarfile.TarInfo(name)
        member.size, member.mode = size, 0o600
        reader = _DigestReader(content)
        self._tar.addfile(member, reader)
        _forget_members(self._tar)
        self.digests[name] = reader.digest.hexdigest()


def _forget_members(tar: tarfile.TarFile) -> None:
    """It keeps every member otherwise, so its memory would grow."""
    vars(tar)["members"].clear()


def _parts(chunks: Iterable[bytes]) -> Iterator[bytes]:
    part = bytearray()
    for chunk in chunks:
        part += chunk
        if len(part) >= PART_BYTES:
            yield bytes(part)
            part.clear()
    yield bytes(part)


class _DigestReader:
    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        content = self._file.read(size)
        self.digest.update(content)
        return content


@contextmanager
def writing(stream: IO[bytes]) -> Iterator[ArchiveWriter]:
    with tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as tar:
        writer = ArchiveWriter(tar)
        yield writer
        lines = [f"{digest}  {name}\n" for name, digest in writer.digests.items()]
        writer.add(SUMS, "".join(lines).encode())


class ArchiveReader:
    """Yields the members in their order. What is wrong raises BackupDamaged, at the latest at the
    end, so nothing may be put into its place before."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar
        self._digests: dict[str, str] = {}

    def manifest(self) -> BackupManifest:
        for name, chunks in self.members():
            if name != MANIFEST:
                break
            return _manifest_of(b"".join(chunks))
        raise BackupDamaged(f"The file is not a backup: it does not begin with {MANIFEST}.")

    def members(self) -> Iterator[tuple[str, Iterator[bytes]]]:
        """Each member's name and content, which must be read before the next."""
        sums = b""
        try:
            while (member := self._tar.next()) is not None:
                _forget_members(self._tar)
                content = self._tar.extractfile(member) if member.isreg() else None
                if content is None or not _is_safe(member.name):
                    raise BackupDamaged(f"The backup has the member {member.name}, which none has.")
                if member.name == SUMS:
                    sums = content.read()
                else:
                    yield member.name, self._chunks(member.name, content)
                    if member.name == MANIFEST:
                        return
        except (tarfile.TarError, EOFError) as error:
            raise BackupDamaged(f"The backup cannot be read: {error}.") from error
        self._check(sums)

    def _chunks(self, name: str, content: IO[bytes]) -> Iterator[bytes]:
        digest = hashlib.sha256()
        while chunk := content.read(CHUNK_BYTES):
            digest.update(chunk)
            yield chunk
        self._digests[name] = digest.hexdigest()

    def _check(self, sums: bytes) -> None:
        lines = (line.split("  ", 1) for line in sums.decode(errors="replace").splitlines())
        stored = {line[-1]: line[0] for line in lines}
        if not stored:
            raise BackupDamaged(f"The backup ends too early: {SUMS} is missing.")
        for name in sorted(stored.keys() | self._digests.keys()):
            if stored.get(name) != self._digests.get(name):
                raise BackupDamaged(f"{name} in the backup is damaged: its SHA-256 differs.")


def _manifest_of(content: bytes) -> BackupManifest:
    try:
        values = json.loads(content)
        if values["format"] > FORMAT_VERSION:
            raise BackupDamaged(
                f"The backup has format {values['format']}, and this version reads formats up to "
                f"{FORMAT_VERSION}. Install the version that made it: {values['version']}."
            )
        return BackupManifest(**values)
    except (ValueError, KeyError, TypeError) as error:
        raise BackupDamaged(f"{MANIFEST} in the backup cannot be read: {error}.") from error


def _is_safe(name: str) -> bool:
    """Return whether the name stays within the folder that it is unpacked to."""
    path = PurePosixPath(name)
    known = name in {MANIFEST, SUMS} or name.startswith((DATABASE, FILES))
    return known and not path.is_absolute() and ".." not in path.parts


@contextmanager
def reading(stream: IO[bytes]) -> Iterator[ArchiveReader]:
    try:
        tar = tarfile.open(fileobj=stream, mode="r|")  # noqa: SIM115 - closed below
    except (tarfile.TarError, EOFError) as error:
        raise BackupDamaged(f"The file is not a backup: {error}.") from error
    with tar:
        yield ArchiveReader(tar)
