"""The admin's page about how far the pools can be trusted."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from evaluation.pool_bias.computation.leave_out import REDRAWN, UNIQUE
from evaluation.pool_bias.figures import figures_of
from evaluation.pool_bias.services import PoolBiasReport
from evaluation.pool_bias.tables import growth_lines, left_out_lines, system_lines, ways_of
from jobs.listing import jobs_to_show
from reports.models import StoredReport
from reports.services import changed_since, request_report, stored_report
from web.choice_links import ChoiceLink
from web.downloads import json_download
from web.figure_files import figure_file, shown
from web.tables.cells import numbered_page


class OptionGroup(NamedTuple):
    caption: str
    options: list[ChoiceLink]


class BiasSelection(NamedTuple):
    """The measure, and the way to leave sources out; an unknown value counts as the default."""

    measure: str
    way: str

    @classmethod
    def of(cls, request: HttpRequest, payload: dict[str, Any]) -> BiasSelection:
        names = [measure["name"] for measure in payload["measures"]]
        ways = ways_of(payload)
        measure, way = request.GET.get("measure", ""), request.GET.get("way", "")
        return cls(measure if measure in names else names[0], way if way in ways else UNIQUE)

    def address(self, **changes: str) -> str:
        return urlencode({**self._asdict(), **changes})


@in_collection(Role.ADMIN)
@require_safe
def show_pool_bias(request: HttpRequest, collection: Collection) -> HttpResponse:
    report = stored_report(PoolBiasReport(), collection)
    context: dict[str, Any] = {
        "collection": collection,
        "report": report,
        "has_labels": collection.queries.filter(pair_count__judged__gt=0).exists(),
        "jobs": jobs_to_show(collection, [PoolBiasReport.name]),
    }
    if report is not None:
        context |= _tables(request, collection, report)
        context["changed"] = changed_since(report)
    return render(request, "evaluation/pool_bias.html", context)


def _tables(request: HttpRequest, collection: Collection, report: StoredReport) -> dict[str, Any]:
    payload = report.payload
    choice = BiasSelection.of(request, payload)
    growth = growth_lines(payload)
    page = numbered_page(growth, request, anchor="#growth")
    return {
        "payload": payload,
        "choice": choice,
        "measures": _measure_groups(payload, choice),
        "ways": [
            ChoiceLink(words, f"?{choice.address(way=way)}#left-out", way == choice.way)
            for way, words in ways_of(payload).items()
        ],
        "is_redrawn": choice.way == REDRAWN,
        "is_closed": any(
            measure["closed"] and measure["name"] == choice.measure
            for measure in payload["measures"]
        ),
        "sources": [row["source"] for row in payload["sources"]],
        "left_out": left_out_lines(payload, choice.measure, choice.way),
        "systems": system_lines(payload, choice.measure),
        "page": page,
        "rows": page.rows,
        "relevant": sum(row.relevant for row in growth),
        "figures": {
            figure.name.replace("-", "_"): shown(
                figure, "pool-bias-figure", collection.slug, choice.address()
            )
            for figure in figures_of(payload, choice.measure, choice.way)
        },
    }


def _measure_groups(payload: dict[str, Any], choice: BiasSelection) -> list[OptionGroup]:
    """The measures of lists as they are, and those of lists that are restricted to the pool."""
    options: dict[bool, list[ChoiceLink]] = {False: [], True: []}
    for measure in payload["measures"]:
        name, address = measure["name"], choice.address(measure=measure["name"])
        options[measure["closed"]].append(ChoiceLink(name, f"?{address}", name == choice.measure))
    if not options[True]:
        return [OptionGroup("", options[False])]
    return [
        OptionGroup("Whole lists", options[False]),
        OptionGroup("Lists restricted to the pool", options[True]),
    ]


@in_collection(Role.ADMIN)
@require_POST
def compute_pool_bias(request: HttpRequest, collection: Collection) -> HttpResponse:
    kind = PoolBiasReport(request.POST.getlist("leave_out"))
    request_report(kind, collection=collection, requested_by=person_of(request))
    messages.info(request, "Computing the report.")
    return redirect("pool-bias", collection.slug)


@in_collection(Role.ADMIN)
@require_safe
def pool_bias_figure(
    request: HttpRequest, collection: Collection, figure: str, extension: str
) -> HttpResponse:
    report = _report(collection)
    choice = BiasSelection.of(request, report.payload)
    figures = figures_of(report.payload, choice.measure, choice.way)
    return figure_file(figures, figure, extension, collection.slug)


@in_collection(Role.ADMIN)
@require_safe
def pool_bias_json(request: HttpRequest, collection: Collection) -> HttpResponse:
    return json_download(_report(collection).payload, f"{collection.slug}-pool-bias.json")


def _report(collection: Collection) -> StoredReport:
    report = stored_report(PoolBiasReport(), collection)
    if report is None:
        raise Http404("no report on pool bias")
    return report
