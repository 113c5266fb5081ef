"""How long the longest transaction of a process took. On SQLite, all other writing waits for it.

A worker that is started with `--include bench.transactions` writes it to the folder that
`BENCH_TRANSACTIONS` names, a file for each of its processes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FOLDER = "BENCH_TRANSACTIONS"


@contextmanager
def longest_transaction() -> Iterator[list[float]]:
    """The seconds of the longest transaction of this thread's connection, as they grow."""
    from django.db import connection

    longest, switch = [0.0], connection.set_autocommit

    def note(seconds: float) -> None:
        longest[0] = max(longest[0], seconds)

    _time(connection, note)
    try:
        yield longest
    finally:
        connection.set_autocommit = switch  # type: ignore[method-assign]


def _time(connection: Any, note: Callable[[float], None]) -> None:
    switch = connection.set_autocommit
    began: float | None = None

    def timed(autocommit: bool, *given: Any, **named: Any) -> None:
        nonlocal began
        switch(autocommit, *given, **named)
        if autocommit and began is not None:
            note(time.perf_counter() - began)
        # On SQLite, others write while a deferred transaction reads.
        is_shared = getattr(connection, "transaction_mode", None) == "DEFERRED"
        # After the wait for the lock, because that is the time of another transaction.
        began = None if autocommit or is_shared else time.perf_counter()

    connection.set_autocommit = timed


def read_longest(folder: Path) -> float:
    """The seconds of the longest transaction of a worker's processes."""
    return max((float(path.read_text()) for path in folder.glob("*.seconds")), default=0.0)


def _watch_worker(folder: Path) -> None:
    """Time every connection of this process, and of its children."""
    from django.db.backends.signals import connection_created

    def note(seconds: float) -> None:
        path = folder / f"{os.getpid()}.seconds"
        if not path.exists() or seconds > float(path.read_text()):
            draft = path.with_suffix(f".{time.perf_counter_ns()}")
            draft.write_text(f"{seconds:.6f}")
            draft.rename(path)

    def watch(connection: Any, **_: Any) -> None:
        # A connection that was closed and opened again is still timed.
        if "set_autocommit" not in vars(connection):
            _time(connection, note)

    connection_created.connect(watch, weak=False)


if os.environ.get(FOLDER):
    _watch_worker(Path(os.environ[FOLDER]))
