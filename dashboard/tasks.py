"""The job that deletes a collection."""

from __future__ import annotations

from dashboard.settings.archiving import DELETION_KIND
from dashboard.settings.deletion import delete_collection
from jobs import registry
from jobs.lease import Lease
from jobs.queues import JobQueue


@registry.handles(
    DELETION_KIND,
    title="Delete the collection",
    page="collection-settings",
    in_steps=True,
    archived_too=True,
    queue=JobQueue.LONG,
)
def run_delete_collection(lease: Lease) -> dict[str, object]:
    delete_collection(collection=lease.collection, work=lease)
    return {}
