"""A job that tests can interrupt: `celery worker --include tests.support.slow_jobs`.

Each of its steps leaves a row behind under a name that can exist once, so a step that two workers
did would be seen, and a worker that takes over goes on where the last one got to.
"""

from __future__ import annotations

import re
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

from django.contrib.auth.models import Group

from accounts.models import User
from database.bulk import insert_rows
from jobs import registry
from jobs.lease import Lease
from jobs.queues import JobQueue

KIND = "tests.slow"
LONG_KIND = "tests.long"
BUSY_KIND = "tests.busy"
FREEZING_KIND = "tests.freezing"
GREEDY_KIND = "tests.greedy"
STUCK_KIND = "tests.stuck"
FROZEN = "frozen"  # the user whose row says that the process has been frozen once
ENOUGH = "enough"  # the user whose row ends a busy job


@registry.handles(LONG_KIND, title="Take much time", page="jobs", queue=JobQueue.LONG)
@registry.handles(KIND, title="Take some time", page="jobs")
def take_some_time(lease: Lease) -> dict[str, Any]:
    steps = lease.parameters["steps"]
    done = User.objects.filter(username__startswith="step-").count()
    for step in range(done, steps):
        time.sleep(lease.parameters["seconds"])
        with lease.fenced():
            User.objects.create(username=f"step-{step}")
        lease.progress(step + 1, steps)
    return {"steps": steps, "token": str(lease.token)}


@registry.handles(BUSY_KIND, title="Compute without a word", page="jobs")
def compute_without_a_word(lease: Lease) -> dict[str, Any]:
    while not User.objects.filter(username=ENOUGH).exists():
        for _ in range(10_000_000):
            pass
    return {}


@registry.handles(FREEZING_KIND, title="Freeze in the middle of a transaction", page="jobs")
def freeze(lease: Lease) -> dict[str, Any]:
    """The first attempt freezes its process, as SIGSTOP from outside would; the second does not."""
    _, is_first = User.objects.get_or_create(username=FROZEN)
    with lease.fenced():
        User.objects.create(username="step-0")
        if is_first and lease.parameters["place"] == "between statements":
            _stop()
        insert_rows(Group, ["name"], _groups(freezes=is_first))
        lease.complete({"groups": Group.objects.count()})
    return {}


def _groups(*, freezes: bool) -> Iterator[tuple[str]]:
    for number in range(3):
        if freezes and number == 1:
            _stop()
        yield (f"group {number}",)


def _stop() -> None:
    # To this thread: a signal to the process may wait until another thread is scheduled.
    signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)


@registry.handles(
    GREEDY_KIND, title="Read a file that takes all memory", page="jobs", reads=("path",)
)
def take_all_memory(lease: Lease) -> dict[str, Any]:
    held = []
    while True:
        held.append(bytearray(16 * 1024 * 1024))


@registry.handles(
    STUCK_KIND, title="Read a file that keeps the parser", page="jobs", reads=("path",)
)
def stay_in_one_call(lease: Lease) -> dict[str, Any]:
    """One call of the regular expressions that lets no other thread of the process run."""
    return {"found": bool(re.match(r"(a+)+$", "a" * 60 + "b"))}
