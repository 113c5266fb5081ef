"""The admin's page about what the unjudged documents of systems could change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection, row_or_404
from accounts.models import Collection, Role
from evaluation.gaps.computation.bounds import ScoreRange
from evaluation.gaps.cost import GapCosts
from evaluation.gaps.measures import DEPTH, DEPTHS, report_measures
from evaluation.gaps.reading import read_lists
from evaluation.gaps.services import DEEPEST, GapsReport
from evaluation.gaps.tables import (
    ORDERS,
    SYSTEMS,
    GapLine,
    Payload,
    QueryLine,
    gap_lines,
    order_lines,
    query_lines,
)
from evaluation.leaderboard.selection import Select
from reports.models import StoredReport
from reports.pages import report_context, request_from_page
from reports.services import stored_report
from scoring.score_tables import ALL
from web.downloads import json_download
from web.tables.cells import NumberedPage, numbered_page
from web.tables.columns import Table, wants_csv, whole_file

MOST_ROWS = 50
MOST_SIDE_BY_SIDE = 3  # systems of the table by query


class QueryGapRow(NamedTuple):
    """A query with (size of the gap, bounds or None) of each system side by side."""

    name: str
    cells: Sequence[tuple[int, ScoreRange | None]]


@dataclass(frozen=True)
class GapsPage:
    """The page of the choices in the address; an unknown value counts as the default."""

    collection: Collection
    request: HttpRequest

    @cached_property
    def kind(self) -> GapsReport:
        depth = _depth(self.request.GET)
        known = set(self.collection.systems.values_list("name", flat=True))
        wanted = set(self.request.GET.getlist("system"))
        return GapsReport(depth, sorted(known & wanted))

    @cached_property
    def report(self) -> StoredReport | None:
        return stored_report(self.kind, self.collection)

    @property
    def payload(self) -> Payload:
        payload: Payload = row_or_404(self.report, "no current report").payload
        return payload

    @cached_property
    def measure(self) -> str:
        names = [measure["name"] for measure in self.payload["measures"]]
        asked = self.request.GET.get("measure", "")
        return asked if asked in names else names[0]

    @cached_property
    def facet(self) -> str:
        asked = self.request.GET.get("facet", "")
        return asked if asked in self.payload["facets"] else ALL

    @property
    def selects(self) -> list[Select]:
        measures = [(row["name"], row["name"]) for row in self.payload["measures"]]
        names = dict(self.collection.facets.values_list("key", "name"))
        facets = [(key, names.get(key, "All queries")) for key in self.payload["facets"]]
        selects = [Select("measure", "Measure", measures, self.measure)]
        return selects + ([Select("facet", "Queries", facets, self.facet)] if facets[1:] else [])

    @cached_property
    def lines(self) -> list[GapLine]:
        return gap_lines(self.payload, self.facet, self.measure)

    @property
    def side_by_side(self) -> list[str]:
        """Those to `show`, or else the chosen systems, or else those with the largest gaps."""
        asked = self.request.GET.getlist("show")
        known = [name for name in dict.fromkeys(asked) if name in self.payload["by_query"]]
        if chosen := known or self.kind.systems:
            return chosen[:MOST_SIDE_BY_SIDE]
        sizes = {line.name: line.unjudged or 0 for line in self.lines}
        largest = sorted(sizes, key=lambda name: (-sizes[name], name))
        return [name for name in largest if sizes[name]][:MOST_SIDE_BY_SIDE]

    def queries(self) -> NumberedPage[Any] | None:
        """A page of queries. Their bounds are computed from the lists of these queries alone."""
        systems = self.side_by_side
        if not systems:
            return None
        lines = query_lines(self.payload, systems)
        page = numbered_page(lines, self.request, anchor="#by-query")
        return page._replace(rows=self._with_bounds(page.rows, systems))

    def _with_bounds(self, lines: Sequence[QueryLine], systems: Sequence[str]) -> list[QueryGapRow]:
        found = list(self.collection.systems.filter(name__in=systems))
        names = [line.name for line in lines]
        lists = read_lists(self.collection, found, systems, self.kind.depth, queries=names)
        measures = report_measures(self.payload["relevant_from"], self.kind.depth)
        bounded = next(each.bounded for each in measures if each.name == self.measure)
        places = {name: place for place, name in enumerate(lists.names)}
        return [
            QueryGapRow(
                line.name,
                [
                    (size, lists.own_range(bounded, system, places[line.name]))
                    if line.name in places
                    else (size, None)
                    for size, system in zip(line.unjudged, systems, strict=True)
                ],
            )
            for line in lines
        ]

    def address(self, **changes: str) -> str:
        chosen: list[tuple[str, str]] = [("depth", str(self.kind.depth))]
        chosen += [("system", name) for name in self.kind.systems]
        return urlencode([*chosen, *changes.items()])

    def context(self) -> dict[str, Any]:
        collection = self.collection
        context = report_context(self.kind, collection, self.report) | {
            "page": self,
            "depths": sorted({*DEPTHS, self.kind.depth}),
            "systems": collection.systems.order_by("name").values_list("name", flat=True),
            "has_labels": collection.queries.filter(pair_count__judged__gt=0).exists(),
        }
        if self.report is None:
            return context
        costs = GapCosts.of(collection, self.request.GET)
        payload = self.payload
        orders = order_lines(payload, self.measure)
        decisive = payload["decisive"]
        return context | {
            "payload": payload,
            "costs": costs,
            "cost": costs.of_pairs(payload["pairs"]),
            "lines": numbered_page(self.lines, self.request, name="systems", anchor="#systems"),
            "orders": orders[:MOST_ROWS],
            "order_count": len(orders),
            "queries": self.queries(),
            "decisive_count": sum(map(len, decisive["documents"].values())),
            "files": {
                name: "?"
                + self.address(measure=self.measure, facet=self.facet, format="csv")
                + f"&table={name}"
                for name in ("systems", "orders")
            },
            "json": "?" + self.address(),
        }


@in_collection(Role.ADMIN)
@require_safe
def show_gaps(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    page = GapsPage(collection, request)
    if wants_csv(request):
        tables: dict[str, tuple[Table[Any], Sequence[Any]]] = {
            "systems": (SYSTEMS, page.lines),
            "orders": (ORDERS, order_lines(page.payload, page.measure)),
        }
        if (name := request.GET.get("table", "")) not in tables:
            raise Http404(f"no table {name}")
        table, rows = tables[name]
        return whole_file(collection.slug, table, rows)
    return render(request, "evaluation/gaps.html", page.context())


@in_collection(Role.ADMIN)
@require_POST
def compute_gaps(request: HttpRequest, collection: Collection) -> HttpResponse:
    posted = request.POST
    kind = GapsReport(_depth(posted), sorted(set(posted.getlist("system"))))
    chosen = [("depth", str(kind.depth)), *(("system", name) for name in kind.systems)]
    return request_from_page(
        request, collection, kind, message="Computing the report.", query=f"?{urlencode(chosen)}"
    )


def _depth(parameters: QueryDict) -> int:
    """An invalid one counts as the default."""
    text = parameters.get("depth", "")
    is_depth = text.isdecimal() and len(text) < 7 and 1 <= int(text) <= DEEPEST
    return int(text) if is_depth else DEPTH


@in_collection(Role.ADMIN)
@require_safe
def gaps_json(request: HttpRequest, collection: Collection) -> HttpResponse:
    return json_download(GapsPage(collection, request).payload, f"{collection.slug}-gaps.json")
