"""A worker's hold on one job: it reports progress, hears of cancellation, and fences writes.

A worker can be killed, or only seem dead, and another take its job over. Each takeover draws a new
lease token; every write of consequence happens in a transaction that locks the job row and checks
the token (`fenced`), so of two workers that believe they hold a job only one can write.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import Error as DatabaseTrouble
from django.db import connection, transaction
from django.db.models import Value
from django.db.models.functions import Greatest
from django.utils import timezone

from accounts.models import Collection
from jobs.models import Job, State
from jobs.work import WorkerStops

# Set once this process was asked to stop, where jobs run in threads of it.
worker_stops = threading.Event()


class Cancelled(Exception):
    """Somebody asked for the job to stop."""


class LeaseLost(Exception):
    """Another worker has taken the job over; this one must leave without writing."""


@dataclass
class Lease:
    """The running handler's view of its job."""

    job_id: uuid.UUID
    token: uuid.UUID
    collection: Collection
    parameters: dict[str, Any]
    requested_by_id: int | None = None
    kind: str = ""
    created_at: datetime = field(default_factory=timezone.now)
    completed: bool = field(default=False, init=False)
    _last_report: float = field(default=0.0, init=False)

    def progress(self, done: int, total: int | None, note: str = "") -> None:
        """Say how far the work is; at most about three times a second it reaches the database.

        Raises:
            Cancelled: the job was asked to stop.
            LeaseLost: another worker holds the job now.
            WorkerStops: this worker was asked to stop.
        """
        if worker_stops.is_set():
            raise WorkerStops
        now = time.monotonic()
        if now - self._last_report < 0.3 and done != total:
            return
        self._last_report = now
        self.beat(progress_done=done, progress_total=total, progress_note=note[:200])

    def beat(self, **fields: Any) -> None:
        mine = Job.objects.filter(pk=self.job_id, lease=self.token, state=State.RUNNING)
        # A beat that had to wait for the row is older than what it finds there when it gets it.
        latest = Greatest("heartbeat_at", Value(timezone.now()))
        if not mine.update(heartbeat_at=latest, **fields):
            raise LeaseLost(self.job_id)
        if mine.filter(cancel_requested=True).exists():
            raise Cancelled(self.job_id)

    @contextmanager
    def fenced(self) -> Iterator[None]:
        """A transaction that commits only while this worker still holds the job.

        The row stays locked meanwhile and no beat gets through, so the transaction leaves a fresh
        one behind: a long write is not mistaken for a dead worker when it ends.
        """
        with transaction.atomic():
            held = (
                Job.objects.select_for_update()
                .filter(pk=self.job_id, lease=self.token, state=State.RUNNING)
                .first()
            )
            if held is None:
                raise LeaseLost(self.job_id)
            if held.cancel_requested:
                raise Cancelled(self.job_id)
            yield
            Job.objects.filter(pk=self.job_id).update(heartbeat_at=timezone.now())

    def complete(self, result: dict[str, Any]) -> None:
        """Inside `fenced`, last: end the job in the same transaction as its effect."""
        Job.objects.filter(pk=self.job_id, lease=self.token).update(
            state=State.SUCCEEDED,
            result=result,
            error="",
            lease=None,
            finished_at=timezone.now(),
        )
        self.completed = True


@contextmanager
def heartbeat(lease: Lease) -> Iterator[None]:
    """Beat from a thread of its own while the handler computes, so that silence means death."""
    stop = threading.Event()

    def beat() -> None:
        try:
            while not stop.wait(settings.JOB_HEARTBEAT_SECONDS):
                try:
                    lease.beat()
                except LeaseLost:
                    return  # the handler hears of it at its next progress report or fence
                except Cancelled:
                    continue  # so does it of this; until then it works, and is not dead
                except DatabaseTrouble:
                    # Locked, restarting, out of reach: the next beat may get through, but never
                    # on a connection that broke.
                    connection.close()
        finally:
            connection.close()

    thread = threading.Thread(target=beat, name=f"heartbeat-{lease.job_id}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(timeout=settings.JOB_HEARTBEAT_SECONDS + 1)
