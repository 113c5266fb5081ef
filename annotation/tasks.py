"""The jobs that change the seats or the guideline of many queries."""

from __future__ import annotations

from typing import Any

from annotation import team
from annotation.guidelines.changes import APPLYING_KIND, apply_as_requested
from annotation.models import Guideline
from annotation.sharing import Assignment, SeatMove
from jobs.lease import Lease
from jobs.registry import WHOLE, handles


@handles(team.OPENING_KIND, title="Open queries", page="board", in_steps=True, owners=WHOLE)
def run_open_queries(lease: Lease) -> dict[str, Any]:
    return team.open_as_planned(
        collection=lease.collection,
        assignments=[Assignment(*row) for row in lease.parameters["assignments"]],
        opened_by=lease.requester,
        work=lease,
        # A job that was queued by an earlier version lacks these parameters.
        unchecked_labels=lease.parameters.get("unchecked_labels", False),
        senior_reason=lease.parameters.get("senior_reason", ""),
    )


@handles(team.REBALANCING_KIND, title="Rebalance the seats", page="board", in_steps=True)
def run_rebalance_seats(lease: Lease) -> dict[str, Any]:
    return team.rebalance_as_planned(
        collection=lease.collection,
        moves=[SeatMove(*row) for row in lease.parameters["moves"]],
        work=lease,
    )


@handles(
    APPLYING_KIND,
    title="Apply a guideline to open queries",
    page="guidelines",
    in_steps=True,
    owners=WHOLE,
)
def run_apply_guideline(lease: Lease) -> dict[str, Any]:
    parameters = dict(lease.parameters)
    return apply_as_requested(
        collection=lease.collection,
        guideline=Guideline.objects.get(pk=parameters.pop("guideline")),
        made_by=lease.requester,
        work=lease,
        **parameters,
    )
