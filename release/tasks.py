"""The job that publishes a release."""

from __future__ import annotations

from typing import Any

from bundle.options import ReleaseOptions
from jobs import registry
from jobs.lease import Lease
from jobs.queues import JobQueue
from release.services import JOB_KIND, job_result, publish_release
from release.versions import rankings as version_rankings


@registry.handles(
    JOB_KIND,
    title="Publish a release",
    page="releases",
    result=("release", "version"),
    queue=JobQueue.LONG,
)
def run_publish_release(lease: Lease) -> dict[str, Any]:
    release = publish_release(
        collection=lease.collection,
        published_by=lease.requester,
        work=lease,
        version=lease.parameters["version"],
        accept=lease.parameters["accept"],
        options=ReleaseOptions.from_json(lease.parameters["options"]),
    )
    return job_result(release)


@registry.handles(
    version_rankings.JOB_KIND,
    title="Compare rankings",
    page="releases",
    result=("release-changes", "version"),
    queue=JobQueue.MEMORY,
)
def run_compare_rankings(lease: Lease) -> dict[str, Any]:
    return version_rankings.compare_rankings(
        collection=lease.collection,
        since=lease.parameters["since"],
        version=lease.parameters["version"],
        measure=lease.parameters["measure"],
        work=lease,
    )
