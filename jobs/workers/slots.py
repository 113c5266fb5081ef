"""Of a worker's slots, long jobs leave one free, so that no short job waits behind them.

A worker with several slots starts at most as many jobs of the other queues at once as it has
slots, less one. A worker that takes no short jobs uses all. The slots are locks on files of this
worker: a killed process loses its lock, but would keep a semaphore in shared memory.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from celery.signals import celeryd_after_setup

from jobs.queues import JobQueue, queues_of_worker

_files: list[Path] = []
_folders: list[TemporaryDirectory[str]] = []  # removed when the worker ends


@celeryd_after_setup.connect
def make_slots(instance: Any, **_: Any) -> None:
    """Before the pool starts, so that its processes know the files."""
    _folders.append(TemporaryDirectory(prefix="qrelsmith-slots-"))
    folder = Path(_folders[-1].name)
    kept_free = 1 if JobQueue.SHORT in queues_of_worker() else 0
    _files[:] = [folder / str(number) for number in range(max(1, instance.concurrency - kept_free))]


@contextmanager
def slot_for_long_job() -> Iterator[bool]:
    """Take a slot until the block ends. Yields False if none is free, so no job may start."""
    if not _files:  # not in a worker
        yield True
        return
    for path in _files:
        with path.open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            yield True
            return
    yield False
