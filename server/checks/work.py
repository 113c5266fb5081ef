"""Checks of the broker and the workers."""

from __future__ import annotations

import tempfile
from datetime import timedelta

from celery import current_app
from django.conf import settings
from django.db.models import Min
from django.utils import timezone

from accounts.personal_data.retention import last_cleared
from jobs.models import Job, State, WorkerProcess
from jobs.queues import JobQueue
from jobs.workers.duties import SEEN_SECONDS
from notices.mails import unsent
from server.checks.results import CheckResult, failed, ok, warning
from web.program import command_text
from web.words import count_noun

BROKER_SECONDS = 2
UNSEEN_SECONDS = 4 * SEEN_SECONDS
LONG_WAIT = timedelta(minutes=10)
CLEARED_LATE = timedelta(days=1)
START = "Start a worker: see “As bare processes” in the docs."
OF_ALL_QUEUES = "Start a worker without the option --queues, or with these names in it."


def check_broker() -> CheckResult:
    with current_app.connection_for_write(connect_timeout=BROKER_SECONDS) as broker:
        # This makes a channel, too, for which Redis must answer a ping.
        broker.ensure_connection(
            max_retries=1, interval_start=0, interval_step=0, timeout=BROKER_SECONDS
        )
        kind = str(broker.transport.driver_type)
    if settings.CELERY_BROKER_URL.startswith("filesystem:"):
        messages = settings.CELERY_BROKER_TRANSPORT_OPTIONS["data_folder_out"]
        with tempfile.NamedTemporaryFile(dir=messages, prefix="check-"):
            pass
        if settings.PRODUCTION:
            return warning("It is a folder, for one machine.", "Set CELERY_BROKER_URL to a Redis.")
        return ok("It is a folder, for one machine.")
    return ok(f"It accepts messages ({kind}).")


def check_workers() -> CheckResult:
    now = timezone.now()
    workers = list(WorkerProcess.objects.filter(seen_at__gt=now - timedelta(days=1)))
    answering = [
        worker for worker in workers if (now - worker.seen_at).total_seconds() <= UNSEEN_SECONDS
    ]
    if not answering:
        return failed(f"None was seen in the last {UNSEEN_SECONDS} s.", START)
    found = f"{count_noun(len(answering), 'worker')} seen in the last {UNSEEN_SECONDS} s"
    taken = {queue for worker in answering for queue in worker.queues.split()}
    if left := [queue for queue in JobQueue if queue not in taken]:
        names = " and ".join(queue.name_at_broker for queue in left)
        return failed(f"{found}; none takes jobs from {names}.", OF_ALL_QUEUES)
    others = {worker.version for worker in answering} - {settings.SOFTWARE_VERSION}
    if others:
        return warning(
            f"{found}; versions {', '.join(sorted(others))} beside {settings.SOFTWARE_VERSION}.",
            "Restart the workers with the version of this process.",
        )
    return ok(found)


def check_notices() -> CheckResult:
    """The mails about waiting work. `check_mail` asks the mail server itself."""
    mails = unsent(timezone.now()).order_by("day")
    oldest = mails.first()
    if oldest is None:
        return ok("No mail about waiting work failed.")
    return warning(
        f"{count_noun(mails.count(), 'mail')} about waiting work not sent, the oldest of "
        f"{oldest.day:%Y-%m-%d}.",
        "Read the answer of the mail server in the log of the worker. A mail that failed is sent "
        "again; one whose worker was killed is not.",
    )


def check_retention() -> CheckResult:
    cleared_at = last_cleared()
    if cleared_at is None:
        return ok("Nothing was cleared yet.")
    if timezone.now() - cleared_at > CLEARED_LATE:
        return warning(
            f"Personal data past its time was last cleared at {cleared_at:%Y-%m-%d %H:%M} UTC.",
            f"Start a worker, or run {command_text('delete_expired')}.",
        )
    return ok(f"Cleared at {cleared_at:%Y-%m-%d %H:%M} UTC.")


def check_queue() -> CheckResult:
    now = timezone.now()
    waiting = Job.objects.filter(state=State.QUEUED).exclude(waits_until__gt=now)
    oldest = waiting.aggregate(oldest=Min("created_at"))["oldest"]
    if oldest is None:
        return ok("No job waits.")
    minutes = int((now - oldest).total_seconds() // 60)
    found = f"{count_noun(waiting.count(), 'job')}, the oldest for {count_noun(minutes, 'minute')}"
    if now - oldest > LONG_WAIT:
        return warning(found, "Start more workers, or look at the jobs that run for long.")
    return ok(found)
