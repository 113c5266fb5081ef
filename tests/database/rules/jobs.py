"""Rows that break the rules of `jobs`."""

from __future__ import annotations

from django.utils import timezone

from jobs.models import State, WorkerProcess
from tests.database.rules.world import Case, again


def worker_process() -> WorkerProcess:
    now = timezone.now()
    times = dict.fromkeys(("started_at", "seen_at", "stored_at"), now)
    return WorkerProcess.objects.create(name="host:1", version="0.1.0", **times)


CASES = [
    Case("jobs_workerprocess.name", lambda world: again(worker_process())),
    Case("job_live_once_per_key", lambda world: again(world.job)),
    Case("job_state_known", lambda world: again(world.job, key="other", state="lost")),
    Case(
        "job_running_has_lease",
        lambda world: again(world.job, key="other", state=State.RUNNING, lease=None),
    ),
]
