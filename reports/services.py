"""Everything that computes, stores and requests reports, whatever their kind."""

from __future__ import annotations

import time
from datetime import datetime
from typing import Any, TypeVar

from django.db.models import QuerySet
from django.utils import timezone

from accounts.locking import lock_collection
from accounts.models import Collection, User
from jobs.context import DirectRun, JobContext
from jobs.lease import Lease
from jobs.models import Job
from jobs.registry import handles
from jobs.services import enqueue
from reports.kinds import ReportContent, ReportKind
from reports.models import StoredReport
from reports.states import changed_inputs, in_words

K = TypeVar("K", bound=ReportKind)

DUE_STATE = "state"  # in the parameters of a job that a worker requested by itself

_kinds: dict[str, type[ReportKind]] = {}


def register(kind: type[K]) -> type[K]:
    """Register a kind of report, and the job that computes it."""
    _kinds[kind.name] = kind
    handles(kind.name, title=kind.title, page=kind.page, queue=kind.queue)(_run)
    return kind


def _run(lease: Lease) -> dict[str, Any]:
    parameters = {name: value for name, value in lease.parameters.items() if name != DUE_STATE}
    kind = _kinds[lease.kind](**parameters)
    return kind.result(compute_report(kind, collection=lease.collection, work=lease))


def request_report(
    kind: ReportKind, *, collection: Collection, requested_by: User | None = None, reason: str = ""
) -> Job:
    """Queue the job that computes the report, or return the one that is in progress.

    `reason` distinguishes jobs with different work, such as a report of a later state.

    Raises:
        What `checked` of the kind raises for invalid parameters.
    """
    kind = kind.checked(collection)
    return enqueue(
        kind=kind.name,
        collection=collection,
        parameters=kind.parameters,
        requested_by=requested_by,
        key=job_key(kind, reason),
    )


def job_key(kind: ReportKind, reason: str = "") -> str:
    return ":".join(filter(None, [kind.name, kind.key, reason]))


def request_if_due(kind: ReportKind, *, collection: Collection) -> bool:
    """Queue the job of a report that is out of date or missing; False if it must be later.

    A state is asked for once: a job that failed would fail again. A job of an earlier state ends
    first, and after it the next one waits.
    """
    state = kind.state(collection)
    report = stored_reports(kind, collection).only("state", "seconds").first()
    latest = collection.jobs.filter(kind=kind.name).order_by("-created_at").first()
    if report is not None and report.state == state:
        return True
    if latest is not None:
        if latest.parameters.get(DUE_STATE) == state:
            return True
        if latest.is_live:
            return False
        if report is not None and latest.created_at + kind.wait_after(report) > timezone.now():
            return False
    # Under one key whatever the state, so that a page shows a failure until a later job succeeds.
    enqueue(
        kind=kind.name,
        collection=collection,
        parameters={**kind.parameters, DUE_STATE: state},
        key=job_key(kind),
    )
    return True


def compute_report(
    kind: ReportKind, *, collection: Collection, work: JobContext | None = None
) -> StoredReport:
    """Compute the report of the present inputs, and store it in place of the last one.

    A report that is up to date is returned as it is, and one of the same digest is kept. One that
    began later is never replaced.

    Raises:
        What `checked` and `content` of the kind raise.
        CollectionArchived
    """
    work = work or DirectRun()
    began, clock = timezone.now(), time.monotonic()
    collection.refresh_from_db()
    kind = kind.checked(collection)
    kind.prepare(collection, work)
    # Read first: if an input changes meanwhile, the report counts as out of date.
    state = kind.state(collection)
    report = stored_reports(kind, collection).filter(state=state).defer("payload").first()
    if report and report.parameters == kind.parameters:
        return report
    content = kind.content(collection, work)
    seconds = time.monotonic() - clock
    with work.fenced():
        lock_collection(collection)
        kind.checked(collection)  # its subject may have been deleted meanwhile
        report = _store(kind, collection, content, state=state, began=began, seconds=seconds)
        work.complete(kind.result(report))
    return report


def _store(
    kind: ReportKind,
    collection: Collection,
    content: ReportContent,
    *,
    state: str,
    began: datetime,
    seconds: float,
) -> StoredReport:
    checked = {"state": state, "checked_at": began}
    computed = {
        "parameters": kind.parameters,
        "version": kind.version,
        "computed_at": began,
        "seconds": seconds,
        "summary": content.summary,
        "payload": content.payload,
    }
    report, is_new = collection.stored_reports.get_or_create(
        kind=kind.name, key=kind.key, digest=content.digest, defaults=checked | computed
    )
    if is_new or report.checked_at > began:
        return report
    changes = checked if content.digest else checked | computed
    for name, value in changes.items():
        setattr(report, name, value)
    report.save(update_fields=list(changes))
    return report


def reports_of(kind: type[ReportKind], collection: Collection) -> QuerySet[StoredReport]:
    """The reports of this version. Those of another have other keys in their payloads."""
    return collection.stored_reports.filter(kind=kind.name, version=kind.version)


def stored_report(kind: ReportKind, collection: Collection) -> StoredReport | None:
    """The stored report of this version."""
    return reports_of(type(kind), collection).filter(key=kind.key).first()


def stored_reports(kind: ReportKind, collection: Collection) -> QuerySet[StoredReport]:
    """The reports of all versions, the latest first."""
    return collection.stored_reports.filter(kind=kind.name, key=kind.key)


def changed_since(report: StoredReport) -> str:
    """The inputs that changed since the report was computed, as in "the labels"; or ""."""
    inputs = kind_of(report).all_inputs(report.collection)
    return in_words(changed_inputs(report.state, inputs))


def kind_of(report: StoredReport) -> ReportKind:
    """The kind with the parameters of a stored report."""
    return _kinds[report.kind](**report.parameters)
