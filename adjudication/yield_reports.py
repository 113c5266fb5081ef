"""The stored report on what each source of the pools found, computed by a job."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, NamedTuple

from django.db.models import Sum

from accounts.models import Collection
from adjudication.newest_rows import newest_rows
from adjudication.retriever_yield import Yield, yields_of
from annotation.models import PairCount
from jobs.context import JobContext
from jobs.last_look import LastLook
from pooling.services.state import pools_marks, pools_state
from reports.kinds import ReportContent, ReportKind
from reports.models import StoredReport
from reports.services import changed_since, register, request_if_due, stored_report

# Every judgment makes the report out of date. It is computed again after a minute at the earliest,
# and computing it takes a hundredth of a worker's time at most.
SHORTEST_WAIT = timedelta(minutes=1)
WAIT_FACTOR = 100

last_look = LastLook()


@register
@dataclass(frozen=True)
class YieldReport(ReportKind):
    """Its payload is a list of `Yield`. It depends on counts that triggers keep."""

    name = "compute_yields"
    title = "Count relevant documents by source"
    page = "pools"
    version = 2

    def inputs(self, collection: Collection) -> dict[str, Any]:
        counts = PairCount.objects.filter(query__collection=collection).aggregate(
            judgments=Sum("revision"), decisions=Sum("query__case_count__decisions")
        )
        return {
            "the judgments or decisions": list(counts.values()),
            "the pools or the documents": pools_state(collection),
        }

    def content(self, collection: Collection, work: JobContext) -> ReportContent:
        work.progress(0, None, "counting relevant documents")
        return ReportContent(yields_of(collection))

    def wait_after(self, report: StoredReport) -> timedelta:
        return max(SHORTEST_WAIT, timedelta(seconds=WAIT_FACTOR * report.seconds))


class ShownYields(NamedTuple):
    """The yields as the page shows them; empty before the first report."""

    rows: list[Yield]
    report: StoredReport | None
    is_current: bool


def shown_yields(collection: Collection) -> ShownYields | None:
    """The stored yields; None until a pair is judged by both."""
    if not PairCount.objects.filter(query__collection=collection, judged__gt=0).exists():
        return None
    report = stored_report(YieldReport(), collection)
    if report is None:
        return ShownYields([], None, is_current=False)
    rows = [Yield(*row) for row in report.payload]
    return ShownYields(rows, report, is_current=not changed_since(report))


def request_due_yields() -> None:
    """Request the yields of every collection where judgments, decisions or pools changed."""
    marks = (*newest_rows(), pools_marks())
    if last_look.still_holds(marks):
        return
    collections_with_judgments = (
        PairCount.objects.filter(judged__gt=0).order_by().values("query__collection")
    )
    for collection in Collection.objects.active().filter(pk__in=collections_with_judgments):
        request_if_due(YieldReport(), collection=collection)
    last_look.note(marks)
