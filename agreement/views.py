"""The admin's page about agreement."""

from __future__ import annotations

import json
from typing import Any, cast

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection
from accounts.models import Collection, Role, User
from adjudication.labels import LabelledPair, labelled_pairs
from agreement import figures
from agreement.models import MissingPolicy, Report
from agreement.services import JOB_KIND, UnknownPolicy, request_report, state_of
from jobs.showing import jobs_to_show
from pooling.figures import matching, sort_rows
from pooling.views import sorting_address


@in_collection(Role.ADMIN)
@require_safe
def agreement(request: HttpRequest, collection: Collection) -> HttpResponse:
    missing = request.GET.get("missing", MissingPolicy.EXCLUDE)
    if missing not in MissingPolicy.values:
        raise Http404(f"no policy {missing}")
    pairs = [pair for pair in labelled_pairs(collection) if pair.judged]
    reports = collection.reports.filter(missing=missing)
    report = reports.current().first()
    context: dict[str, Any] = {
        "collection": collection,
        "policies": MissingPolicy.choices,
        "missing": missing,
        "judged": len(pairs),
        "report": report,
        "outdated": None if report else reports.first(),
        "jobs": jobs_to_show(collection, [JOB_KIND]),
    }
    if report is not None:
        context |= _figures(request, collection, report, pairs)
    return render(request, "agreement/agreement.html", context)


def _figures(
    request: HttpRequest, collection: Collection, report: Report, pairs: list[LabelledPair]
) -> dict[str, Any]:
    names = dict(collection.facets.values_list("key", "name"))
    metric = figures.metric_to_plot(request.GET.get("metric", ""), request.GET.get("sort", ""))
    words = request.GET.get("q", "")
    lines = figures.query_lines(report.payload, metric)
    rows, sort = sort_rows(
        matching(lines, words, lambda line: line.text),
        request.GET.get("sort", ""),
        figures.query_sorts(),
        "query",
    )
    return {
        "of_pairs": figures.judged_pairs(report.payload),
        "stale": report.state != state_of(pairs),
        "facets": figures.facet_lines(report.payload, names),
        "metrics": figures.METRICS,
        "metric": metric,
        "undefined": figures.undefined(report.payload),
        "rows": rows,
        "queries": len(lines),
        "sort": sort,
        "words": words,
        "sorted_by": sorting_address(request.path, request, "missing", "q"),
        "scale": figures.scale_of(report.payload, metric),
        "matrices": figures.facet_matrices(pairs, names),
    }


@in_collection(Role.ADMIN)
@require_POST
def compute_agreement(request: HttpRequest, collection: Collection) -> HttpResponse:
    missing = request.POST.get("missing", "")
    try:
        request_report(
            collection=collection, missing=missing, requested_by=cast(User, request.user)
        )
    except UnknownPolicy as error:
        messages.error(request, str(error))
        return redirect("agreement", collection.slug)
    messages.info(request, "The agreement is being computed.")
    return redirect(f"{reverse('agreement', args=[collection.slug])}?missing={missing}")


@in_collection(Role.ADMIN)
@require_safe
def agreement_csv(request: HttpRequest, collection: Collection, missing: str) -> HttpResponse:
    report = _newest(collection, missing)
    return _file(figures.as_csv(report.payload), "text/csv", report, "csv")


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


def _file(content: str, kind: str, report: Report, ending: str) -> HttpResponse:
    name = f"{report.collection.slug}-agreement-{report.missing}.{ending}"
    response = HttpResponse(content, content_type=f"{kind}; charset=utf-8")
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    return response
