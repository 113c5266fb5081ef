"""The job that draws a sample of the citation labels."""

from __future__ import annotations

from accounts.models import User
from jobs import registry
from jobs.lease import Lease
from jobs.queues import JobQueue
from release.label_samples.services import JOB_KIND, sample_labels


@registry.handles(
    JOB_KIND,
    title="Sample the citation labels",
    page="label-samples",
    result=("label-sample", "slug"),
    queue=JobQueue.LONG,
)
def run_sample_labels(lease: Lease) -> None:
    """Parameters: `slug`, `pairs` and `facet`."""
    sample_labels(
        collection=lease.collection,
        created_by=User.objects.filter(pk__in=[lease.requested_by_id]).first(),
        work=lease,
        **lease.parameters,
    )
