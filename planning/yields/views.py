"""The page about yields: relevant documents per hour, the forecast, and advice to stop."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import in_collection
from accounts.models import Collection, Role
from jobs.listing import jobs_to_show
from planning.yields.figures import curve_figure, rate_figure
from planning.yields.report import ShownYields, YieldReport, shown_yields
from planning.yields.tables import GROUPS, HEADS
from web.figure_files import figure_file, shown
from web.figures import Figure
from web.tables.cells import numbered_page
from web.tables.columns import csv_file, wants_csv


@in_collection(Role.ADMIN)
@require_safe
def yields(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    stored = shown_yields(collection)
    if wants_csv(request):
        rows = stored.groups if stored else []
        return csv_file(f"{collection.slug}-yields", GROUPS.shown(request), rows)
    stops = [row for row in stored.advice.values() if row.says_stop] if stored else []
    context = {
        "collection": collection,
        "yields": stored,
        "has_facets": _has_facets(collection),
        "advice": numbered_page(stops, request, anchor="#advice") if stops else None,
        "figures": [shown(figure, "yields-figure", collection.slug) for figure in _figures(stored)],
        "tables": _tables(collection, stored) if stored else [],
        "jobs": jobs_to_show(collection, [YieldReport.name]),
    }
    return render(request, "evaluation/yields.html", context)


def _tables(collection: Collection, stored: ShownYields) -> list[dict[str, object]]:
    has_facets = _has_facets(collection)
    return [
        {"dimension": dimension, "head": head, "rows": rows}
        for dimension, head in HEADS.items()
        if (rows := stored.of(dimension)) and (has_facets or dimension != "facet")
    ]


def _has_facets(collection: Collection) -> bool:
    return not any(facet.is_whole for facet in collection.facets.all())


def _figures(stored: ShownYields | None) -> list[Figure]:
    if stored is None:
        return []
    return [*curve_figure(stored.curves), *rate_figure(stored.groups)]


@in_collection(Role.ADMIN)
@require_safe
def yields_figure(
    request: HttpRequest, collection: Collection, figure: str, extension: str
) -> HttpResponse:
    return figure_file(_figures(shown_yields(collection)), figure, extension, collection.slug)
