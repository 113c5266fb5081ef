"""The admin's page of two ranked lists for one query."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import in_collection, row_or_404
from accounts.models import Collection, Role
from annotation.services import shown_query
from corpus.models import Query
from evaluation.choices import CHOICES
from evaluation.leaderboard.selection import LeaderboardSelection, Select
from evaluation.ranked_lists.page import (
    MOST_QUERIES,
    SIDES,
    chosen_query,
    names_of_sides,
    neighbours_of,
    sides_of,
)
from scoring.results import stored_values
from scoring.systems.named import NamedSystem, named_systems
from web.tables.paging import whole_number

KEPT = (*CHOICES, "field", "candidates")


@in_collection(Role.ADMIN)
@require_safe
def ranked_lists(request: HttpRequest, collection: Collection) -> HttpResponse:
    systems = {each.name: each for each in named_systems(collection)}
    asked = request.GET.get("query", "").strip()
    query = chosen_query(collection, asked)
    context: dict[str, Any] = {"collection": collection, "asked": asked, "query": query}
    if systems:
        context |= _choices(request, collection, systems, query)
    return render(request, "evaluation/ranked_lists.html", context)


def _choices(
    request: HttpRequest,
    collection: Collection,
    systems: dict[str, NamedSystem],
    query: Query | None,
) -> dict[str, Any]:
    asked = [request.GET.get(side, "") for side in SIDES]
    names = dict(zip(SIDES, names_of_sides(list(systems), *asked), strict=True))
    chosen = [row_or_404(systems.get(name), f"no system {name}") for name in names.values() if name]
    kept = {name: request.GET[name] for name in KEPT if request.GET.get(name)}
    options = [(name, name) for name in systems]
    context: dict[str, Any] = {
        "kept": kept.items(),
        "selects": [
            Select("first", "First system", options, names["first"]),
            Select("second", "Second system", options, names["second"]),
        ],
        "queries": _query_names(collection),
    }
    if query is None:
        return context
    choice = LeaderboardSelection.of(collection, request.GET)
    page = min(whole_number(request.GET, "page", digits=4), 1_000)
    parameters = names | {"query": query.name} | kept
    values = stored_values(
        collection, names.values(), choice.source, choice.profile.name, choice.measure
    )
    of_query = {name: by_query.get(query.name) for name, by_query in values.items()}
    sides = sides_of(collection, chosen, query, page, parameters, of_query)
    return context | {
        "measure": choice.measure,
        "choices": choice.address(),
        "sides": sides,
        "common": _common(sides),
        "neighbours": neighbours_of(collection, query, sides, page, parameters),
        "query_text": shown_query(query),
        "page": page,
    }


def _common(sides: list[Any]) -> int | None:
    """The documents on the page's first list that are anywhere in the second; None for one list."""
    if len(sides) < len(SIDES):
        return None
    return sum(row.other_rank is not None for row in sides[0].rows)


def _query_names(collection: Collection) -> list[str]:
    """The queries to choose from; empty if they are too many for a list."""
    names = collection.queries.order_by("name_order").values_list("name", flat=True)
    found = list(names[: MOST_QUERIES + 1])
    return found if len(found) <= MOST_QUERIES else []
