"""The admin's page about agreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection, person_of, row_or_404
from accounts.models import Collection, Role
from agreement import tables
from agreement.advised.lines import advised_lines
from agreement.alignment.report import studied
from agreement.annotator_tables import AnnotatorTables, people_of
from agreement.aspects.lines import aspect_parts
from agreement.aspects.views import split_lines
from agreement.coefficients import COEFFICIENTS, REGISTRY, Coefficient, Missing
from agreement.consistency.pool_rounds import RoundLines
from agreement.figures import facet_figure, figures_of
from agreement.low_agreement import AgreementRule
from agreement.rule_form import RuleForm
from agreement.services import (
    JUDGMENTS,
    POLICIES,
    RULE,
    AgreementReport,
    UnknownPolicy,
    change_rule,
    rule_of,
)
from jobs.listing import jobs_to_show
from reports.models import StoredReport
from reports.services import request_report, stored_report, stored_reports
from reports.states import changed_inputs
from web.downloads import json_download, text_download
from web.figure_files import figure_file, shown
from web.figures import Figure
from web.requests.answers import sorting_address
from web.tables.cells import SHORT_PAGE_ROWS, Sort, matching, numbered_page, sort_rows
from web.tables.columns import csv_file, wants_csv
from web.tables.filters import filter_bar, filter_rows
from web.tables.paging import typed

FLAGGED_SHOWN = 10
QUERIES_SHOWN = 40  # on a page, which is 8,000 pixels high at most on a phone


@in_collection(Role.ADMIN)
@require_safe
def agreement(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    missing = request.GET.get("missing", Missing.EXCLUDE.value)
    if missing not in dict(POLICIES):
        raise Http404(f"unknown policy {missing} for missing judgments")
    kind = AgreementReport(missing)
    report = stored_report(kind, collection)
    if wants_csv(request):
        return _queries_file(request, collection, report)
    inputs = kind.all_inputs(collection)
    context: dict[str, Any] = {
        "collection": collection,
        "policies": POLICIES,
        "missing": missing,
        "judged": inputs[JUDGMENTS].judged,
        "rule_input": RULE,
        "rule_form": RuleForm(initial=rule_of(collection)._asdict()),
        "rule": rule_of(collection),
        "report": report,
        "outdated": None if report else stored_reports(kind, collection).defer("payload").first(),
        "jobs": jobs_to_show(collection, [kind.name]),
        "has_proposals": bool(collection.proposes_grades or studied(collection)),
    }
    names = dict(collection.facets.values_list("key", "name"))
    context["has_facets"] = any(names)
    if report is not None:
        context |= _tables(request, collection, report, names)
        context["changed"] = changed_inputs(report.state, inputs)
        context["stale"] = bool(context["changed"])
    return render(request, "agreement/agreement.html", context)


def _query_lines(request: HttpRequest, report: StoredReport) -> tables.QueryLines:
    coefficient = tables.coefficient_to_plot(
        request.GET.get("metric", ""), request.GET.get("sort", "")
    )
    columns = tables.BY_QUERY.shown(request)
    shown_coefficients = [each for each in REGISTRY if each.key in columns]
    return tables.QueryLines.of(report.payload, coefficient, shown_coefficients)


def _table_rows(
    request: HttpRequest, queries: tables.QueryLines, names: Mapping[str, str]
) -> tuple[list[tables.QueryAgreementLine], Sort]:
    """The lines of the table of queries that match, in the order asked for."""
    found = filter_rows(queries.lines, tables.query_filters(names), request.GET)
    return sort_rows(
        matching(found, typed(request.GET, "q"), lambda line: line.text),
        request.GET.get("sort", ""),
        tables.query_sorts(),
        "query",
    )


def _tables(
    request: HttpRequest, collection: Collection, report: StoredReport, names: Mapping[str, str]
) -> dict[str, Any]:
    queries = _query_lines(request, report)
    rows, sort = _table_rows(request, queries, names)
    filters = tables.query_filters(names)
    page = numbered_page(rows, request, anchor="#by-query", size=QUERIES_SHOWN)
    columns = tables.BY_QUERY.shown(request)
    coefficients = tables.shown_coefficients(columns)
    people = _annotators(report, names, coefficients)
    split_page = numbered_page(
        report.summary["aspects"]["split"],
        request,
        name="split",
        anchor="#aspects",
        size=FLAGGED_SHOWN,
    )
    split_page = split_page._replace(rows=split_lines(collection, split_page.rows))
    parameters = urlencode({"missing": report.key, "metric": queries.coefficient.key})
    return {
        "figures": {
            figure.name: shown(figure, "agreement-figure", collection.slug, parameters)
            for figure in _figures(report, queries, names, people)
        },
        "sizes": tables.facet_sizes(report.payload, report.summary["confusion"], names),
        "pool_rounds": RoundLines(report.summary.get("pool_rounds", []), names),
        "questions": tables.question_lines(report.payload, names),
        "advice": advised_lines(report.payload, names),
        "advised_pairs": report.payload.get("advised", {}).get("left_out", 0),
        "paper_coefficients": COEFFICIENTS,
        "grades": collection.grades,
        "flagged": numbered_page(
            tables.flagged_lines(report.summary),
            request,
            name="flagged",
            anchor="#flagged",
            size=FLAGGED_SHOWN,
        ),
        "parts": aspect_parts(report.summary["aspects"], names),
        "split": split_page,
        "facet_pairs": tables.facet_pair_matrices(report.summary["facet_pairs"], names),
        "people": people,
        "judge_pairs": numbered_page(
            people.pairs, request, name="judges", anchor="#judge-pairs", size=SHORT_PAGE_ROWS
        ),
        "annotators": numbered_page(
            people.annotators, request, name="people", anchor="#grading", size=SHORT_PAGE_ROWS
        ),
        "is_asked_for_people": any(request.GET.get(name) for name in ("judges", "people")),
        "of_pairs": tables.judged_pairs(report.payload),
        "facets": tables.facet_lines(report.payload, names, coefficients),
        "finding": tables.finding_of(report.payload, names, queries.coefficient),
        # The table of queries is folded, but not for a person who sorts or filters it.
        "is_asked": any(request.GET.get(name) for name in ("q", "facet", "sort", "page")),
        "coefficients": coefficients,
        "plot_coefficient": queries.coefficient,
        "undefined": tables.undefined_values(report.payload, coefficients),
        "page": page,
        "rows": page.rows,
        "queries": len(queries.lines),
        "sort": sort,
        "bar": filter_bar(
            request,
            filters,
            caption="Query or facet" if any(names) else "Query",
            button="Filter queries",
            anchor="#by-query",
            kept=("missing", "sort", "metric"),
        ),
        "columns": columns,
        "sorted_by": sorting_address(request.path, request, "missing", "q", "facet"),
        "scale": queries.scale,
        "matrices": tables.facet_matrices(report.summary["confusion"], names),
    }


def _figures(
    report: StoredReport,
    queries: tables.QueryLines,
    names: Mapping[str, str],
    people: AnnotatorTables,
) -> list[Figure]:
    figures = [
        *figures_of(queries, report.summary["confusion"], names),
        facet_figure(report.summary["facet_pairs"], names),
        *people.figures,
    ]
    return [figure for figure in figures if figure.panels]


def _annotators(
    report: StoredReport,
    names: Mapping[str, str],
    coefficients: Sequence[Coefficient] = COEFFICIENTS,
) -> AnnotatorTables:
    summary = report.summary["annotators"]
    return AnnotatorTables(summary, people_of(summary), names, coefficients)


def _queries_file(
    request: HttpRequest, collection: Collection, report: StoredReport | None
) -> HttpResponseBase:
    queries = _query_lines(request, row_or_404(report, "no current report"))
    names = dict(collection.facets.values_list("key", "name"))
    lines, _ = _table_rows(request, queries, names)
    return csv_file(f"{collection.slug}-agreement-by-query", tables.BY_QUERY.shown(request), lines)


@in_collection(Role.ADMIN)
@require_POST
def compute_agreement(request: HttpRequest, collection: Collection) -> HttpResponse:
    kind = AgreementReport(request.POST.get("missing", ""))
    try:
        request_report(kind, collection=collection, requested_by=person_of(request))
    except UnknownPolicy as error:
        messages.error(request, str(error))
        return redirect("agreement", collection.slug)
    messages.info(request, "Computing the agreement.")
    return redirect(f"{reverse('agreement', args=[collection.slug])}?missing={kind.missing}")


@in_collection(Role.ADMIN)
@require_POST
def change_agreement_rule(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Save the rule, and compute the report that follows it."""
    form = RuleForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(str(each[0]) for each in form.errors.values()))
        return redirect("agreement", collection.slug)
    change_rule(collection=collection, rule=AgreementRule(**form.cleaned_data))
    for missing, _ in POLICIES:
        kind = AgreementReport(missing)
        if stored_report(kind, collection):
            request_report(kind, collection=collection, requested_by=person_of(request))
    messages.success(request, "The rule is saved. The report is computed again.")
    return redirect(f"{reverse('agreement', args=[collection.slug])}#flagged")


@in_collection(Role.ADMIN)
@require_safe
def agreement_csv(request: HttpRequest, collection: Collection, missing: str) -> HttpResponse:
    report = _newest(collection, missing)
    return text_download(tables.as_csv(report.payload), "text/csv", _filename(report, "csv"))


@in_collection(Role.ADMIN)
@require_safe
def agreement_json(request: HttpRequest, collection: Collection, missing: str) -> HttpResponse:
    report = _newest(collection, missing)
    return json_download(report.payload, _filename(report, "json"))


@in_collection(Role.ADMIN)
@require_safe
def agreement_figure(
    request: HttpRequest, collection: Collection, figure: str, extension: str
) -> HttpResponse:
    report = _newest(collection, request.GET.get("missing", Missing.EXCLUDE.value))
    names = dict(collection.facets.values_list("key", "name"))
    coefficient = tables.coefficient_to_plot(request.GET.get("metric", ""), "")
    queries = tables.QueryLines.of(report.payload, coefficient)
    figures = _figures(report, queries, names, _annotators(report, names))
    return figure_file(figures, figure, extension, collection.slug)


def _newest(collection: Collection, missing: str) -> StoredReport:
    report = stored_report(AgreementReport(missing), collection)
    return row_or_404(report, f"no current report with missing judgments treated as {missing}")


def _filename(report: StoredReport, extension: str) -> str:
    return f"{report.collection.slug}-agreement-{report.key}.{extension}"
