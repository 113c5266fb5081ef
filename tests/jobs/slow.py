"""A job for a worker process that tests can interrupt: `celery worker --include tests.jobs.slow`.

Each of its steps leaves a row behind under a name that can exist once, so a step that two workers
did would be seen, and a worker that takes over goes on where the last one got to.
"""

from __future__ import annotations

import time
from typing import Any

from accounts.models import User
from jobs import registry
from jobs.lease import Lease

KIND = "tests.slow"


@registry.handles(KIND, title="Take some time")
def take_some_time(lease: Lease) -> dict[str, Any]:
    steps = lease.parameters["steps"]
    done = User.objects.filter(username__startswith="step-").count()
    for step in range(done, steps):
        time.sleep(lease.parameters["seconds"])
        with lease.fenced():
            User.objects.create(username=f"step-{step}")
        lease.progress(step + 1, steps)
    return {"steps": steps, "token": str(lease.token)}
