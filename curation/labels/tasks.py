"""The jobs of curation."""

from __future__ import annotations

from curation.labels.prediction import JOB_KIND, predict_labels
from curation.labels.training import TRAINING_KIND, train_labeller
from jobs.lease import Lease
from jobs.queues import JobQueue
from jobs.registry import WHOLE, handles


@handles(
    JOB_KIND,
    title="Label sentences",
    page="labels",
    in_steps=True,
    owners=WHOLE,
    queue=JobQueue.LONG,
)
def run_label_sentences(lease: Lease) -> None:
    predict_labels(collection=lease.collection, work=lease, **lease.parameters)


@handles(
    TRAINING_KIND, title="Train a labeller", page="labels", owners=WHOLE, queue=JobQueue.MEMORY
)
def run_train_labeller(lease: Lease) -> None:
    train_labeller(collection=lease.collection, work=lease, **lease.parameters)
