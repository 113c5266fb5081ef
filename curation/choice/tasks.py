"""The job that computes a choice of queries."""

from __future__ import annotations

from curation.choice import services as choices
from curation.choice.plan import ChoicePlan
from jobs.lease import Lease
from jobs.queues import JobQueue
from jobs.registry import handles


@handles(
    choices.JOB_KIND,
    title="Choose queries",
    page="choose-queries",
    result=("query-choice", "choice"),
    queue=JobQueue.LONG,
)
def run_choose_queries(lease: Lease) -> None:
    choices.compute_choice(
        collection=lease.collection,
        plan=ChoicePlan.of(lease.parameters["plan"]),
        created_by=lease.requester,
        work=lease,
    )
