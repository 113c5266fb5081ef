"""Stored reports about pools: what a page shows of them is read, never computed."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import Count, Max, Sum
from django.utils import timezone

from accounts.locking import lock_collection
from accounts.models import Collection
from jobs.context import JobContext
from jobs.services import enqueue
from pooling.models import BuildRun, Pool, PoolReport


class ShownReport(NamedTuple):
    """A stored report as a page shows it; `payload` is None before the first one."""

    payload: Any
    began_at: datetime | None
    is_current: bool


def shown_report(collection: Collection, kind: str, state: str) -> ShownReport:
    """The stored report, and whether it is of this state."""
    report = collection.pool_reports.filter(kind=kind).first()
    if report is None:
        return ShownReport(None, None, is_current=False)
    return ShownReport(report.payload, report.began_at, report.state == state)


def pools_marks() -> tuple[Any, ...]:
    """Marks that change with every build, removed pool or changed document of any collection."""
    pools = Pool.objects.aggregate(newest=Max("pk"), number=Count("pk"))
    versions = Collection.objects.aggregate(versions=Sum("corpus_version"))
    return (*pools.values(), *versions.values())


def pools_state(collection: Collection) -> list[Any]:
    """A state that changes when the pools, their runs or the documents change. Two queries.

    A build's pools only ever become fewer, so their number tells which of them are left.
    """
    pools = Pool.objects.order_by().filter(query_paper__collection=collection)
    builds = sorted(pools.values_list("build").annotate(Count("pk")))
    lost_runs = BuildRun.objects.filter(build__collection=collection, run=None).count()
    return [collection.corpus_version, lost_runs, builds]


def compute_report(
    *,
    collection: Collection,
    kind: str,
    state: Callable[[Collection], str],
    payload: Callable[[Collection], Any],
    work: JobContext,
) -> PoolReport:
    """Compute the report and store it in place of the last one. Returns the stored one.

    One that began later, and so read later rows, is never replaced.
    """
    began, clock = timezone.now(), time.monotonic()
    collection.refresh_from_db()
    # Read first: if something changes meanwhile, the report counts as out of date.
    fields = {"state": state(collection), "payload": payload(collection), "began_at": began}
    with work.fenced():
        lock_collection(collection)
        report = collection.pool_reports.filter(kind=kind).first() or PoolReport(
            collection=collection, kind=kind
        )
        if report.pk is None or report.began_at < began:
            for name, value in fields.items():
                setattr(report, name, value)
            report.seconds = time.monotonic() - clock
            report.save()
        work.complete({})
    return report


def request_if_due(
    collection: Collection,
    kind: str,
    state: str,
    wait: Callable[[PoolReport], timedelta] | None = None,
) -> bool:
    """Queue the job for a report that is not of this state; returns False if it must be later.

    A state is asked for once: a job that failed would fail again. A job of an earlier state ends
    first, and after it the next one waits.
    """
    report = collection.pool_reports.filter(kind=kind).only("state", "seconds").first()
    latest = collection.jobs.filter(kind=kind).order_by("-created_at").first()
    if report is not None and report.state == state:
        return True
    if latest is not None:
        if latest.parameters["state"] == state:
            return True
        if latest.is_live:
            return False
        if report and wait and latest.created_at + wait(report) > timezone.now():
            return False
    enqueue(kind=kind, collection=collection, parameters={"state": state})
    return True
