"""Everything that computes, stores and requests reports, whatever their kind."""

from __future__ import annotations

import time
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

_kinds: dict[str, type[ReportKind]] = {}


def register(kind: type[K]) -> type[K]:
    """Register a kind of report, and the job that computes it."""
    _kinds[kind.name] = kind
    handles(kind.name, title=kind.title, page=kind.page)(_run)
    return kind


def _run(lease: Lease) -> dict[str, Any]:
    kind = _kinds[lease.kind](**lease.parameters)
    return kind.result(compute_report(kind, collection=lease.collection, work=lease))


def request_report(
    kind: ReportKind, *, collection: Collection, requested_by: User | None = None
) -> Job:
    """Queue the job that computes the report, or return the one that is in progress.

    Raises:
        What `checked` of the kind raises for invalid parameters.
    """
    kind = kind.checked(collection)
    return enqueue(
        kind=kind.name,
        collection=collection,
        parameters=kind.parameters,
        requested_by=requested_by,
        key=":".join(filter(None, [kind.name, kind.key])),
    )


def compute_report(
    kind: ReportKind, *, collection: Collection, work: JobContext | None = None
) -> StoredReport:
    """Compute the report of the present inputs, and store it in place of the last one.

    A report that is up to date is returned as it is. One that began later is never replaced.

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
    report = _stored(kind, collection).defer("payload").first()
    if report and report.state == state and report.parameters == kind.parameters:
        return report
    content = kind.content(collection, work)
    seconds = time.monotonic() - clock
    with work.fenced():
        lock_collection(collection)
        kind.checked(collection)  # its subject may have been deleted meanwhile
        report = _store(kind, collection, content, state=state, computed_at=began, seconds=seconds)
        work.complete(kind.result(report))
    return report


def _store(
    kind: ReportKind, collection: Collection, content: ReportContent, **fields: Any
) -> StoredReport:
    report = _stored(kind, collection).first()
    if report is None:
        report = StoredReport(collection=collection, kind=kind.name, key=kind.key)
    elif report.computed_at > fields["computed_at"]:
        return report
    fields |= {"parameters": kind.parameters, "version": kind.version, **content._asdict()}
    for name, value in fields.items():
        setattr(report, name, value)
    report.save()
    return report


def reports_of(kind: type[ReportKind], collection: Collection) -> QuerySet[StoredReport]:
    """The reports of this version. Those of another have other keys in their payloads."""
    return collection.stored_reports.filter(kind=kind.name, version=kind.version)


def stored_report(kind: ReportKind, collection: Collection) -> StoredReport | None:
    """The stored report of this version."""
    return reports_of(type(kind), collection).filter(key=kind.key).first()


def changed_since(report: StoredReport) -> str:
    """The inputs that changed since the report was computed, as in "the labels"; or ""."""
    inputs = kind_of(report).all_inputs(report.collection)
    return in_words(changed_inputs(report.state, inputs))


def kind_of(report: StoredReport) -> ReportKind:
    """The kind with the parameters of a stored report."""
    return _kinds[report.kind](**report.parameters)


def _stored(kind: ReportKind, collection: Collection) -> QuerySet[StoredReport]:
    return collection.stored_reports.filter(kind=kind.name, key=kind.key)
