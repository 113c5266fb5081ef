"""The jobs that score systems and import them."""

from __future__ import annotations

from jobs.lease import Lease
from jobs.queues import JobQueue
from jobs.registry import handles
from jobs.uploaded_files import files_of
from scoring.services import JOB_KIND, evaluate
from scoring.systems.services import RunPath, import_system
from scoring.systems.uploads import IMPORT_KIND


@handles(JOB_KIND, title="Score systems", page="leaderboard", in_steps=True, queue=JobQueue.LONG)
def run_evaluate(lease: Lease) -> dict[str, object]:
    return evaluate(collection=lease.collection, source=lease.parameters["source"], work=lease)


@handles(
    IMPORT_KIND,
    title="Import a system",
    page="leaderboard",
    result=("system", "name"),
    reads=("path",),
    form="add-system",
)
def run_import_system(lease: Lease) -> dict[str, object]:
    parameters = lease.parameters
    system = import_system(
        collection=lease.collection,
        name=parameters["name"],
        files=[RunPath(path, name) for name, path in files_of(parameters).items()],
        repetition_of=parameters["repetition_of"],
        work=lease,
    )
    return {"system": system.name}
