"""SIGTERM as an error, so that a command removes what it began."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from backups.errors import BackupCancelled


@contextmanager
def cancelled_by_signals() -> Iterator[None]:
    before = signal.signal(signal.SIGTERM, _cancel)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _cancel(number: int, frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second one must not stop the cleaning up
    raise BackupCancelled("Cancelled. Nothing of it remains.")
