"""Services that create, run, end and send jobs."""

from __future__ import annotations

import logging
import traceback
import uuid
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from datetime import timedelta
from itertools import takewhile
from typing import Any

from celery import current_app
from django.conf import settings
from django.db import Error as DatabaseTrouble
from django.db import (
    IntegrityError,
    InterfaceError,
    InternalError,
    OperationalError,
    connection,
    transaction,
)
from django.utils import timezone
from kombu.exceptions import KombuError

from accounts.actions.actors import LONGEST_TOOL, Actor, acting
from accounts.actions.kinds import ActionWay
from accounts.locking import check_not_archived
from accounts.models import Collection, User
from jobs import registry, uploaded_files
from jobs.context import RetryLater
from jobs.lease import Cancelled, Lease, LeaseLost, heartbeat
from jobs.models import Job, State
from web.disk import DiskFull, NotWritable, is_full, is_refused
from web.errors import UserFacingError

logger = logging.getLogger(__name__)

MAX_ATTEMPTS = 5
IDLE_IN_TRANSACTION_TIMEOUT = "25P03"  # the SQLSTATE. Workers on SQLite do not import psycopg.


def enqueue(
    *,
    kind: str,
    collection: Collection,
    parameters: Mapping[str, object],
    requested_by: User | None = None,
    key: str = "",
) -> Job:
    """Create the job's row, and send it to a worker when the row is committed.

    `key` names work that must not be done twice at once (default: the kind). If the collection has
    a live job with the same key, that job is returned.

    Raises:
        CollectionArchived: jobs change a collection, and it is archived.
    """
    registry.handler(kind)
    if not registry.kind(kind).archived_too:
        check_not_archived(collection)
    key = key or kind
    for last_try in (False, True):
        try:
            with transaction.atomic():
                job = Job.objects.create(
                    kind=kind,
                    collection=collection,
                    parameters=parameters,
                    requested_by=requested_by,
                    key=key,
                )
            break
        except IntegrityError:
            live = collection.jobs.live().filter(key=key).first()
            if live is not None:
                return live
            if last_try:  # the key is free, so another constraint failed
                raise
    # Robust, because the row is committed: a failed message must not be the requester's error.
    transaction.on_commit(lambda: dispatch(job.pk, kind), robust=True)
    return job


def dispatch(job_id: uuid.UUID, kind: str) -> bool:
    """Send a message that tells a worker to look at the row. The reconciler retries later.

    It goes to the queue of the kind.

    Returns whether the broker accepted the message.
    """
    message = Job.objects.filter(pk=job_id)
    message.update(dispatched_at=timezone.now())  # first, so that no other process sends it too
    queue = registry.kind(kind).queue.name_at_broker
    try:
        current_app.send_task("jobs.run", args=[str(job_id)], queue=queue, retry=False)
    except (KombuError, OSError) as error:
        logger.warning("job %s waits: the broker did not accept its message (%s)", job_id, error)
        message.update(dispatched_at=None)
        return False
    return True


def claim(job_id: uuid.UUID) -> Lease | None:
    """Claim the job if it is queued or abandoned; None if it cannot be claimed."""
    with transaction.atomic():
        # Another worker has a locked row. Waiting for it would keep this one from other jobs.
        job = (
            Job.objects.claimable()
            .select_for_update(of=("self",), skip_locked=True)
            .select_related("collection")
            .filter(pk=job_id)
            .first()
        )
        if job is None:
            return None
        if job.cancel_requested:
            _end(job, State.CANCELLED)
            return None
        if job.attempts >= MAX_ATTEMPTS:
            _end(job, State.FAILED, error=_gave_up(job))
            return None
        return _take(job)


def _gave_up(job: Job) -> str:
    summary = f"Gave up after {job.attempts} attempts."
    return f"{summary} {job.error or 'The worker died each time.'}"


def _take(job: Job) -> Lease:
    now = timezone.now()
    _save(
        job,
        state=State.RUNNING,
        lease=uuid.uuid4(),
        attempts=job.attempts + 1,
        started_at=job.started_at or now,
        heartbeat_at=now,
        waits_until=None,
        progress_note="",  # of an earlier wait or attempt
    )
    return Lease.of(job)


def _save(job: Job, **fields: Any) -> None:
    """Change these fields of a locked row."""
    for name, value in fields.items():
        setattr(job, name, value)
    job.save(update_fields=list(fields))


def run(job_id: uuid.UUID) -> None:
    """Run the job, and record in its row how it ended. Safe to call again."""
    lease = claim(job_id)
    if lease is not None:
        work(lease)


def work(lease: Lease, limits: AbstractContextManager[None] | None = None) -> None:
    """Do the job of a lease in this process, and record in its row how it ended."""
    actor = Actor(ActionWay.JOB, lease.requested_by_id, lease.kind[:LONGEST_TOOL])
    with acting(actor), end_recorded(lease):
        with heartbeat(lease), limits or nullcontext():
            result = registry.handler(lease.kind)(lease)
        if (lease.completed or _finish(lease, State.SUCCEEDED, result=result)) and not (
            lease.parameters.get(uploaded_files.DRY_RUN)  # the import may follow
        ):
            uploaded_files.remove(uploaded_files.places_in(lease.kind, lease.parameters))


@contextmanager
def end_recorded(lease: Lease) -> Iterator[None]:
    """Record in the job's row the exception that ends the block."""
    try:
        yield
    except LeaseLost:
        logger.warning("job %s was taken over by another worker", lease.job_id)
    except Cancelled:
        _finish(lease, State.CANCELLED)
    except RetryLater as waiting:
        _put_off(lease, waiting)
    except (OperationalError, InterfaceError, InternalError) as error:
        if is_full(error) or not _may_pass(error):  # a retry would fail in the same way
            _fail(lease, error)
        else:
            logger.warning(
                "job %s lost the database and will be tried again: %s", lease.job_id, error
            )
            put_back(lease, str(error))
    except Exception as error:  # noqa: BLE001 (the row must record every error)
        _fail(lease, error)


def _may_pass(error: DatabaseTrouble) -> bool:
    """Return whether a retry may help, because the database is locked, restarting or out of reach.

    One internal error counts too: PostgreSQL ended the session because this process was frozen.
    """
    frozen = getattr(error.__cause__, "sqlstate", None) == IDLE_IN_TRANSACTION_TIMEOUT
    return frozen or not isinstance(error, InternalError)


def _fail(lease: Lease, error: Exception) -> None:
    if isinstance(error, UserFacingError):
        message = str(error)
    else:
        logger.exception("job %s failed", lease.job_id, exc_info=error)
        path = getattr(error, "filename", None) or ""
        exception_text = "".join(traceback.format_exception_only(error))
        message = exception_text
        if is_full(error):
            message = str(DiskFull(path))
        elif isinstance(error, OSError) and is_refused(error):
            message = str(NotWritable(error))
    _finish(lease, State.FAILED, error=message.replace("\0", "").strip())


def _finish(lease: Lease, state: State, *, result: Any = None, error: str = "") -> bool:
    """End the job. Returns False if another worker has taken it over."""
    try:
        with transaction.atomic():
            _end(_lock_job(lease), state, result=result, error=error)
    except LeaseLost:
        logger.warning("job %s was taken over; its end here (%s) is ignored", lease.job_id, state)
        return False
    return True


def put_back(lease: Lease, error: str) -> None:
    """Queue the job again for a retry. If this fails too, the job is found without heartbeats."""
    connection.close()
    with suppress(LeaseLost, DatabaseTrouble), transaction.atomic():
        job = _lock_job(lease)
        message = error.replace("\0", "").strip()
        _save(job, state=State.QUEUED, lease=None, error=message, dispatched_at=timezone.now())


def _put_off(lease: Lease, waiting: RetryLater) -> None:
    """Queue the job again for later, without counting this attempt."""
    with suppress(LeaseLost), transaction.atomic():
        job = _lock_job(lease)
        if job.cancel_requested:
            _end(job, State.CANCELLED)
            return
        _save(
            job,
            state=State.QUEUED,
            lease=None,
            attempts=job.attempts - 1,
            error="",
            progress_note=waiting.waits_for[:200],
            dispatched_at=None,
            waits_until=timezone.now() + timedelta(seconds=waiting.seconds),
        )


def wait_for_slot(job_id: uuid.UUID) -> None:
    """Leave a queued long job to the reconciler, because this worker has no slot for it now."""
    Job.objects.filter(pk=job_id, state=State.QUEUED).update(
        dispatched_at=None,
        waits_until=timezone.now() + timedelta(seconds=settings.JOB_TICK_SECONDS),
        progress_note="Waits for another long job.",
    )


def _lock_job(lease: Lease) -> Job:
    job = (
        Job.objects.select_for_update()
        .filter(pk=lease.job_id, lease=lease.token, state=State.RUNNING)
        .first()
    )
    if job is None:
        raise LeaseLost(lease.job_id)
    return job


def _end(job: Job, state: State, *, result: Any = None, error: str = "") -> None:
    _save(job, state=state, result=result, error=error, lease=None, finished_at=timezone.now())


def request_cancel(*, job: Job) -> None:
    """Cancel the job: at once if it is queued, at its next progress report if it runs."""
    with transaction.atomic():
        locked_job = Job.objects.select_for_update().get(pk=job.pk)
        if locked_job.state == State.QUEUED:
            _end(locked_job, State.CANCELLED)
        elif locked_job.state == State.RUNNING:
            _save(locked_job, cancel_requested=True)


def reconcile() -> int:
    """Run the due checks, and send every job again that a dead worker or broker lost.

    Returns how many jobs were sent again. Any number of workers may do this at once: a job sent
    twice is claimed once.
    """
    for check in registry.due_checks():
        try:
            check()
        except Exception:  # one app's failing check must not stop the jobs of other apps
            logger.exception("due check %s.%s failed", check.__module__, check.__qualname__)
    if not Job.objects.to_send().exists():
        return 0  # without a transaction, because on SQLite it takes the write lock
    with transaction.atomic():
        # A job whose worker is writing looks abandoned, because its heartbeat waits for the same
        # lock. Waiting for it would keep this reconciler from all other jobs.
        free_jobs = Job.objects.to_send().select_for_update(of=("self",), skip_locked=True)
        jobs = list(free_jobs.order_by("created_at").values_list("pk", "kind"))
    # The first failure ends the round, so a broker that is down is tried once per tick.
    return sum(1 for _ in takewhile(lambda job: dispatch(*job), jobs))
