"""Removes what builds leave on the disk: drafts of killed builds, and superseded indexes.

Every build first sweeps the folder that it writes into, so neither fills the disk.

A **draft folder** is the hidden folder in which an index is written. Its builder locks a file in
it. The kernel frees the lock when the process dies, also by SIGKILL. So a draft folder with a free
lock is removed at once. Some file systems have no locks. There a draft folder is removed when
nothing in it was written for a day.

An index of an earlier state of the corpus still serves readers that opened it, and an undone
import. All indexes of a retriever but the one opened last are **superseded**. They are removed when
they were not opened for a day. The day is for other machines: on one machine a mapped file outlives
its name, on NFS it may not.

See docs/adr/0013-index-folders.md.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import tempfile
import time
import uuid
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

LOCK = "builder"
LOCKED = "locked"  # written under the lock, so a lock file without it was never locked
DAY = 24 * 60 * 60.0  # seconds
DRAFT = re.compile(r"\..+\.[a-z0-9_]{8}")  # as tempfile names it
INDEX = re.compile(r"(?P<retriever>[^.].*)-[0-9a-f]{16}")
PARTS = re.compile(r"\.(?P<retriever>.+)-[0-9a-f]{16}\.parts")  # vectors of a killed encoder build


@contextmanager
def draft_folder(folder: Path) -> Iterator[Path]:
    """A hidden folder beside `folder` to build it in; removed at the end, or by a later build."""
    with (
        tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as draft,
        Path(draft, LOCK).open("w") as lock,
    ):
        with suppress(OSError):  # this file system has no locks: `sweep` goes by age
            fcntl.flock(lock, fcntl.LOCK_EX)  # waits only while `sweep` tries the lock
            lock.write(LOCKED)
        lock.flush()
        yield Path(draft)


def sweep(folder: Path) -> None:
    """Remove abandoned drafts and superseded indexes from a folder of indexes.

    What cannot be removed stays. Another process may remove the same folders at the same time.
    """
    for path in _folders(folder):
        if DRAFT.fullmatch(path.name) and is_abandoned(path):
            shutil.rmtree(path, ignore_errors=True)
    for path in _superseded_folders(folder):
        _remove_index(path)


def note_use(folder: Path) -> None:
    """Set the index's modification time to now, because it was opened."""
    with suppress(OSError):  # read-only storage: nothing is swept from here
        os.utime(folder)


def _folders(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_dir()] if folder.is_dir() else []


def is_abandoned(draft: Path) -> bool:
    """Return whether the process that made this draft folder is dead."""
    try:
        with (draft / LOCK).open("r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if lock.read() == LOCKED:
                return True
    except BlockingIOError:
        return False  # its builder lives
    except OSError:
        pass  # the lock file is not there yet, or this file system has no locks
    return _is_idle(_last_written_at(draft))


def _superseded_folders(folder: Path) -> list[Path]:
    """Idle indexes that were not the last opened of their retriever, and idle parts.

    Parts are kept for the build that continues with them, until a later index is there.
    """
    indexes: dict[str, list[tuple[float, Path]]] = defaultdict(list)
    parts: list[tuple[str, float, Path]] = []
    for path in _folders(folder):
        if match := INDEX.fullmatch(path.name):
            indexes[match["retriever"]].append((_modified_at(path), path))
        elif match := PARTS.fullmatch(path.name):
            parts.append((match["retriever"], _last_written_at(path), path))
    candidates = [index for folders in indexes.values() for index in sorted(folders)[:-1]]
    candidates += [
        (written_at, path)
        for retriever, written_at, path in parts
        if any(opened_at > written_at for opened_at, _ in indexes[retriever])
    ]
    return [path for modified_at, path in candidates if _is_idle(modified_at)]


def _remove_index(folder: Path) -> None:
    """Rename it to a draft's name first, so that no reader opens half of it."""
    draft = folder.with_name(f".{folder.name}.{uuid.uuid4().hex[:8]}")
    with suppress(OSError):  # another process was quicker
        folder.rename(draft)
    shutil.rmtree(draft, ignore_errors=True)


def _is_idle(modified_at: float) -> bool:
    return time.time() - modified_at > DAY


def _last_written_at(folder: Path) -> float:
    """The latest modification time of the folder and of everything in it."""
    inside = (Path(root, name) for root, _, names in os.walk(folder) for name in names)
    return max(map(_modified_at, (folder, *inside)))


def _modified_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # removed meanwhile
        return 0.0
