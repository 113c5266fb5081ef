"""Parts that the pages about labels share: the measure, a stored report, its section and files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.http import urlencode

from accounts.models import Collection
from evaluation.choices import measure_key
from evaluation.label_effects.figures import ranking_finding
from evaluation.label_effects.rankings import (
    FINAL,
    BadMeasure,
    measure_named,
    measure_names,
    usual_measure,
)
from evaluation.label_effects.services import LabelComparison
from evaluation.label_effects.tables import CORRELATIONS, RankingTables, csv_rows
from evaluation.shadow_judges.models import ShadowJudge
from jobs.listing import jobs_to_show
from reports.models import StoredReport
from reports.services import changed_since, reports_of
from scoring.measures.names import Measure
from web.choice_links import ChoiceLink
from web.downloads import json_download, text_download
from web.figure_files import ShownFigure, shown
from web.figures import Figure
from web.tables.csv_cells import csv_text

JSON, CSV = "json", "csv"
Payload = Mapping[str, Any]


@dataclass(frozen=True)
class LabelReports:
    """The reports of a kind; of that on shadow judges, those about this one."""

    collection: Collection
    kind: type[LabelComparison]
    shadow_judge: ShadowJudge | None = None

    @property
    def rows(self) -> QuerySet[StoredReport]:
        return reports_about(self.collection, self.kind, self.shadow_judge)

    @cached_property
    def measures(self) -> list[str]:
        """Those of the stored reports, the latest report first."""
        newest_first = self.rows.order_by("-computed_at").values_list("parameters", flat=True)
        return [parameters["measure"] for parameters in newest_first]

    def by(self, measure: Measure) -> StoredReport | None:
        return self.rows.filter(parameters__measure=measure.name).first()

    def section(
        self, report: StoredReport, name: str, findings: Sequence[str], figures: Sequence[Figure]
    ) -> LabelSection:
        """The report on the page; `name` begins the names of the addresses of its files."""
        csv, json = self.file_addresses(report, name)
        page = "shadow-judge" if self.shadow_judge else "label-effects"
        drawn = self.shown_figures(report, page, figures)
        has_final = any(row["source"] == FINAL for row in report.payload["rankings"])
        said = [ranking_finding(report.payload)] if has_final else []
        return LabelSection(report, [*findings, *said], drawn, csv, json)

    def file_addresses(self, report: StoredReport, name: str) -> tuple[str, str]:
        """Of the CSV file and the JSON file."""
        subject = [self.shadow_judge.name] if self.shadow_judge else []
        csv, json = (
            reverse(f"{name}-{extension}", args=[self.collection.slug, *subject])
            + f"?{_measure_query(report)}"
            for extension in (CSV, JSON)
        )
        return csv, json

    def shown_figures(
        self, report: StoredReport, page: str, figures: Iterable[Figure]
    ) -> list[ShownFigure]:
        slug, subject = self.collection.slug, self.shadow_judge.name if self.shadow_judge else ""
        return [
            shown(figure, f"{page}-figure", slug, _measure_query(report), subject=subject)
            for figure in figures
        ]

    def file(
        self,
        request: HttpRequest,
        extension: str,
        name: str,
        rows: Callable[[Payload], Iterable[Sequence[object]]] = csv_rows,
    ) -> HttpResponse:
        """The whole report as JSON, or its `rows` as CSV. Raises Http404 without a report."""
        report = self.by(chosen_measure(request, [self]))
        if report is None or extension not in (JSON, CSV):
            raise Http404("no such report")
        filename = f"{self.collection.slug}-{name}.{extension}"
        if extension == JSON:
            return json_download(report.payload, filename)
        return text_download(csv_text(*rows(report.payload)), "text/csv", filename)


def _measure_query(report: StoredReport) -> str:
    return urlencode({"measure": report.parameters["measure"]})


@dataclass(frozen=True)
class LabelSection:
    """A report on a page: its findings and its figures first, then its tables.

    `csv` and `json` are the addresses of its files.
    """

    report: StoredReport
    findings: Sequence[str]
    figures: Sequence[ShownFigure]
    csv: str
    json: str

    @cached_property
    def changed(self) -> str:
        """The inputs that changed since the report was computed, as in "the labels"; or ""."""
        return changed_since(self.report)

    @property
    def tables(self) -> RankingTables:
        return RankingTables(self.report.payload)


def chosen_measure(request: HttpRequest, reports: Sequence[LabelReports]) -> Measure:
    """The measure of the address; else that of the newest report. Raises Http404 if unknown."""
    collection = reports[0].collection
    wanted = request.GET.get("measure", "")
    if wanted:
        profile = request.GET.get("profile", "")
        return measure_or_404(measure_key(wanted, profile, collection.relevant_from), collection)
    stored = [measure for each in reports for measure in each.measures[:1]]
    return measure_or_404(next(iter(stored), usual_measure(collection)), collection)


def measure_context(
    collection: Collection, measure: Measure, reports: Sequence[LabelReports]
) -> dict[str, Any]:
    """The choice of the measure, and the jobs, as the head of the page shows them."""
    names = measure_names(collection.relevant_from)
    stored = sorted({name for each in reports for name in each.measures})
    subject = reports[0].shadow_judge and reports[0].shadow_judge.name
    jobs = jobs_to_show(collection, [each.kind.name for each in reports])
    return {
        "collection": collection,
        "measure": measure,
        "measures": names if measure.name in names else [measure.name, *names],
        "stored": [
            ChoiceLink(name, f"?{urlencode({'measure': name})}", name == measure.name)
            for name in stored
        ],
        "jobs": [job for job in jobs if job.parameters.get("shadow_judge") == subject],
        "correlations": CORRELATIONS,
    }


def reports_about(
    collection: Collection, kind: type[LabelComparison], shadow_judge: ShadowJudge | None = None
) -> QuerySet[StoredReport]:
    reports = reports_of(kind, collection)
    return reports.filter(parameters__shadow_judge=shadow_judge.name) if shadow_judge else reports


def measure_or_404(name: str, collection: Collection) -> Measure:
    try:
        return measure_named(name, collection.relevant_from)
    except BadMeasure as error:
        raise Http404(str(error)) from error
