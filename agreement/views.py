"""The admin's page about agreement."""

from __future__ import annotations

import json
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from agreement import tables
from agreement.coefficients import COEFFICIENTS
from agreement.models import MissingPolicy, Report
from agreement.revision import revision_of
from agreement.services import JOB_KIND, UnknownPolicy, request_report
from jobs.listing import jobs_to_show
from web.requests import sorting_address
from web.tables import matching, numbered_page, sort_rows


@in_collection(Role.ADMIN)
@require_safe
def agreement(request: HttpRequest, collection: Collection) -> HttpResponse:
    missing = request.GET.get("missing", MissingPolicy.EXCLUDE)
    if missing not in MissingPolicy.values:
        raise Http404(f"unknown policy {missing} for missing judgments")
    revision = revision_of(collection)
    reports = collection.reports.filter(missing=missing)
    report = reports.current().first()
    context: dict[str, Any] = {
        "collection": collection,
        "policies": MissingPolicy.choices,
        "missing": missing,
        "judged": revision.judged,
        "report": report,
        "outdated": None if report else reports.defer("payload").first(),
        "jobs": jobs_to_show(collection, [JOB_KIND]),
    }
    if report is not None:
        context |= _figures(request, collection, report)
        context["stale"] = report.revision != str(revision)
    return render(request, "agreement/agreement.html", context)


def _figures(request: HttpRequest, collection: Collection, report: Report) -> dict[str, Any]:
    names = dict(collection.facets.values_list("key", "name"))
    coefficient = tables.coefficient_to_plot(
        request.GET.get("metric", ""), request.GET.get("sort", "")
    )
    words = request.GET.get("q", "")
    lines = tables.query_lines(report.payload, coefficient)
    rows, sort = sort_rows(
        matching(lines, words, lambda line: line.text),
        request.GET.get("sort", ""),
        tables.query_sorts(),
        "query",
    )
    page = numbered_page(rows, request, anchor="#by-query")
    return {
        "of_pairs": tables.judged_pairs(report.payload),
        "facets": tables.facet_lines(report.payload, names),
        "coefficients": COEFFICIENTS,
        "plot_coefficient": coefficient,
        "undefined": tables.undefined_values(report.payload),
        "page": page,
        "rows": page.rows,
        "queries": len(lines),
        "sort": sort,
        "words": words,
        "sorted_by": sorting_address(request.path, request, "missing", "q"),
        "scale": tables.scale_of(report.payload, coefficient),
        "matrices": tables.facet_matrices(report.confusion, names),
    }


@in_collection(Role.ADMIN)
@require_POST
def compute_agreement(request: HttpRequest, collection: Collection) -> HttpResponse:
    missing = request.POST.get("missing", "")
    try:
        request_report(collection=collection, missing=missing, requested_by=person_of(request))
    except UnknownPolicy as error:
        messages.error(request, str(error))
        return redirect("agreement", collection.slug)
    messages.info(request, "Computing the agreement.")
    return redirect(f"{reverse('agreement', args=[collection.slug])}?missing={missing}")


@in_collection(Role.ADMIN)
@require_safe
def agreement_csv(request: HttpRequest, collection: Collection, missing: str) -> HttpResponse:
    report = _newest(collection, missing)
    return _file(tables.as_csv(report.payload), "text/csv", report, "csv")


@in_collection(Role.ADMIN)
@require_safe
def agreement_json(request: HttpRequest, collection: Collection, missing: str) -> HttpResponse:
    report = _newest(collection, missing)
    content = json.dumps(report.payload, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    return _file(content, "application/json", report, "json")


def _newest(collection: Collection, missing: str) -> Report:
    report = collection.reports.current().filter(missing=missing).first()
    if report is None:
        raise Http404(f"no current report with missing judgments treated as {missing}")
    return report


def _file(content: str, kind: str, report: Report, extension: str) -> HttpResponse:
    name = f"{report.collection.slug}-agreement-{report.missing}.{extension}"
    response = HttpResponse(content, content_type=f"{kind}; charset=utf-8")
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    return response
