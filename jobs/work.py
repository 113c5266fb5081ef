"""Long work: a function becomes a job, a worker runs it, and a kill at any moment loses nothing.

    @job("compute_agreement")
    def compute_agreement(work: Work, *, missing: str) -> None:
        ...
        for number, query in enumerate(queries, 1):
            work.progress(number, len(queries))
        with work.commit() as result:        # one transaction, only if no other worker has taken over
            Report.objects.put(...)
            result["queries"] = len(queries)

    start_job("compute_agreement", collection=collection, by=user, missing="exclude")

A job runs at least once and takes effect once: each claim makes a new lease, and `step` and `commit` lock the row
and check it. `commit` ends the job in the transaction of its effect.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.db import Error as DatabaseError
from django.db import connection, transaction
from django.db.models import F, Q
from django.utils import timezone

from accounts.models import Collection, User
from jobs.models import Job, State
from web.errors import AppError, Conflict

logger = logging.getLogger(__name__)
Function = Callable[..., None]
HEARTBEAT_SECONDS = 5
DEAD_AFTER_SECONDS = 30
MAX_ATTEMPTS = 3  # a job that ends its worker three times would end it always

FUNCTIONS: dict[str, Function] = {}


class Cancelled(Exception):
    """The job was asked to stop."""


class LeaseLost(Exception):
    """Another worker has taken over; this one must stop without writing."""


def job(kind: str) -> Callable[[Function], Function]:
    def register(function: Function) -> Function:
        FUNCTIONS[kind] = function
        return function

    return register


def start_job(kind: str, *, collection: Collection, by: User | None, **parameters: Any) -> Job:
    """A new job. It is sent to a worker once the transaction commits."""
    assert kind in FUNCTIONS, kind
    made = Job.objects.create(collection=collection, kind=kind, parameters=parameters, requested_by=by)
    transaction.on_commit(lambda: send(made))
    return made


def start_once(kind: str, *, collection: Collection, by: User | None, **parameters: Any) -> Job:
    """The unfinished job of this kind and these parameters, or a new one: a second press starts no second job."""
    same = collection.jobs.unfinished().filter(kind=kind, parameters=parameters).first()
    return same or start_job(kind, collection=collection, by=by, **parameters)


def run_now(kind: str, *, collection: Collection, **parameters: Any) -> dict[str, Any]:
    """Run a job here, for a command. Raises what the work raises. Returns the result."""
    made = Job.objects.create(collection=collection, kind=kind, parameters=parameters)
    run(made.pk, at_terminal=True)
    made.refresh_from_db()
    return dict(made.result)


def send(waiting: Job) -> None:
    """Tell a worker. A broker that does not answer loses nothing: the reaper sends the job again."""
    from jobs.tasks import run_job

    try:
        run_job.delay(str(waiting.pk))
    except Exception as error:  # noqa: BLE001  (each broker has its own errors)
        logger.warning("job %s waits for the broker: %s", waiting.pk, error)


@transaction.atomic
def cancel(waiting: Job) -> None:
    """A waiting job ends at once, a running one at its next report."""
    locked = Job.objects.select_for_update().get(pk=waiting.pk)
    if locked.state == State.QUEUED:
        locked.state, locked.finished_at = State.CANCELLED, timezone.now()
    locked.cancel_requested = True
    locked.save()


class Work:
    """The running function's view of its job."""

    def __init__(self, claimed: Job, progress_to: Any = None) -> None:
        self.job_id, self.lease = claimed.pk, claimed.lease
        self.collection, self.by = claimed.collection, claimed.requested_by
        self._stop: Exception | None = None
        self._reported = 0.0
        self._progress_to = progress_to

    def progress(self, done: int, total: int | None = None, note: str = "") -> None:
        """Report how far the work is; the row is written at most three times a second. May raise to stop."""
        self.check()
        now = time.monotonic()
        if now - self._reported < 0.3 and done != total:
            return
        self._reported = now
        if self._progress_to:
            self._progress_to.write(f"\r\x1b[K{note} {done:,}{f' of {total:,}' if total else ''}")
        if not connection.in_atomic_block:
            self._beat(done=done, total=total, note=note[:200])

    def check(self) -> None:
        """Raise Cancelled or LeaseLost if a heartbeat found that; asks no database, so call it often."""
        if self._stop:
            raise self._stop

    @contextmanager
    def step(self) -> Iterator[None]:
        """A transaction that commits only if this worker still has the job."""
        with transaction.atomic():
            self._lock()
            yield
            Job.objects.filter(pk=self.job_id).update(heartbeat_at=timezone.now())

    @contextmanager
    def commit(self) -> Iterator[dict[str, Any]]:
        """The last step: what is put into the dict becomes the result, and the job is done."""
        result: dict[str, Any] = {}
        with transaction.atomic():
            self._lock()
            yield result
            Job.objects.filter(pk=self.job_id).update(
                state=State.SUCCEEDED, result=result, error="", lease=None, finished_at=timezone.now()
            )

    def _lock(self) -> None:
        mine = Job.objects.select_for_update().filter(pk=self.job_id, lease=self.lease, state=State.RUNNING).first()
        if mine is None:
            raise LeaseLost
        if mine.cancel_requested:
            raise Cancelled

    def _beat(self, **fields: Any) -> None:
        mine = Job.objects.filter(pk=self.job_id, lease=self.lease, state=State.RUNNING)
        if not mine.update(heartbeat_at=timezone.now(), **fields):
            self._stop = LeaseLost()
        elif mine.filter(cancel_requested=True).exists():
            self._stop = Cancelled()

    @contextmanager
    def heartbeat(self) -> Iterator[None]:
        """Another thread says every few seconds that this worker lives. In a transaction it could not see the job."""
        if connection.in_atomic_block:
            yield
            return
        ended = threading.Event()

        def beat() -> None:
            while not ended.wait(HEARTBEAT_SECONDS):
                try:
                    self._beat()
                except DatabaseError:
                    connection.close()  # the next one may get through on a new connection
            connection.close()

        thread = threading.Thread(target=beat, daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()


def claim(job_id: uuid.UUID | str) -> Job | None:
    """The job with a new lease, or None if it is finished or another worker has it."""
    now = timezone.now()
    dead = Q(state=State.RUNNING, heartbeat_at__lt=now - timedelta(seconds=DEAD_AFTER_SECONDS))
    claimed = Job.objects.filter(Q(state=State.QUEUED) | dead, pk=job_id).update(
        state=State.RUNNING, lease=uuid.uuid4(), heartbeat_at=now, started_at=now, attempts=F("attempts") + 1
    )
    return Job.objects.select_related("collection", "requested_by").get(pk=job_id) if claimed else None


def run(job_id: uuid.UUID | str, *, at_terminal: bool = False) -> None:
    """Run a waiting job to its end. What goes wrong is the job's error, in words for the person.

    At a terminal, progress is written there, and errors are raised as well.
    """
    claimed = claim(job_id)
    if claimed is None:
        return
    work = Work(claimed, sys.stderr if at_terminal and sys.stderr.isatty() else None)
    error: Exception | None = None
    try:
        with work.heartbeat():
            FUNCTIONS[claimed.kind](work, **claimed.parameters)
    except LeaseLost:
        error = Conflict(f"{claimed.title}: another worker has taken over this job.")
        logger.warning("job %s was taken over by another worker", job_id)
    except Cancelled:
        error = Conflict(f"{claimed.title} was cancelled.")
        _end(claimed, State.CANCELLED, "")
    except AppError as refusal:
        error = refusal
        _end(claimed, State.FAILED, str(refusal))
    except DatabaseError as trouble:
        error = trouble
        logger.exception("job %s: the database failed", job_id)
        if claimed.attempts >= MAX_ATTEMPTS:
            _end(claimed, State.FAILED, f"The database failed: {trouble}")
        else:
            Job.objects.filter(pk=claimed.pk, lease=claimed.lease).update(state=State.QUEUED, lease=None)
    except Exception as bug:
        error = bug
        logger.exception("job %s failed", job_id)
        _end(claimed, State.FAILED, "An unexpected error ended this job. The server's log has the details.")
    if at_terminal and error:
        raise error


def _end(claimed: Job, state: State, error: str) -> None:
    mine = Job.objects.filter(pk=claimed.pk, lease=claimed.lease, state=State.RUNNING)
    mine.update(state=state, error=error, lease=None, finished_at=timezone.now())


def reap() -> int:
    """Send again what no worker has: jobs whose worker died, and jobs whose message was lost."""
    now = timezone.now()
    silent = Job.objects.filter(state=State.RUNNING, heartbeat_at__lt=now - timedelta(seconds=DEAD_AFTER_SECONDS))
    for dead in silent.filter(attempts__gte=MAX_ATTEMPTS):
        _end(dead, State.FAILED, f"The worker ended {MAX_ATTEMPTS} times during this job.")
    waiting = Job.objects.filter(state=State.QUEUED, created_at__lt=now - timedelta(seconds=DEAD_AFTER_SECONDS))
    lost = [*silent.filter(attempts__lt=MAX_ATTEMPTS), *waiting]
    for each in lost:
        send(each)
    return len(lost)
