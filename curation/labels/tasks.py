"""The jobs of curation."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from curation.labels.prediction import JOB_KIND, predict_labels
from curation.labels.training import TRAINING_KIND, train_labeller
from jobs.lease import Lease
from jobs.registry import handles


@handles(JOB_KIND, title="Label sentences", page="labels", in_steps=True)
def run_label_sentences(lease: Lease) -> dict[str, Any]:
    report = predict_labels(collection=lease.collection, work=lease, **lease.parameters)
    return asdict(report)


@handles(TRAINING_KIND, title="Train a labeller", page="labels")
def run_train_labeller(lease: Lease) -> dict[str, Any]:
    labeller = train_labeller(collection=lease.collection, work=lease, **lease.parameters)
    return {"labeller": labeller.name}
