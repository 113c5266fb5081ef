"""The job that checks pools for bias."""

from __future__ import annotations

from typing import Any

from evaluation.pool_bias.services import JOB_KIND, compute_pool_bias
from jobs.lease import Lease
from jobs.registry import handles


@handles(JOB_KIND, title="Check the pools for bias", page="pool-bias")
def run_pool_bias(lease: Lease) -> dict[str, Any]:
    report = compute_pool_bias(
        collection=lease.collection, leave_out=lease.parameters["leave_out"], work=lease
    )
    return {"sources": len(report.payload["sources"]), "systems": len(report.payload["systems"])}
