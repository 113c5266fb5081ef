"""Rows that break the rules of `jobs`."""

from __future__ import annotations

from jobs.models import State
from tests.database.rules.world import Case, again

CASES = [
    Case("job_live_once_per_key", lambda world: again(world.job)),
    Case("job_state_known", lambda world: again(world.job, key="other", state="lost")),
    Case(
        "job_running_has_lease",
        lambda world: again(world.job, key="other", state=State.RUNNING, lease=None),
    ),
]
