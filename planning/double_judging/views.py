"""The admins' page that says what a budget of hours buys under each plan of judging."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from annotation.queue import collection_pace
from jobs.listing import jobs_to_show
from planning.double_judging.forms import JudgingBudgetForm
from planning.double_judging.offers import offers
from planning.double_judging.pair_list import (
    COLUMNS,
    MOST_LISTED,
    NoPairList,
    listed_pairs,
    pairs_to_judge,
)
from planning.double_judging.plan_tables import Payload, plan_lines
from planning.double_judging.predictors import UnknownModel, models_for_plans
from planning.double_judging.reading import finished_queries
from planning.double_judging.report import JudgingPlansReport
from planning.double_judging.strategies import STRATEGIES
from pooling.preview import in_hours
from reports.models import StoredReport
from reports.services import changed_since, reports_of, request_report
from web.downloads import as_download, json_download
from web.tables.csv_cells import csv_lines

CSFCUBE = Path(__file__).with_name("csfcube.json")
EXAMPLE_PAIRS = 4000  # without pools, about as many as two facets of CSFCube have
SHARE = 0.6  # of the hours of two judges: the budget that the page opens with


@cache
def csfcube_figures() -> Payload:
    """The figures of docs/judging_plans.md, which a test computes again from the release."""
    figures: Payload = json.loads(CSFCUBE.read_text(encoding="utf-8"))
    return figures


def _report(collection: Collection, parameters: QueryDict) -> StoredReport | None:
    """The newest comparison on own judgments, with the model of the address or any.

    None if there is none, and if the address asks for CSFCube's figures.
    """
    if parameters.get("basis") == "csfcube":
        return None
    reports = reports_of(JudgingPlansReport, collection).order_by("-computed_at")
    if model := parameters.get("model"):
        reports = reports.filter(parameters__model=model)
    return reports.first()


@in_collection(Role.ADMIN)
@require_safe
def plan_judging(request: HttpRequest, collection: Collection) -> HttpResponse:
    models = models_for_plans(collection)
    report = _report(collection, request.GET)
    payload = report.payload if report else csfcube_figures()
    lines = plan_lines(payload)
    to_judge = pairs_to_judge(collection)
    pairs = to_judge.remaining or to_judge.total or EXAMPLE_PAIRS
    seconds = round(collection_pace(collection).seconds, 1)
    whole = next(line for line in lines if line.strategy.key == "double" and line.budget == "2")
    form = JudgingBudgetForm(
        request.GET, hours=SHARE * whole.hours(pairs, seconds), pairs=pairs, seconds=seconds
    )
    asked = {name: form.number(name) for name in ("hours", "pairs", "seconds")}
    number, each = int(asked["pairs"]), asked["seconds"]
    chosen = request.GET.get("model", "")
    model = report.parameters["model"] if report else chosen if chosen in models else ""
    model = model or next(iter(models), "")
    context: dict[str, Any] = {
        "collection": collection,
        "form": form,
        "models": models,
        "model": model,
        "report": report,
        "other_report": report is None and reports_of(JudgingPlansReport, collection).exists(),
        "basis": urlencode({"model": model} if report else {"basis": "csfcube"}),
        "changed": changed_since(report) if report else "",
        "payload": payload,
        "pairs_of_systems": len(payload["systems"]) * (len(payload["systems"]) - 1) // 2,
        "finished": finished_queries(collection).count(),
        "to_judge": to_judge,
        "pairs": number,
        "whole_hours": in_hours(whole.hours(number, each)),
        "hours": asked["hours"],
        "seconds": each,
        "offers": offers(
            lines,
            hours=asked["hours"],
            pairs=number,
            seconds=each,
            rate=form.cost_of_an_hour,
            model=model,
        ),
        "can_list": 0 < to_judge.remaining <= MOST_LISTED,
        "most_listed": MOST_LISTED,
        "jobs": jobs_to_show(collection, [JudgingPlansReport.name]),
    }
    return render(request, "evaluation/plan_judging.html", context)


@in_collection(Role.ADMIN)
@require_POST
def compute_plans(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Queue the comparison on the collection's own judgments."""
    page = reverse("plan-judging", args=[collection.slug])
    kind = JudgingPlansReport(request.POST.get("model", ""))
    try:
        request_report(kind, collection=collection, requested_by=person_of(request))
    except UnknownModel as error:
        messages.error(request, str(error))
        return redirect(page)
    messages.info(request, "Comparing the plans on this collection’s finished queries.")
    return redirect(f"{page}?{urlencode({'model': kind.model})}" if kind.model else page)


@in_collection(Role.ADMIN)
@require_safe
def plan_figures_file(request: HttpRequest, collection: Collection) -> HttpResponse:
    """The figures that the page shows, as JSON."""
    report = _report(collection, request.GET)
    payload = report.payload if report else csfcube_figures()
    return json_download(payload, f"{payload['collection']}-judging-plans.json")


@in_collection(Role.ADMIN)
@require_safe
def plan_list(
    request: HttpRequest, collection: Collection, strategy: str
) -> HttpResponse | StreamingHttpResponse:
    """The pairs that two people have not judged, under the plan and budget of the address."""
    if strategy not in STRATEGIES:
        raise Http404("no such plan")
    budget = request.GET.get("budget", "2")
    try:
        rows = listed_pairs(
            collection,
            STRATEGIES[strategy],
            budget=budget,
            model=request.GET.get("model", ""),
        )
    except ValueError as error:
        raise Http404(str(error)) from error
    except (NoPairList, UnknownModel) as error:
        messages.error(request, str(error))
        return redirect("plan-judging", collection.slug)
    response = StreamingHttpResponse(
        csv_lines([COLUMNS, *rows]), content_type="text/csv; charset=utf-8"
    )
    return as_download(response, f"{collection.slug}-{strategy}-{budget}.csv")
