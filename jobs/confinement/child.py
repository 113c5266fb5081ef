"""The process of one import: `python -m jobs.confinement.child JOB LEASE [MODULE …]`.

Its worker starts it; see `parent`. The modules register the kinds of jobs that the worker
knows.
"""

from __future__ import annotations

import fcntl
import os
import signal
import sys
import threading
import uuid
from importlib import import_module

import django


def main(job_id: str, token: str, *modules: str) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    end_with_worker()
    from celery import current_app

    from jobs import services
    from jobs.confinement.memory import limited_memory
    from jobs.lease import Lease
    from jobs.models import Job, State
    from web.logs.context import in_job

    current_app.loader.import_default_modules()
    for module in modules:
        import_module(module)
    jobs = Job.objects.select_related("collection")
    job = jobs.filter(pk=uuid.UUID(job_id), lease=uuid.UUID(token), state=State.RUNNING).first()
    if job is not None:
        with in_job(job_id):
            services.work(Lease.of(job), limited_memory())


def end_with_worker() -> None:
    """End this process when its standard input closes, because then the worker is dead.

    Linux sends SIGIO, which ends a process even in a call that lets no other thread run. Elsewhere,
    and if the worker is dead already, a thread sees the end of the input.
    """
    if sys.platform == "linux":
        signal.signal(signal.SIGIO, signal.SIG_DFL)
        fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)
    threading.Thread(target=exit_at_end_of_input, daemon=True).start()


def exit_at_end_of_input() -> None:
    os.read(0, 1)  # `sys.stdin` has a lock, which must be free when the interpreter shuts down.
    os._exit(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
