"""The zips of releases on disk, each written completely or not at all."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from django.conf import settings

from bundle.zip.draft_files import temporary_folder
from release.errors import CannotKeep, ReleaseDamaged
from release.models import Release
from web.disk import is_full, is_refused
from web.stored_files import local_copy


def path_of(slug: str, version: str) -> Path:
    """The zip of a version in the release folder."""
    return Path(settings.RELEASE_DIR) / slug / f"{version}.zip"


PROBE = bytes(64 * 1024)


def check_writable(slug: str) -> None:
    """Raises CannotKeep when the release folder of the collection is full or cannot be written."""
    with cannot_keep(), staged(path_of(slug, "probe"), PROBE):
        pass


@contextmanager
def cannot_keep() -> Iterator[None]:
    """Raise CannotKeep for an OSError of a full or read-only folder."""
    try:
        yield
    except OSError as error:
        if not is_full(error) and not is_refused(error):
            raise
        raise CannotKeep(Path(settings.RELEASE_DIR), error) from error


@contextmanager
def staged(path: Path, content: bytes | BinaryIO) -> Iterator[Path]:
    """The content in a file beside `path`, safe on disk, to be moved there with `put_in_place`.

    What was not moved by the end is removed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with (
        _folder_beside(path) as folder,
        tempfile.NamedTemporaryFile(
            dir=folder, prefix=f".{path.name}.", suffix=".part", delete=False
        ) as file,
    ):
        part = Path(file.name)
        try:
            if isinstance(content, bytes):
                file.write(content)
            else:
                shutil.copyfileobj(content, file)
            file.flush()
            os.fsync(file.fileno())
            part.chmod(0o644)
            yield part
        finally:
            part.unlink(missing_ok=True)


@contextmanager
def _folder_beside(path: Path) -> Iterator[Path]:
    """A folder on the disk of `path`. In the release folder, a later build removes leftovers."""
    if not path.is_relative_to(settings.RELEASE_DIR):
        yield path.parent
        return
    with temporary_folder(Path(settings.RELEASE_DIR)) as folder:
        yield folder


def put_in_place(part: Path, path: Path) -> None:
    """Move the staged file to its path at once, and keep that through a power cut."""
    part.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def write_file(path: Path, content: bytes | BinaryIO) -> None:
    """Write the file whole or not at all."""
    with staged(path, content) as part:
        put_in_place(part, path)


def open_release(release: Release) -> BinaryIO:
    """The zip of a published version, opened for reading after its checksum was compared.

    Raises:
        ReleaseDamaged: the file is missing or is not what was published.
        StorageFailed: the shared storage did not give it.
    """
    path = path_of(release.collection.slug, release.version)
    try:
        with local_copy(path) as copy:
            file = copy.open("rb")
    except FileNotFoundError:
        raise ReleaseDamaged(release, path, "is missing") from None
    # The very file that is handed out is read here: one put in its place later is not.
    if hashlib.file_digest(file, "sha256").hexdigest() != release.sha256:
        file.close()
        raise ReleaseDamaged(release, path, "is not what was published: its SHA-256 differs")
    file.seek(0)
    return file
