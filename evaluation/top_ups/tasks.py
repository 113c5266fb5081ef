"""The jobs that add a pool round, and open it in many queries."""

from __future__ import annotations

from typing import Any

from annotation.team import ROUND_KIND, SeatChange, open_new_pairs_as_planned
from evaluation.top_ups.services import JOB, TopUp, decided_pairs, top_up_pools
from jobs.lease import Lease
from jobs.queues import JobQueue
from jobs.registry import handles


@handles(JOB, title="Add a round to the pools", page="pool-rounds", queue=JobQueue.MEMORY)
def run_top_up(lease: Lease) -> None:
    top_up_pools(
        collection=lease.collection,
        top_up=TopUp.of(lease.parameters),
        work=lease,
        made_by=lease.requester,
    )


@handles(ROUND_KIND, title="Open a pool round", page="pool-rounds", in_steps=True)
def run_open_pool_round(lease: Lease) -> dict[str, Any]:
    return open_new_pairs_as_planned(
        collection=lease.collection,
        queries=lease.parameters["queries"],
        changes=[SeatChange(*row) for row in lease.parameters["changes"]],
        old_share=lease.parameters["old_share"],
        work=lease,
        known=decided_pairs(lease.collection),
    )
