"""The other duties of a worker: stop in time, detect lost messages, touch a pulse file.

A supervisor (systemd, compose, `make demo`) restarts a worker that exits. So a worker exits from
every state that it cannot leave otherwise.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
import uuid
from datetime import timedelta
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from celery.concurrency.prefork import TaskPool as ProcessPool
from celery.signals import worker_ready, worker_shutting_down
from celery.worker import state
from django.conf import settings
from django.db.models.functions import Now
from django.utils import timezone

from jobs import registry
from jobs.lease import worker_stops
from jobs.models import Job, JobQuerySet, WorkerProcess
from jobs.queues import JobQueue, queues_of_worker

logger = logging.getLogger(__name__)

UNCLAIMED_ROUNDS = 4  # how often an unclaimed job is sent again before an idle worker exits
SEEN_SECONDS = 15
_stop_requests: SimpleQueue[str] = SimpleQueue()


@worker_shutting_down.connect
def note_stop_request(sig: str, **_: Any) -> None:
    # This runs in a signal handler, and the code that was interrupted may hold any lock.
    # SimpleQueue.put is reentrant: it is one of the few calls that are safe here.
    _stop_requests.put(sig)


@worker_ready.connect
def start_helpers(sender: Any, **_: Any) -> None:
    if not isinstance(sender.pool, ProcessPool):
        _start(stop_in_time)
    if settings.WORKER_PULSE_FILE:
        _start(show_pulse)


def _start(target: Any) -> None:
    threading.Thread(target=target, name=target.__name__, daemon=True).start()


def stop_in_time() -> None:
    """Wait for a request to stop, pass it on to the running jobs, and exit if they do not stop.

    Celery waits as long as a job runs. In a pool of processes, the supervisor's SIGKILL ends the
    job. A thread can only be ended with its process.
    """
    sig = _stop_requests.get()
    worker_stops.set()
    time.sleep(settings.JOB_STOP_SECONDS)
    logger.warning(
        "a job still runs %s s after %s: exiting; another worker takes over the job within %s s",
        settings.JOB_STOP_SECONDS,
        sig,
        settings.JOB_STALE_SECONDS,
    )
    os._exit(1)


def show_pulse() -> None:
    """Touch the pulse file regularly, so that a supervisor notices when this process freezes."""
    pulse = Path(settings.WORKER_PULSE_FILE)
    while True:
        try:
            pulse.touch()
        except OSError as error:
            logger.warning("the pulse file cannot be touched: %s", error)
        time.sleep(settings.JOB_TICK_SECONDS)


class Presence:
    """Writes that this worker runs, so that people and monitoring see it without a job too."""

    def __init__(self) -> None:
        self._name = f"{socket.gethostname()}:{os.getpid()}"[:200]
        self._started_at = timezone.now()
        self._next = time.monotonic()

    def note(self) -> None:
        """Write the time, at most every SEEN_SECONDS: on SQLite each write takes the one lock."""
        if time.monotonic() < self._next:
            return
        now = timezone.now()
        row = WorkerProcess.objects.filter(name=self._name)
        if not row.update(seen_at=now, stored_at=Now()):
            long_ago = now - timedelta(days=1)
            WorkerProcess.objects.filter(seen_at__lt=long_ago).delete()
            WorkerProcess.objects.create(
                name=self._name,
                version=settings.SOFTWARE_VERSION,
                queues=" ".join(queues_of_worker()),
                started_at=self._started_at,
                seen_at=now,
                stored_at=Now(),
            )
        self._next = time.monotonic() + SEEN_SECONDS


class DeliveryMonitor:
    """Detects that messages no longer reach this worker although it is idle.

    A consumer can stop while its process runs: its broker connection hangs, its pool is blocked,
    or its queues are of another installation. Every reconciler sends an unclaimed job again after
    JOB_STALE_SECONDS, so this or another idle worker should receive one of these messages.
    """

    def __init__(self) -> None:
        self._unclaimed_jobs: set[uuid.UUID] = set()
        self._unclaimed_since = time.monotonic()
        self._accepted_count = 0

    def reset(self) -> None:
        self._unclaimed_jobs = set()

    def count_lost_jobs(self) -> int:
        """Return the number of lost jobs of this worker; 0 while they may still arrive."""
        accepted_count: int = state.all_total_count[0]
        sent_jobs = (
            set() if state.active_requests else set(_sent_here().values_list("pk", flat=True))
        )
        unclaimed_jobs = (
            self._unclaimed_jobs & sent_jobs if accepted_count == self._accepted_count else set()
        )
        self._accepted_count = accepted_count
        if not unclaimed_jobs:
            unclaimed_jobs, self._unclaimed_since = sent_jobs, time.monotonic()
        self._unclaimed_jobs = unclaimed_jobs
        patience = UNCLAIMED_ROUNDS * settings.JOB_STALE_SECONDS
        return len(unclaimed_jobs) if time.monotonic() - self._unclaimed_since > patience else 0


def _sent_here() -> JobQuerySet:
    """The jobs for which messages were sent to the queues of this worker."""
    elsewhere = registry.kinds_in(set(JobQueue) - queues_of_worker())
    return Job.objects.sent().exclude(kind__in=elsewhere)


def exit_without_messages(jobs: int) -> None:
    logger.critical(
        "this worker is idle, but receives none of the %s waiting jobs, which were sent several "
        "times: exiting, so that the supervisor restarts it. If this repeats, check that "
        "CELERY_BROKER_URL, CELERY_QUEUE and DATA_DIR are the same everywhere.",
        jobs,
    )
    os._exit(1)
