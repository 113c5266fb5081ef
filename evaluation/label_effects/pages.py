"""Parts that the three pages about labels share: the measure, the stored report, and its files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.http import urlencode

from accounts.models import Collection
from evaluation.label_effects.rankings import (
    BadMeasure,
    measure_named,
    measure_names,
    usual_measure,
)
from evaluation.label_effects.services import LabelComparison
from evaluation.label_effects.tables import CORRELATIONS, RankingTables, csv_rows
from evaluation.shadow_judges.models import ShadowJudge
from jobs.listing import jobs_to_show
from jobs.models import Job
from reports.models import StoredReport
from reports.services import changed_since, reports_of
from scoring.measures.names import Measure
from web.downloads import json_download, text_download
from web.tables.csv_cells import csv_text

JSON, CSV = "json", "csv"


@dataclass(frozen=True)
class ReportPage:
    """The report that the address asks for, by its measure; None until it was computed."""

    collection: Collection
    kind: type[LabelComparison]
    measure: Measure
    report: StoredReport | None
    stored: list[str]
    shadow_judge: ShadowJudge | None = None

    @classmethod
    def of(
        cls,
        request: HttpRequest,
        collection: Collection,
        kind: type[LabelComparison],
        shadow_judge: ShadowJudge | None = None,
    ) -> ReportPage:
        """Raises Http404 for an unknown measure."""
        reports = reports_about(collection, kind, shadow_judge)
        newest_first = reports.order_by("-computed_at").values_list("parameters", flat=True)
        stored = [parameters["measure"] for parameters in newest_first]
        default = stored[0] if stored else usual_measure(collection)
        measure = measure_or_404(request.GET.get("measure") or default, collection)
        report = reports.filter(parameters__measure=measure.name).first()
        return cls(collection, kind, measure, report, sorted(stored), shadow_judge)

    @property
    def changed(self) -> str:
        """The inputs that changed since the report was computed, as in "the labels"; or ""."""
        return changed_since(self.report) if self.report else ""

    @property
    def jobs(self) -> list[Job]:
        subject = self.shadow_judge and self.shadow_judge.name
        jobs = jobs_to_show(self.collection, [self.kind.name])
        return [job for job in jobs if job.parameters.get("shadow_judge") == subject]

    @property
    def query(self) -> str:
        return urlencode({"measure": self.measure.name})

    def context(self) -> dict[str, Any]:
        names = measure_names(self.collection.relevant_from)
        return {
            "collection": self.collection,
            "measure": self.measure,
            "measures": names if self.measure.name in names else [self.measure.name, *names],
            "stored": [(name, urlencode({"measure": name})) for name in self.stored],
            "report": self.report,
            "changed": self.changed,
            "jobs": self.jobs,
            "correlations": CORRELATIONS,
            "tables": RankingTables(self.report.payload) if self.report else None,
            "query": self.query,
        }

    def file(self, extension: str, name: str) -> HttpResponse:
        """The whole report as JSON, or its rankings as CSV. Raises Http404 without a report."""
        if self.report is None or extension not in (JSON, CSV):
            raise Http404("no such report")
        filename = f"{self.collection.slug}-{name}.{extension}"
        if extension == JSON:
            return json_download(self.report.payload, filename)
        return text_download(csv_text(*csv_rows(self.report.payload)), "text/csv", filename)


def reports_about(
    collection: Collection, kind: type[LabelComparison], shadow_judge: ShadowJudge | None = None
) -> QuerySet[StoredReport]:
    """The reports of a kind; of that on shadow judges, those about this one."""
    reports = reports_of(kind, collection)
    return reports.filter(parameters__shadow_judge=shadow_judge.name) if shadow_judge else reports


def measure_or_404(name: str, collection: Collection) -> Measure:
    try:
        return measure_named(name, collection.relevant_from)
    except BadMeasure as error:
        raise Http404(str(error)) from error
