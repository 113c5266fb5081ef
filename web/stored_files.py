"""Uploads and releases: files in DATA_DIR, or in a storage that several machines share. ADR 88.

With FILES_BUCKET, such a file is in an S3-compatible storage under its path in DATA_DIR, and a
machine fetches a copy to read it. Without, machines share DATA_DIR, or there is only one. Callers
name a file by its path in DATA_DIR either way.
"""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar, NamedTuple

from django.conf import settings
from django.core.files import File
from django.core.files.storage import Storage, storages

from web.errors import UserFacingError


class StorageFailed(UserFacingError):
    """The shared storage refused something or did not answer. Not an OSError: no disk failed."""

    status: ClassVar[int] = 503

    def __init__(self, error: Exception) -> None:
        super().__init__(
            f"The file storage of the server failed: {error}. Nothing was changed. Try again "
            "later. If this repeats, check FILES_BUCKET, FILES_ENDPOINT and the keys of the server."
        )


class FoundFile(NamedTuple):
    path: Path
    size: int
    stored_at: datetime


def share(path: Path) -> None:
    """Move a finished file to the shared storage, if there is one. It replaces what was there.

    Raises:
        StorageFailed
    """
    if storage := _shared():
        with _failures(), path.open("rb") as file:
            storage.save(_name_of(path), File(file))
        path.unlink()


def finished_below(folder: Path) -> list[Path]:
    """The files of this machine below the folder, without those that are being written."""
    return [file.path for file in on_this_machine(folder) if is_finished(file.path, folder)]


def is_finished(path: Path, folder: Path) -> bool:
    """Names of files and folders that are being written begin with a dot."""
    return not any(part.startswith(".") for part in path.relative_to(folder).parts)


def fetch(path: Path) -> bool:
    """Make sure that the file is on this machine. Returns False if it is nowhere.

    Raises:
        StorageFailed
    """
    if not path.is_file() and (storage := _shared()):
        _download(storage, path, path)
    return path.is_file()


@contextmanager
def local_copy(path: Path) -> Iterator[Path]:
    """A path to read the file at until the block ends. Nothing is there if the file is nowhere.

    What only this machine has, such as an index, is read where it is.

    Raises:
        StorageFailed
    """
    storage = _shared()
    if storage is None:
        yield path
        return
    copy = path.with_name(f".{path.name}.{uuid.uuid4()}")
    try:
        _download(storage, path, copy)
        yield copy if copy.exists() else path
    finally:
        copy.unlink(missing_ok=True)


def is_stored(path: Path) -> bool:
    if storage := _shared():
        with _failures():
            return storage.exists(_name_of(path))
    return path.is_file()


def remove(path: Path) -> None:
    """Remove the file and this machine's copy. Raises OSError, StorageFailed."""
    path.unlink(missing_ok=True)
    if storage := _shared():
        with _failures():
            storage.delete(_name_of(path))


def remove_folder(folder: Path) -> None:
    """Remove the folder with all files below it, as `remove`."""
    for file in stored_below(folder):
        remove(file.path)
    if folder.exists():
        shutil.rmtree(folder)


def stored_below(folder: Path) -> list[FoundFile]:
    """All files below the folder, by path: those of this machine, and of the shared storage."""
    found = {}
    if storage := _shared():
        with _failures():
            found = {file.path: file for file in _listed(storage, folder)}
    for file in on_this_machine(folder):
        found.setdefault(file.path, file)
    return [found[path] for path in sorted(found)]


def on_this_machine(folder: Path) -> Iterator[FoundFile]:
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):  # removed meanwhile
            if path.is_file():
                status = path.stat()
                modified_at = datetime.fromtimestamp(status.st_mtime, UTC)
                yield FoundFile(path, status.st_size, modified_at)


def _shared() -> Storage | None:
    return storages["shared"] if settings.FILES_BUCKET else None


def _name_of(path: Path) -> str:
    return path.relative_to(settings.DATA_DIR).as_posix()


def _download(storage: Storage, path: Path, place: Path) -> None:
    """Copy a file whole or not at all. Nothing happens if it is not in the storage."""
    place.parent.mkdir(parents=True, exist_ok=True)
    part = place.with_name(f".{place.name}.{uuid.uuid4()}.part")
    try:
        with _failures(), storage.open(_name_of(path)) as source, part.open("wb") as copy:
            shutil.copyfileobj(source, copy)
        part.replace(place)
    except FileNotFoundError:
        return
    finally:
        part.unlink(missing_ok=True)


def _listed(storage: Storage, folder: Path) -> Iterator[FoundFile]:
    names, files = storage.listdir(_name_of(folder))
    for name in names:
        yield from _listed(storage, folder / name)
    for name in filter(None, files):
        path = folder / name
        stored = _name_of(path)
        yield FoundFile(path, storage.size(stored), storage.get_modified_time(stored))


@contextmanager
def _failures() -> Iterator[None]:
    """Raise StorageFailed for an error of the shared storage."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except (BotoCoreError, ClientError) as error:
        raise StorageFailed(error) from error
