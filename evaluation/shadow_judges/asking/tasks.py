"""The job that asks a model."""

from __future__ import annotations

from evaluation.shadow_judges.asking.services import ASKING_KIND, ask_model
from jobs.context import JobResult
from jobs.lease import Lease
from jobs.queues import JobQueue
from jobs.registry import handles


@handles(
    ASKING_KIND,
    title="Ask a model",
    page="label-effects",
    result=("shadow-judge", "shadow_judge"),
    in_steps=True,
    queue=JobQueue.LONG,
)
def run_ask_model(lease: Lease) -> JobResult:
    return ask_model(collection=lease.collection, name=lease.parameters["shadow_judge"], work=lease)
