"""What long work needs from whoever runs it: somewhere to report progress and to write.

A worker's `Lease` is one such place; `InPerson` is a command at a terminal.
"""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from typing import Any, Protocol, TextIO

from django.db import transaction


class NotYet(Exception):
    """A job has to wait for something that is not done; its worker is free meanwhile.

    A handler raises it before it has written anything. The row goes back into the queue without
    counting an attempt, `waits_for` is its note, and after `seconds` it is sent to a worker again.
    """

    def __init__(self, waits_for: str, *, seconds: float) -> None:
        self.waits_for, self.seconds = waits_for, seconds
        super().__init__(waits_for)


class WorkerStops(NotYet):
    """The worker was asked to stop. Its job goes back into the queue, for the next worker.

    A lease raises it at a progress report. Open transactions roll back, so nothing is half done.
    """

    def __init__(self) -> None:
        super().__init__("waits for a worker; the last one was stopped", seconds=0)


class Work(Protocol):
    """Where a service reports progress and writes its effect."""

    def progress(self, done: int, total: int | None, note: str = "") -> None:
        """Say how far the work is; may raise to stop it."""

    def fenced(self) -> AbstractContextManager[None]:
        """A transaction that commits only while this work is still ours to do."""

    def complete(self, result: dict[str, Any]) -> None:
        """Inside `fenced`, last: the effect and the end of the work are one transaction."""


class InPerson:
    """Work done in the foreground; progress goes to a terminal, if there is one."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stderr
        self.shown = False

    def progress(self, done: int, total: int | None, note: str = "") -> None:
        if self.stream.isatty():
            of = f" of {total:,}" if total else ""
            self.stream.write(f"\r\x1b[K{note} {done:,}{of}")
            self.stream.flush()
            self.shown = True

    def fenced(self) -> AbstractContextManager[None]:
        return transaction.atomic()

    def complete(self, result: dict[str, Any]) -> None:
        if self.shown:
            self.stream.write("\r\x1b[K")
            self.shown = False
