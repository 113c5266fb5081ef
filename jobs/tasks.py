"""The one Celery task, and the reconciler that every worker runs beside it."""

from __future__ import annotations

import logging
import os
import threading
from typing import Any

from celery import shared_task
from celery.signals import worker_ready
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection

from accounts.personal_data.retention import clear_expired_if_due
from database.stuck import StuckCopies
from jobs import registry, services, uploaded_files
from jobs.confinement.parent import run_confined
from jobs.last_look import LastLook
from jobs.models import Job
from jobs.queues import JobQueue
from jobs.workers import duties
from jobs.workers.slots import slot_for_long_job
from web.logs.context import in_job

logger = logging.getLogger(__name__)


@shared_task(name="jobs.run")
def run_job(job_id: str) -> None:
    with in_job(job_id):
        _run_job(job_id)


def _run_job(job_id: str) -> None:
    try:
        job = Job.objects.filter(pk=job_id).only("kind").first()
        if job is None:
            return
        kind = registry.kind(job.kind)
        run = run_confined if kind.reads else services.run
        if kind.queue is JobQueue.SHORT:
            run(job.pk)
            return
        with slot_for_long_job() as is_free:
            if is_free:
                run(job.pk)
            else:
                services.wait_for_slot(job.pk)
    except (OperationalError, InterfaceError) as error:
        logger.warning("job %s waits: the database is locked or out of reach (%s)", job_id, error)


last_sweep = LastLook()


@registry.due_check
def sweep_uploads() -> None:
    if not last_sweep.still_holds(None):
        uploaded_files.sweep()
        last_sweep.note(None)


@registry.due_check
def clear_expired_data() -> None:
    clear_expired_if_due()


def keep_reconciling(stop: threading.Event, tick: threading.Lock) -> None:
    delivery, copies, presence = duties.DeliveryMonitor(), StuckCopies(), duties.Presence()
    while not stop.wait(settings.JOB_TICK_SECONDS):
        with tick:
            try:
                copies.end()
                services.reconcile()
                lost_jobs = delivery.count_lost_jobs()
                if lost_jobs:
                    duties.exit_without_messages(lost_jobs)
                presence.note()  # last, because no job depends on it
            except Exception as error:  # noqa: BLE001  (an error must not end this thread)
                next_try = settings.JOB_TICK_SECONDS
                logger.warning("reconciler: %s; next try in %s s", error, next_try)
                delivery.reset()  # a job that was not sent cannot be received
            finally:
                connection.close()  # a forked child must not share it


@worker_ready.connect
def start_reconciler(**_: Any) -> None:
    # When a child dies, the pool forks another one from this process. A fork in the middle of a
    # tick would copy the locks that this thread holds, also those inside SQLite, and the child
    # would wait for them forever. So forks wait for the end of the tick.
    tick = threading.Lock()
    os.register_at_fork(
        before=tick.acquire, after_in_parent=tick.release, after_in_child=tick.release
    )
    threading.Thread(
        target=keep_reconciling, args=[threading.Event(), tick], name="reconciler", daemon=True
    ).start()
