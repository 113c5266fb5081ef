"""The stored report on relevant documents by source, per hour and expected, computed by a job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, NamedTuple

from django.db.models import Sum

from accounts.models import Collection
from adjudication.newest_rows import newest_rows
from adjudication.retriever_yield import Yield, yields_of
from annotation.models import PairCount, SlotCount
from jobs.context import JobContext
from jobs.last_look import LastLook
from jobs.queues import JobQueue
from planning.yields.advice import QueryAdvice, advice_of
from planning.yields.forecast import (
    CalibrationBin,
    CurvePoint,
    ForecastCalibration,
    MarginalCurve,
    curves,
    forecast_of,
)
from planning.yields.rates import Group, rates
from planning.yields.reading import queries_without_random_order, read_pairs
from planning.yields.stopping import QueryOutlook
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
    """It depends on counts that triggers keep. Its payload has what `YieldFigures` reads."""

    name = "compute_yields"
    title = "Count relevant documents by source"
    page = "pools"
    version = 4
    queue = JobQueue.LONG

    def inputs(self, collection: Collection) -> dict[str, Any]:
        counts = PairCount.objects.filter(query__collection=collection).aggregate(
            judgments=Sum("revision"), decisions=Sum("query__case_count__decisions")
        )
        postponed = SlotCount.objects.filter(query__collection=collection).aggregate(
            postponed=Sum("postponed")
        )
        settings = [collection.relevant_from, collection.seconds_per_judgment]
        return {
            "the judgments or decisions": [*counts.values(), *postponed.values()],
            "the settings": settings,
            "the pools or the documents": pools_state(collection),
        }

    def content(self, collection: Collection, work: JobContext) -> ReportContent:
        work.progress(0, None, "counting relevant documents")
        sources = yields_of(collection)
        work.progress(0, None, "reading pairs")
        table = read_pairs(collection)
        work.progress(0, None, "forecasting")
        forecast = forecast_of(table)
        advice = advice_of(table, queries_without_random_order(collection))
        payload = {
            "sources": sources,
            "groups": rates(table, forecast, collection.seed),
            "curves": list(curves(forecast)),
            "calibration": forecast.calibration,
            "advice": advice,
            "hours": {
                "seconds_a_judgment": table.seconds_a_judgment,
                "judgments": int(table.judgments.sum()),
                "assumed": int(table.assumed.sum()),
                "waiting": int((table.judged & ~table.labelled).sum()),
            },
        }
        return ReportContent(payload, {"stop": sum(each.says_stop for each in advice)})

    def wait_after(self, report: StoredReport) -> timedelta:
        return max(SHORTEST_WAIT, timedelta(seconds=WAIT_FACTOR * report.seconds))


class ShownYields(NamedTuple):
    """The yields as the pages show them; empty before the first report."""

    payload: Mapping[str, Any]
    report: StoredReport | None
    is_current: bool

    @property
    def rows(self) -> list[Yield]:
        return [Yield(*row) for row in self.payload.get("sources", ())]

    @property
    def by_source(self) -> list[tuple[Yield, Group | None]]:
        """Each source with the group of the pairs that it drew, if it drew any."""
        groups = {group.name: group for group in self.of("drawn")}
        return [(row, groups.get(row.source)) for row in self.rows]

    @property
    def groups(self) -> list[Group]:
        return [Group(*row) for row in self.payload.get("groups", ())]

    def of(self, dimension: str) -> list[Group]:
        return [group for group in self.groups if group.dimension == dimension]

    @property
    def all(self) -> Group:
        """The group of all pairs."""
        return self.of("all")[0]

    @property
    def hours(self) -> Mapping[str, Any]:
        """Facts about the time that was counted."""
        found: Mapping[str, Any] = self.payload["hours"]
        return found

    @property
    def curves(self) -> list[MarginalCurve]:
        return [
            MarginalCurve(facet, *([CurvePoint(*point) for point in part] for part in parts))
            for facet, *parts in self.payload.get("curves", ())
        ]

    @property
    def calibration(self) -> ForecastCalibration | None:
        row = self.payload.get("calibration")
        if row is None:
            return None
        calibration = ForecastCalibration(*row)
        return calibration._replace(bins=[CalibrationBin(*each) for each in calibration.bins])

    @property
    def advice(self) -> dict[str, QueryAdvice]:
        """By query; of those that were begun and not finished when the report was computed."""
        found = {}
        for row in self.payload.get("advice", ()):
            advice = QueryAdvice(*row)
            outlook = advice.outlook and QueryOutlook(*advice.outlook)
            found[advice.query] = advice._replace(outlook=outlook)
        return found


def shown_yields(collection: Collection) -> ShownYields | None:
    """The stored yields; None until a pair is judged by both."""
    if not PairCount.objects.filter(query__collection=collection, judged__gt=0).exists():
        return None
    report = stored_report(YieldReport(), collection)
    if report is None:
        return ShownYields({}, None, is_current=False)
    return ShownYields(report.payload, report, is_current=not changed_since(report))


def shown_advice(collection: Collection) -> dict[str, QueryAdvice]:
    """The stored advice by query."""
    report = stored_report(YieldReport(), collection)
    return ShownYields(report.payload, report, is_current=False).advice if report else {}


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
