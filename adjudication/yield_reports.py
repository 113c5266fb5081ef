"""The stored report on what each source of the pools found, computed by a job."""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple

from django.db.models import Sum

from accounts.models import Collection
from adjudication.models import CaseCount
from adjudication.newest_rows import newest_rows
from adjudication.retriever_yield import Yield, yields_of
from annotation.models import PairCount
from corpus.digests import json_digest
from jobs.context import DirectRun, JobContext
from jobs.last_look import LastLook
from pooling.models import PoolReport
from pooling.services.reports import (
    ShownReport,
    compute_report,
    pools_marks,
    pools_state,
    request_if_due,
    shown_report,
)

JOB_KIND = "compute_yields"
VERSION = 2  # of the payload and of its numbers; another one makes every report out of date
# Every judgment makes the report out of date. It is computed again after a minute at the earliest,
# and computing it takes a hundredth of a worker's time at most.
SHORTEST_WAIT = timedelta(minutes=1)
WAIT_FACTOR = 100

last_look = LastLook()


class ShownYields(NamedTuple):
    """The yields as the page shows them; empty before the first report."""

    rows: list[Yield]
    report: ShownReport


def yields_state(collection: Collection) -> str:
    """A digest of the pools, judgments and decisions, from counts that triggers keep; or "".

    It is empty until a pair is judged by both.
    """
    judgments = PairCount.objects.filter(query__collection=collection).aggregate(
        judged=Sum("judged"), revision=Sum("revision")
    )
    if not judgments["judged"]:
        return ""
    decisions = CaseCount.objects.filter(query__collection=collection).aggregate(
        decisions=Sum("decisions")
    )
    state = [VERSION, pools_state(collection), judgments["revision"], decisions["decisions"]]
    return json_digest(state)


def shown_yields(collection: Collection) -> ShownYields | None:
    """The stored yields, with the state that they are of; None if nothing is judged yet."""
    state = yields_state(collection)
    if not state:
        return None
    report = shown_report(collection, JOB_KIND, state)
    return ShownYields([Yield(*row) for row in report.payload or []], report)


def compute_yields(*, collection: Collection, work: JobContext | None = None) -> PoolReport:
    work = work or DirectRun()
    work.progress(0, None, "counting relevant documents")
    return compute_report(
        collection=collection, kind=JOB_KIND, state=yields_state, payload=yields_of, work=work
    )


def request_due_yields() -> None:
    """Request the yields of every collection where judgments, decisions or pools changed."""
    marks = (*newest_rows(), pools_marks())
    if last_look.still_holds(marks):
        return
    collections_with_judgments = (
        PairCount.objects.filter(judged__gt=0).order_by().values("query__collection")
    )
    for collection in Collection.objects.active().filter(pk__in=collections_with_judgments):
        request_if_due(collection, JOB_KIND, yields_state(collection), wait_after)
    last_look.note(marks)


def wait_after(report: PoolReport) -> timedelta:
    return max(SHORTEST_WAIT, timedelta(seconds=WAIT_FACTOR * report.seconds))
