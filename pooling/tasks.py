"""The jobs of pooling."""

from __future__ import annotations

from typing import Any

from jobs.lease import Lease
from jobs.queues import JobQueue
from jobs.registry import STATE, due_check, handles
from pooling import services
from pooling.checks import request_due_checks


@handles("build_pools", title="Build the pools", page="pools", owners=STATE, queue=JobQueue.MEMORY)
def build_pools(lease: Lease) -> dict[str, Any]:
    plan = services.PoolPlan.of(lease.parameters)
    requested_by = lease.requester
    maker = services.JobRunMaker(lease.collection, plan.depth, lease.created_at, requested_by)
    build = services.build_pools(
        collection=lease.collection,
        plan=plan,
        work=lease,
        maker=maker,
        built_by=requested_by,
        docnos=lease.parameters.get("query_papers", ()),
        without_pool=lease.parameters.get("without_pool", False),
    )
    return {"pools": build.pools.count()}


@due_check
def delete_leftovers() -> None:
    """A part at each tick: what a killed build has written, and drafts that it replaced."""
    services.delete_leftovers()


due_check(request_due_checks)
