"""The admin's page about how far the pools can be trusted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection
from accounts.models import Collection, Role
from evaluation.choices import measure_key
from evaluation.pool_bias.computation.leave_out import REDRAWN, UNIQUE
from evaluation.pool_bias.figures import figures_of
from evaluation.pool_bias.services import PoolBiasReport
from evaluation.pool_bias.tables import (
    GROWTH,
    JUDGED_DEPTHS,
    LEFT_OUT,
    SOURCES,
    UNJUDGED,
    Payload,
    growth_lines,
    left_out_lines,
    system_lines,
    ways_of,
)
from reports.models import StoredReport
from reports.pages import report_context, report_json, report_or_404, request_from_page
from reports.services import stored_report
from web.figure_files import figure_file, shown
from web.tables.cells import numbered_page
from web.tables.columns import Table, wants_csv, whole_file


class BiasSelection(NamedTuple):
    """The measure, and the way to leave sources out; an unknown value counts as the default."""

    measure: str
    way: str

    @classmethod
    def of(cls, request: HttpRequest, payload: Payload) -> BiasSelection:
        names = [measure["name"] for measure in payload["measures"]]
        ways = ways_of(payload)
        measure, way = request.GET.get("measure", ""), request.GET.get("way", "")
        profile = request.GET.get("profile", "")
        measure = measure_key(measure, profile, payload["relevant_from"])
        return cls(measure if measure in names else names[0], way if way in ways else UNIQUE)

    def address(self, **changes: str) -> str:
        return urlencode({**self._asdict(), **changes})


@in_collection(Role.ADMIN)
@require_safe
def show_pool_bias(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    report = stored_report(PoolBiasReport(), collection)
    if report is not None and wants_csv(request):
        choice = BiasSelection.of(request, report.payload)
        return _csv(collection, report.payload, choice, request.GET.get("table", ""))
    context = report_context(PoolBiasReport(), collection, report)
    context["has_labels"] = collection.queries.filter(pair_count__judged__gt=0).exists()
    if report is not None:
        context |= _tables(request, collection, report)
    return render(request, "evaluation/pool_bias.html", context)


def _tables(request: HttpRequest, collection: Collection, report: StoredReport) -> dict[str, Any]:
    payload = report.payload
    choice = BiasSelection.of(request, payload)
    rows = {name: rows_of(payload, choice) for name, (_, rows_of) in TABLES.items()}
    systems, growth = (
        numbered_page(rows[table], request, name=name, anchor=f"#{anchor}-rows", size=PAGE_ROWS)
        for table, name, anchor in (
            ("systems", "systems", "system"),
            ("growth", "queries", "growth"),
        )
    )
    return {
        "payload": payload,
        "choice": choice,
        "measures": _measure_groups(payload),
        "ways": ways_of(payload),
        "is_redrawn": choice.way == REDRAWN,
        "is_closed": any(
            measure["closed"] and measure["name"] == choice.measure
            for measure in payload["measures"]
        ),
        "sources": rows["sources"],
        "system_names": {line.name for line in rows["systems"]},
        "left_out": rows["left-out"],
        "most_rows": MOST_ROWS,
        "judged_depths": JUDGED_DEPTHS,
        "systems": systems,
        "growth": growth,
        "open": [name for name in ("systems", "queries") if name in request.GET],
        "files": {
            name.replace("-", "_"): f"?{choice.address(format='csv', table=name)}"
            for name in TABLES
        },
        "relevant": sum(row.relevant for row in rows["growth"]),
        "figures": {
            figure.name.replace("-", "_"): shown(
                figure, "pool-bias-figure", collection.slug, choice.address()
            )
            for figure in figures_of(payload, choice.measure, choice.way)
        },
    }


MOST_ROWS = 50  # of the tables without pages; their files have all
PAGE_ROWS = 10  # a phone shows them as cards, below the figures

TABLES: dict[str, tuple[Table[Any], Callable[[Payload, BiasSelection], Sequence[Any]]]] = {
    "sources": (SOURCES, lambda payload, _: payload["sources"]),
    "left-out": (
        LEFT_OUT,
        lambda payload, choice: left_out_lines(payload, choice.measure, choice.way),
    ),
    "systems": (UNJUDGED, lambda payload, choice: system_lines(payload, choice.measure)),
    "growth": (GROWTH, lambda payload, _: growth_lines(payload)),
}


def _measure_groups(payload: Payload) -> list[tuple[str, list[str]]]:
    """The measures of lists as they are, and those of lists that are restricted to the pool."""
    names: dict[bool, list[str]] = {False: [], True: []}
    for measure in payload["measures"]:
        names[measure["closed"]].append(measure["name"])
    return [
        (caption, names[closed])
        for closed, caption in ((False, "Whole lists"), (True, "Lists restricted to the pool"))
        if names[closed]
    ]


def _csv(
    collection: Collection, payload: Payload, choice: BiasSelection, table: str
) -> StreamingHttpResponse:
    """All rows of a table of the page."""
    if table not in TABLES:
        raise Http404(f"no table {table}")
    columns, rows_of = TABLES[table]
    return whole_file(collection.slug, columns, rows_of(payload, choice))


@in_collection(Role.ADMIN)
@require_POST
def compute_pool_bias(request: HttpRequest, collection: Collection) -> HttpResponse:
    kind = PoolBiasReport(request.POST.getlist("leave_out"))
    return request_from_page(request, collection, kind, message="Computing the report.")


@in_collection(Role.ADMIN)
@require_safe
def pool_bias_figure(
    request: HttpRequest, collection: Collection, figure: str, extension: str
) -> HttpResponse:
    report = report_or_404(PoolBiasReport(), collection)
    choice = BiasSelection.of(request, report.payload)
    figures = figures_of(report.payload, choice.measure, choice.way)
    return figure_file(figures, figure, extension, collection.slug)


@in_collection(Role.ADMIN)
@require_safe
def pool_bias_json(request: HttpRequest, collection: Collection) -> HttpResponse:
    return report_json(PoolBiasReport(), collection, "pool-bias")
