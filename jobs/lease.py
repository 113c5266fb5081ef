"""A worker's lease on one job. It reports progress, detects cancellation and fences writes.

When a worker is killed, or only seems dead, another worker takes over its job. Each takeover makes
a new lease token. Every lasting write happens in a transaction that locks the job's row and checks
the token (`fenced`). So only one of two workers that believe they have the job can write.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import Error as DatabaseTrouble
from django.db import connection, transaction
from django.db.models import Value
from django.db.models.functions import Greatest
from django.utils import timezone

from accounts.models import Collection, User
from jobs.context import JobResult, WorkerStops
from jobs.models import Job, State

# Set when this process is asked to stop, but only where jobs run in its threads.
worker_stops = threading.Event()


class Cancelled(Exception):
    """The job was asked to stop."""


class LeaseLost(Exception):
    """Another worker has taken over the job. This worker must stop without writing."""


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
    _stopped: Exception | None = field(default=None, init=False)  # what a heartbeat found
    _beating: bool = field(default=False, init=False)
    _wake: threading.Event = field(default_factory=threading.Event, init=False)
    _report: Mapping[str, object] = field(
        default_factory=dict, init=False
    )  # for the next heartbeat

    @classmethod
    def of(cls, job: Job) -> Lease:
        """Of a running job, whose row has the token."""
        assert job.lease is not None
        return cls(
            job_id=job.pk,
            token=job.lease,
            collection=job.collection,
            parameters=job.parameters,
            requested_by_id=job.requested_by_id,
            kind=job.kind,
            created_at=job.created_at,
        )

    @property
    def requester(self) -> User | None:
        """The person who requested the job; None if a worker did, or if the account is deleted."""
        return User.objects.filter(pk=self.requested_by_id or 0).first()

    def progress(self, done: int, total: int | None, note: str = "") -> None:
        """Report how far the work is. The database is written about three times a second at most.

        The thread of the heartbeats writes it. On SQLite a connection cannot write while it reads
        rows one by one, once another connection has written. In a transaction this thread writes.

        Raises:
            Cancelled: the job was asked to stop.
            LeaseLost: another worker has taken over the job.
            WorkerStops: this worker was asked to stop.
        """
        if worker_stops.is_set():
            raise WorkerStops
        now = time.monotonic()
        if now - self._last_report < 0.3 and done != total:
            return
        self._last_report = now
        report = {"progress_done": done, "progress_total": total, "progress_note": note[:200]}
        if connection.in_atomic_block or not self._beating:
            self.beat(**report)
            return
        self._report = report
        self._wake.set()
        self.check()

    def check(self) -> None:
        """Raise what the last heartbeat found. It works inside a transaction that only reads.

        Raises:
            Cancelled, LeaseLost, WorkerStops: as `progress`.
        """
        if worker_stops.is_set():
            raise WorkerStops
        if self._stopped is not None:
            raise self._stopped

    def beat(self, **fields: Any) -> None:
        own_job = Job.objects.filter(pk=self.job_id, lease=self.token, state=State.RUNNING)
        # A heartbeat that waited for the row's lock may be older than the one now in the row.
        latest = Greatest("heartbeat_at", Value(timezone.now()))
        if not own_job.update(heartbeat_at=latest, **fields):
            raise LeaseLost(self.job_id)
        if own_job.filter(cancel_requested=True).exists():
            raise Cancelled(self.job_id)

    @contextmanager
    def fenced(self) -> Iterator[None]:
        """A transaction that commits only if this worker still has the lease.

        The row is locked meanwhile, so no heartbeat gets through. The transaction ends with a
        heartbeat of its own, so that a long write is not mistaken for a dead worker.
        """
        with transaction.atomic():
            job = (
                Job.objects.select_for_update()
                .filter(pk=self.job_id, lease=self.token, state=State.RUNNING)
                .first()
            )
            if job is None:
                raise LeaseLost(self.job_id)
            if job.cancel_requested:
                raise Cancelled(self.job_id)
            yield
            Job.objects.filter(pk=self.job_id).update(heartbeat_at=timezone.now())

    def complete(self, result: JobResult) -> None:
        """Called last inside `fenced`: end the job in the same transaction as its effect."""
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
    """Send heartbeats from another thread while the handler works.

    So a job without heartbeats has a dead worker.
    """
    stop = threading.Event()

    def beat() -> None:
        try:
            while True:
                lease._wake.wait(settings.JOB_HEARTBEAT_SECONDS)
                if stop.is_set():
                    return
                lease._wake.clear()
                report, lease._report = lease._report, {}
                try:
                    lease.beat(**report)
                except LeaseLost as error:
                    lease._stopped = error
                    return  # the handler gets this error at its next progress report or fence
                except Cancelled as error:
                    lease._stopped = error
                    continue  # the handler gets this too; until then it works, so it is alive
                except DatabaseTrouble:
                    # The database is locked, restarting or out of reach. The next heartbeat may
                    # get through, but not on a broken connection.
                    connection.close()
        finally:
            connection.close()

    # With the context of this thread, whose lines of the log have the number of the job.
    thread = threading.Thread(
        target=copy_context().run, args=[beat], name=f"heartbeat-{lease.job_id}", daemon=True
    )
    thread.start()
    lease._beating = True
    try:
        yield
    finally:
        lease._beating = False
        stop.set()
        lease._wake.set()
        thread.join(timeout=settings.JOB_HEARTBEAT_SECONDS + 1)
        if lease._report and not lease.completed:  # the last one, which came after the last beat
            with suppress(Cancelled, LeaseLost, DatabaseTrouble):
                lease.beat(**lease._report)
