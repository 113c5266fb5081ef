"""The job that makes baselines."""

from __future__ import annotations

from typing import Any

from evaluation.baselines.services import JOB_KIND, make_baselines
from jobs.lease import Lease
from jobs.registry import handles


@handles(JOB_KIND, title="Make baselines", page="baselines", in_steps=True)
def run_make_baselines(lease: Lease) -> dict[str, Any]:
    return make_baselines(collection=lease.collection, work=lease, **lease.parameters)
