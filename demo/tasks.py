"""The job that fills a collection with the sample data."""

from __future__ import annotations

from demo.sample import JOB_KIND, load_sample
from jobs import registry
from jobs.lease import Lease
from jobs.queues import JobQueue


@registry.handles(
    JOB_KIND, title="Add the sample data", page="collection", in_steps=True, queue=JobQueue.LONG
)
def run_load_sample(lease: Lease) -> None:
    load_sample(collection=lease.collection, loaded_by=lease.requester, work=lease)
