"""The context of long work: a service reports progress and commits its writes through it.

In a worker this is a `Lease`. For a command at a terminal it is a `DirectRun`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol, Self, TextIO

from django.db import transaction

JobResult = Mapping[str, object]  # values that JSON can hold, by what they count or name


class RetryLater(Exception):
    """A job must wait for other work. Its worker is free meanwhile.

    A handler raises this before it writes anything. The job goes back into the queue, and the
    attempt is not counted. `waits_for` becomes its progress note. After `seconds` the job is sent
    to a worker again.
    """

    def __init__(self, waits_for: str, *, seconds: float) -> None:
        self.waits_for, self.seconds = waits_for, seconds
        super().__init__(waits_for)


class WorkerStops(RetryLater):
    """The worker was asked to stop. Its job goes back into the queue, for the next worker.

    A lease raises it at a progress report. Open transactions roll back, so nothing is half done.
    """

    def __init__(self) -> None:
        super().__init__("waits for a worker, because the previous one was stopped", seconds=0)


class JobContext(Protocol):
    """The interface by which a service reports progress and writes its effect."""

    def progress(self, done: int, total: int | None, note: str = "") -> None:
        """Report how far the work is. May raise to stop it."""

    def check(self) -> None:
        """May raise to stop the work, as `progress`. It asks no database, so call it often."""

    def fenced(self) -> AbstractContextManager[None]:
        """A transaction that commits only if no other worker has taken over the work."""

    def complete(self, result: JobResult) -> None:
        """Called last inside `fenced`, so the effect and the end of the work commit together."""


class DirectRun:
    """Work in the foreground. Progress goes to the terminal, if there is one.

    As a context manager, it clears the line of the progress at the end, on errors too.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stderr
        self.has_progress_line = False

    def progress(self, done: int, total: int | None, note: str = "") -> None:
        if self.stream.isatty():
            of = f" of {total:,}" if total else ""
            self.stream.write(f"\r\x1b[K{note} {done:,}{of}")
            self.stream.flush()
            self.has_progress_line = True

    def check(self) -> None:
        pass

    def fenced(self) -> AbstractContextManager[None]:
        return transaction.atomic()

    def complete(self, result: JobResult) -> None:
        if self.has_progress_line:
            self.stream.write("\r\x1b[K")
            self.has_progress_line = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.complete({})


@dataclass
class StepContext:
    """The context of one step of a job: it reports progress, but does not complete the job."""

    job_context: JobContext

    def progress(self, done: int, total: int | None, note: str = "") -> None:
        self.job_context.progress(done, total, note)

    def check(self) -> None:
        self.job_context.check()

    def fenced(self) -> AbstractContextManager[None]:
        return self.job_context.fenced()

    def complete(self, result: JobResult) -> None:
        pass
