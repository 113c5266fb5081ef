"""A folder for the files of a release while they are written."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from bundle.zip.interruption import check_interruption
from bundle.zip.writing import StoredFile
from retrieval.indexes.cleanup import draft_folder as locked_draft_folder
from retrieval.indexes.cleanup import is_abandoned

LENGTH = 8  # bytes that hold the length of a part


class DraftFile:
    """A file that is being written, and the digest of what it has so far."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("wb")
        self._digest = hashlib.sha256()

    def write(self, content: bytes) -> None:
        check_interruption()
        self._digest.update(content)
        self._file.write(content)

    def stored(self) -> StoredFile:
        """The file with all that was written. Nothing is written after this."""
        size = self._file.tell()
        self._file.close()
        return StoredFile(self._path, size, self._digest.hexdigest())


class DraftFolder:
    """Makes files in a folder; their names in the zip are given later."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made = 0

    def draft(self) -> DraftFile:
        self._made += 1
        return DraftFile(self._folder / str(self._made))

    def write(self, parts: Iterable[bytes]) -> StoredFile:
        """A file of these parts, one after the other."""
        draft = self.draft()
        for part in parts:
            draft.write(part)
        return draft.stored()

    @contextmanager
    def parts_by_key(self) -> Iterator[PartsByKey]:
        """A file for parts that are read out of order while other files are written."""
        self._made += 1
        with (self._folder / str(self._made)).open("w+b") as file:
            yield PartsByKey(file)


class PartsByKey:
    """Parts of a file, found by their keys. In memory are only the keys and the places."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._places: dict[str, int] = {}
        self._end = 0

    def __setitem__(self, key: str, part: bytes) -> None:
        self._places[key] = self._end
        self._file.seek(self._end)
        self._end += self._file.write(len(part).to_bytes(LENGTH) + part)

    def __getitem__(self, key: str) -> bytes:
        self._file.seek(self._places[key])
        return self._file.read(int.from_bytes(self._file.read(LENGTH)))


DRAFTS = "release"  # the hidden folders begin with this name


@contextmanager
def draft_folder(root: Path) -> Iterator[DraftFolder]:
    """A folder in `root` that is removed at the end with all files in it."""
    with temporary_folder(root) as folder:
        yield DraftFolder(folder)


@contextmanager
def temporary_folder(root: Path) -> Iterator[Path]:
    """A hidden folder in `root`, the release folder, removed at the end, or by a later build."""
    root.mkdir(parents=True, exist_ok=True)
    with locked_draft_folder(root / DRAFTS) as folder:
        yield folder


def remove_abandoned_drafts(root: Path) -> None:
    """Remove what builds that were killed left in `root`, the release folder."""
    for folder in root.glob(f".{DRAFTS}.*"):
        if is_abandoned(folder):
            shutil.rmtree(folder, ignore_errors=True)
