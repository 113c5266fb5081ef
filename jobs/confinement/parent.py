"""Jobs that read uploaded files run in a child process, which their worker can kill.

A file can make a parser take all memory, or stay in one call for hours. In the worker's own
process, a cancellation would not reach it, and all other jobs would wait. So the worker claims the
job, starts `child` with the lease, and watches. It kills the child when the job is
cancelled or taken over, when the worker stops, and when the time is up. The child limits its own
memory (`memory`).
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
import uuid
from contextlib import suppress

from celery import current_app
from django.conf import settings

from jobs import services
from jobs.confinement.memory import OutOfMemory
from jobs.lease import Lease, LeaseLost, heartbeat
from web.errors import UserFacingError

LOOK_SECONDS = 0.2
# The end of a process whose library gets no memory and cannot raise an exception.
ENDS_WITHOUT_MEMORY = {-signal.SIGABRT, -signal.SIGSEGV, -signal.SIGBUS}


class OutOfTime(UserFacingError):
    """An import took too long."""

    def __init__(self) -> None:
        super().__init__(
            f"This import took longer than {settings.IMPORT_SECONDS:,} seconds, which is the "
            "limit. Split the file, or have the setting IMPORT_SECONDS raised on the server."
        )


def run_confined(job_id: uuid.UUID) -> None:
    """Run the job in a child process, and record in its row how it ended. Safe to call again."""
    lease = services.claim(job_id)
    if lease is None:
        return
    with services.end_recorded(lease):
        with heartbeat(lease):
            code = _run_child(lease)
        if code in ENDS_WITHOUT_MEMORY:
            raise OutOfMemory
        if code:  # killed from outside, or it could not start
            services.put_back(lease, f"The process of the import ended with code {code}.")


def _run_child(lease: Lease) -> int:
    """Start the process that does the job, wait for its end and return its exit code.

    Raises:
        Cancelled, LeaseLost, WorkerStops, OutOfTime: the child was killed.
    """
    command = [sys.executable, "-m", "jobs.confinement.child", str(lease.job_id), str(lease.token)]
    child = subprocess.Popen(
        [*command, *current_app.conf.include],
        cwd=settings.BASE_DIR,
        stdin=subprocess.PIPE,  # It closes when this process dies, and then the child ends.
    )
    try:
        deadline = time.monotonic() + settings.IMPORT_SECONDS
        while True:
            with suppress(subprocess.TimeoutExpired):
                return child.wait(LOOK_SECONDS)
            try:
                lease.check()
            except LeaseLost:  # Perhaps because the child has just recorded its own end.
                with suppress(subprocess.TimeoutExpired):
                    return child.wait(settings.JOB_STOP_SECONDS)
                raise
            if time.monotonic() > deadline:
                raise OutOfTime
    finally:
        child.kill()
        child.communicate()
