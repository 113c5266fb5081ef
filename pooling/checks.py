"""The stored checks of a collection's pools: warnings, shares and overlap before freezing."""

from __future__ import annotations

from typing import Any, NamedTuple

from accounts.models import Collection
from corpus.digests import json_digest
from jobs.context import DirectRun, JobContext
from jobs.last_look import LastLook
from pooling.models import PoolBuild, PoolReport
from pooling.services.reports import (
    ShownReport,
    compute_report,
    pools_marks,
    pools_state,
    request_if_due,
    shown_report,
)
from pooling.tables import Preview, preview_of

JOB_KIND = "check_pools"
VERSION = 1  # of the payload and of the checks; another one makes every stored report out of date

last_look = LastLook()


class ShownChecks(NamedTuple):
    """The checks as the page shows them; `preview` is None before the first report."""

    preview: Preview | None
    report: ShownReport


def checks_state(collection: Collection) -> str:
    return json_digest([VERSION, pools_state(collection)])


def shown_checks(collection: Collection) -> ShownChecks:
    """The stored checks, with the state that they are of. Three queries."""
    report = shown_report(collection, JOB_KIND, checks_state(collection))
    preview = None if report.payload is None else Preview.from_json(report.payload)
    return ShownChecks(preview, report)


def compute_checks(*, collection: Collection, work: JobContext | None = None) -> PoolReport:
    work = work or DirectRun()
    work.progress(0, None, "checking the pools")

    def payload(collection: Collection) -> dict[str, Any]:
        return preview_of(collection).as_json()

    return compute_report(
        collection=collection, kind=JOB_KIND, state=checks_state, payload=payload, work=work
    )


def request_due_checks() -> None:
    """Request the checks of every collection whose pools or documents changed since the last."""
    marks = pools_marks()
    if last_look.still_holds(marks):
        return
    collection_ids = PoolBuild.objects.order_by().values("collection")
    collections = Collection.objects.active().filter(pk__in=collection_ids)
    are_requested = [
        request_if_due(collection, JOB_KIND, checks_state(collection)) for collection in collections
    ]
    if all(are_requested):
        last_look.note(marks)
