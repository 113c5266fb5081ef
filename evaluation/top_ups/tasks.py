"""The job that adds a pool round."""

from __future__ import annotations

from accounts.models import User
from evaluation.top_ups.services import JOB, TopUp, top_up_pools
from jobs.lease import Lease
from jobs.registry import STATE, handles


@handles(JOB, title="Add a round to the pools", page="pools", owners=STATE)
def run_top_up(lease: Lease) -> None:
    top_up_pools(
        collection=lease.collection,
        top_up=TopUp.of(lease.parameters),
        work=lease,
        made_by=User.objects.filter(pk__in=[lease.requested_by_id]).first(),
    )
