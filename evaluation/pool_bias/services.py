"""The report on a collection's pools, as a kind of stored report."""

from __future__ import annotations

from dataclasses import dataclass, field

from accounts.models import Collection
from agreement.revision import revision_of
from evaluation.pool_bias.report import report_payload
from jobs.context import JobContext
from pooling.services.state import pools_state
from reports.kinds import ReportContent
from reports.models import StoredReport
from reports.services import register, reports_of
from reports.states import LISTS
from scoring.report_kind import SystemsReport
from scoring.systems.lists import lists_digest, run_digests


@register
@dataclass(frozen=True)
class PoolBiasReport(SystemsReport):
    """`leave_out` are the sources that are left out together.

    Its content raises PoolBiasError if there are no pools or final labels, and for an unknown
    source.
    """

    name = "pool_bias"
    title = "Check the pools for bias"
    page = "pool-bias"
    version = 4

    leave_out: list[str] = field(default_factory=list)

    @property
    def key(self) -> str:
        return ""

    @property
    def parameters(self) -> dict[str, object]:
        return {"leave_out": sorted(set(self.leave_out))}

    def inputs(self, collection: Collection) -> dict[str, object]:
        runs = run_digests(collection)
        systems = sorted(
            (system.name, lists_digest(system, runs)) for system in collection.systems.all()
        )
        return {
            "the labels": str(revision_of(collection)),
            "the lowest relevant grade": collection.relevant_from,
            "the pools or the documents": pools_state(collection),
            LISTS: [sorted(runs.items()), systems],
        }

    def content(self, collection: Collection, work: JobContext) -> ReportContent:
        report = report_payload(collection, self.leave_out, work)
        payload = {"version": self.version, **report}
        return ReportContent(payload, {"paragraph": payload["paragraph"]})

    def result(self, report: StoredReport) -> dict[str, object]:
        return {name: len(report.payload[name]) for name in ("systems", "sources")}


def current_paragraph(collection: Collection) -> str:
    """The statement of what the collection supports, from an up-to-date report; or ""."""
    report = reports_of(PoolBiasReport, collection).defer("payload").first()
    is_current = report and report.state == PoolBiasReport().state(collection)
    return str(report.summary["paragraph"]) if report and is_current else ""
