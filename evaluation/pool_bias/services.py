"""Computes and stores the report on a collection's pools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils import timezone

from accounts.locking import lock_collection
from accounts.models import Collection, User
from agreement.report_states import changed_inputs, in_words, state_of_inputs
from agreement.revision import revision_of
from evaluation.pool_bias.models import PoolBiasReport
from evaluation.pool_bias.report import report_payload
from jobs.context import DirectRun, JobContext
from jobs.models import Job
from jobs.services import enqueue
from pooling.services.reports import pools_state
from scoring.systems.lists import lists_digest, run_digests
from scoring.systems.services import sync_runs

JOB_KIND = "pool_bias"
VERSION = 2  # of the numbers: a report of another version is out of date


def request_pool_bias(
    *, collection: Collection, leave_out: Sequence[str] = (), requested_by: User | None = None
) -> Job:
    """Queue the job that computes the report, or return the one that is in progress."""
    return enqueue(
        kind=JOB_KIND,
        collection=collection,
        parameters={"leave_out": sorted(set(leave_out))},
        requested_by=requested_by,
        key=JOB_KIND,
    )


def compute_pool_bias(
    *, collection: Collection, leave_out: Sequence[str] = (), work: JobContext | None = None
) -> PoolBiasReport:
    """Compute the report of the present labels, pools and systems, and store it.

    A report that began later is never replaced.

    Raises:
        PoolBiasError: there are no pools or final labels, or `leave_out` names an unknown source.
    """
    work = work or DirectRun()
    began = timezone.now()
    with work.fenced():
        sync_runs(lock_collection(collection))
    # Read first: if something changes meanwhile, the report counts as out of date.
    state = state_of(collection)
    payload = {"version": VERSION, **report_payload(collection, leave_out, work)}
    fields: dict[str, Any] = {
        "state": state,
        "leave_out": payload["leave_out"],
        "paragraph": payload["paragraph"],
        "payload": payload,
        "computed_at": began,
    }
    with work.fenced():
        lock_collection(collection)
        report = PoolBiasReport.objects.filter(collection=collection).first()
        if report is None:
            report = PoolBiasReport.objects.create(collection=collection, **fields)
        elif report.computed_at <= began:
            for name, value in fields.items():
                setattr(report, name, value)
            report.save()
        work.complete({"systems": len(payload["systems"]), "sources": len(payload["sources"])})
    return report


def state_of(collection: Collection) -> str:
    return state_of_inputs(_inputs(collection))


def changed_since(report: PoolBiasReport) -> str:
    """The inputs that changed since the report was computed, as in "the labels"; or ""."""
    return in_words(changed_inputs(report.state, _inputs(report.collection)))


def _inputs(collection: Collection) -> dict[str, Any]:
    """The inputs of a report, as counts and digests."""
    runs = run_digests(collection)
    systems = sorted(
        (system.name, lists_digest(system, runs)) for system in collection.systems.all()
    )
    return {
        "how Qrelsmith computes the report": VERSION,
        "the labels": str(revision_of(collection)),
        "the lowest relevant grade": collection.relevant_from,
        "the pools or the documents": pools_state(collection),
        "the lists of systems": [sorted(runs.items()), systems],
    }


def readable_report(collection: Collection) -> PoolBiasReport | None:
    """The stored report, unless another version computed it: then its payload has other keys."""
    report = PoolBiasReport.objects.filter(collection=collection).first()
    return report if report and report.payload.get("version") == VERSION else None


def current_paragraph(collection: Collection) -> str:
    """The statement of what the collection supports, from an up-to-date report; or ""."""
    report = PoolBiasReport.objects.filter(collection=collection).defer("payload").first()
    return report.paragraph if report and report.state == state_of(collection) else ""
