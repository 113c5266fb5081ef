"""What builds leave on the disk: workshops of killed ones, and indexes that nothing opens any more.

Every build begins by sweeping the folder that it writes into, so a disk fills up with neither.

A **workshop** is the hidden folder in which an index is written. Its builder holds a lock on a file
in it, which the kernel frees when the process dies, however it dies. A lock is proof only between
processes on one kernel: on shared storage it may not reach other machines. So a file says which
kernel the builder ran on. A workshop from there is swept as soon as its lock is free; one from
elsewhere when, besides, nothing in it has been written for a day.

An index of an earlier state of the corpus is of use to those that still rank by it, and to who
undoes a change. **Superseded** are all of one retriever but the one that was opened last; they are
swept when nobody has opened them for a day. The day is for other machines: on one machine a mapped
file outlives its name, on NFS it need not.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

LOCK = "builder"
DAY = 24 * 60 * 60.0  # seconds
WORKSHOP = re.compile(r"\..+\.[a-z0-9_]{8}")  # as tempfile names it
INDEX = re.compile(r"(?P<retriever>.+)-[0-9a-f]{16}")
PARTS = re.compile(r"\.(?P<retriever>.+)-[0-9a-f]{16}\.parts")  # vectors of a killed encoder build


@contextmanager
def workshop(folder: Path) -> Iterator[Path]:
    """A hidden folder beside `folder` to write it in; removed at the end, or by a later build."""
    with (
        tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as made,
        Path(made, LOCK).open("w") as lock,
    ):
        with suppress(OSError):  # no locks on this file system: then age alone tells
            fcntl.flock(lock, fcntl.LOCK_EX)  # waits only for somebody who is looking at it
            lock.write(_kernel())
        lock.flush()
        yield Path(made)


def sweep(folder: Path) -> None:
    """Remove from a folder of indexes what dead builders and superseded states left there.

    What cannot be removed, or what another process removes just now, is left to it.
    """
    for path in _folders(folder):
        if WORKSHOP.fullmatch(path.name) and _is_abandoned(path):
            shutil.rmtree(path, ignore_errors=True)
    for path in _superseded(folder):
        _remove_index(path)


def note_use(folder: Path) -> None:
    """Say that an index was opened just now."""
    with suppress(OSError):  # on storage that is mounted for reading nothing is swept from here
        os.utime(folder)


def _folders(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_dir()] if folder.is_dir() else []


def _is_abandoned(made: Path) -> bool:
    try:
        with (made / LOCK).open("r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if lock.read() == _kernel() != "":
                return True
    except BlockingIOError:
        return False  # its builder lives
    except OSError:
        pass  # no such file yet, or no locks here
    return _idle(_last_written(made))


def _kernel() -> str:
    """Differs between machines, and between two starts of one; "" where nothing tells."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def _superseded(folder: Path) -> list[Path]:
    """All of a retriever but the last opened, of those that nobody has opened for a day."""
    used: dict[str, list[tuple[float, Path]]] = {}
    parts: list[tuple[str, float, Path]] = []
    for path in _folders(folder):
        if found := PARTS.fullmatch(path.name):
            parts.append((found["retriever"], _last_written(path), path))
        elif path.name[0] != "." and (found := INDEX.fullmatch(path.name)):
            used.setdefault(found["retriever"], []).append((_changed(path), path))
    earlier = [one for each in used.values() for one in sorted(each)[:-1]]
    # Parts are kept for the build that goes on with them, until a later state has its index.
    earlier += [
        (written, path)
        for retriever, written, path in parts
        if any(when > written for when, _ in used.get(retriever, ()))
    ]
    return [path for when, path in earlier if _idle(when)]


def _remove_index(folder: Path) -> None:
    """Out of sight in one step, so that nobody opens half of it."""
    grave = folder.with_name(f".{folder.name}.{uuid.uuid4().hex[:8]}")  # swept like a workshop
    with suppress(OSError):  # another process was quicker
        folder.rename(grave)
    shutil.rmtree(grave, ignore_errors=True)


def _idle(when: float) -> bool:
    return time.time() - when > DAY


def _last_written(folder: Path) -> float:
    """When something in the folder was last written."""
    inside = (Path(root, name) for root, _, names in os.walk(folder) for name in names)
    return max(map(_changed, (folder, *inside)))


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # gone meanwhile
        return 0.0
