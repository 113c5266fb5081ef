"""A folder for the files of a release while they are written."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from release.bundle import StoredFile
from release.interruption import check_interruption
from retrieval.indexes.cleanup import draft_folder as locked_draft_folder
from retrieval.indexes.cleanup import is_abandoned


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


DRAFTS = "release"  # the hidden folders begin with this name


@contextmanager
def draft_folder() -> Iterator[DraftFolder]:
    """A folder that is removed at the end with all files in it."""
    with temporary_folder() as folder:
        yield DraftFolder(folder)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A hidden folder in the release folder, removed at the end, or by a later build."""
    root = Path(settings.RELEASE_DIR)
    root.mkdir(parents=True, exist_ok=True)
    with locked_draft_folder(root / DRAFTS) as folder:
        yield folder


def remove_abandoned_drafts() -> None:
    """Remove what builds left in the release folder that were killed."""
    for folder in Path(settings.RELEASE_DIR).glob(f".{DRAFTS}.*"):
        if is_abandoned(folder):
            shutil.rmtree(folder, ignore_errors=True)
