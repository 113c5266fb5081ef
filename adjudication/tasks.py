"""The job of adjudication, and the check for reports that are due."""

from __future__ import annotations

from typing import Any

from adjudication import yield_reports
from jobs.lease import Lease
from jobs.registry import due_check, handles


@handles(yield_reports.JOB_KIND, title="Count relevant documents by source")
def run_compute_yields(lease: Lease) -> dict[str, Any]:
    yield_reports.compute_yields(collection=lease.collection, work=lease)
    return {}


@due_check
def request_due_yields() -> None:
    yield_reports.request_due_yields()
