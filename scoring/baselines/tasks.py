"""The job that makes baselines."""

from __future__ import annotations

from jobs.lease import Lease
from jobs.queues import JobQueue
from jobs.registry import handles
from scoring.baselines.services import JOB_KIND, make_baselines


@handles(JOB_KIND, title="Make baselines", page="leaderboard", in_steps=True, queue=JobQueue.MEMORY)
def run_make_baselines(lease: Lease) -> dict[str, object]:
    return {**make_baselines(collection=lease.collection, work=lease, **lease.parameters)}
