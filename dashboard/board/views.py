"""The admin's pages about open queries: the board, and reassigning seats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import NamedTuple

from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import in_collection
from accounts.actions.services import record_people_read, record_person_read
from accounts.models import Collection, Role, User
from annotation import services
from annotation.models import Opening
from annotation.services import JudgingError
from annotation.team import OPENING_KIND, REBALANCING_KIND
from annotation.team.plans import eligible_annotators
from corpus.models import NAME_ORDER, Facet, Query
from dashboard.board.annotators import (
    IDLE,
    RATE_DAYS,
    annotators,
    late_people,
    outlook_of,
    shares_of,
)
from dashboard.board.figures import progress_figure, progress_of
from dashboard.board.forms import ReassignForm
from dashboard.board.opening_views import closed_queries_page
from dashboard.board.query_table import unused_columns
from dashboard.board.risks import MANY_CASES, at_risk
from dashboard.board.rows import (
    BOARD_SORTS,
    board_of,
    open_queries_matching,
    open_rows,
    seat_progress,
)
from dashboard.board.table import (
    ANNOTATORS,
    AT_RISK,
    BOARD,
    CLOSED,
    FILTER_NAMES,
    TO_JUDGE,
    board_filters,
)
from jobs.listing import jobs_to_show
from planning.yields.advice import QueryAdvice
from planning.yields.report import shown_advice
from web.figure_files import figure_file, shown
from web.requests.answers import sorting_address
from web.tables.cells import SHORT_PAGE_ROWS, numbered_page
from web.tables.columns import csv_file, rows_of_file, wants_csv
from web.tables.filters import Filter, filter_bar, filter_queryset
from web.tables.paging import typed
from web.tables.sorted_paging import SortedRows


@in_collection(Role.ADMIN, owner_annotators_to="set-up")
@require_http_methods(["GET", "HEAD", "POST"])
def board(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    if request.method == "POST" or request.GET.get("state") in CLOSED:
        return closed_queries_page(request, collection)
    if wants_csv(request) and request.GET.get("list") == "annotators":
        return _annotators_file(request, collection)
    if wants_csv(request):
        return _queries_file(request, collection)
    return _board_page(request, collection)


class OpenQueries(NamedTuple):
    """The open queries that the address asks for; `state` is the chosen one, or the default."""

    rows: SortedRows[Query]
    filters: list[Filter[Q]]
    state: str


def _open_queries(
    request: HttpRequest,
    collection: Collection,
    facets: Sequence[Facet],
    people: Iterable[User],
    late: frozenset[int],
) -> OpenQueries:
    """Without a filter in the address, those at risk, or else those with pairs to judge."""
    found = open_queries_matching(collection, typed(request.GET, "q"))
    parameters = request.GET.copy()
    is_unfiltered = not any(parameters.get(name) for name in ("q", *FILTER_NAMES))
    risky = []
    if is_unfiltered or parameters.get("state") == AT_RISK:
        risky = at_risk(collection, late)
    if is_unfiltered:
        parameters["state"] = AT_RISK if risky else TO_JUDGE
    filters = board_filters(facets, people, risky)
    rows = SortedRows.of(
        filter_queryset(found, filters, parameters),
        request.GET.get("sort", ""),
        BOARD_SORTS,
        key="name",
        key_order=NAME_ORDER,
    )
    choice = filters[0].chosen(parameters)
    return OpenQueries(rows, filters, choice.value if choice else "")


def _unused(
    facets: Sequence[Facet], found: OpenQueries, advice: Mapping[str, QueryAdvice]
) -> frozenset[str]:
    """The columns that are empty in all rows."""
    empty = {"risk": found.state != AT_RISK, "advice": not advice}
    return unused_columns(facets) | {key for key, is_empty in empty.items() if is_empty}


def _annotators_file(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    record_people_read(collection=collection, page="annotators")
    rows = board_of(collection).people
    return csv_file(f"{collection.slug}-annotators", ANNOTATORS.shown(request), rows)


def _queries_file(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    facets = list(collection.facets.all())
    shares = shares_of(collection)
    eligible = frozenset(eligible_annotators(collection).values_list("pk", flat=True))
    late = late_people(shares, eligible)
    people = annotators(collection, shares)
    found = _open_queries(request, collection, facets, people, late)
    advice = shown_advice(collection)
    rows = rows_of_file(found.rows.in_order(), partial(open_rows, late=late, advice=advice))
    columns = BOARD.shown(request, _unused(facets, found, advice))
    return csv_file(f"{collection.slug}-judging", columns, rows)


def _board_page(request: HttpRequest, collection: Collection) -> HttpResponse:
    current = board_of(collection)
    facets = list(collection.facets.all())
    users = sorted((person.user for person in current.people), key=attrgetter("username"))
    found = _open_queries(request, collection, facets, users, current.late)
    opened = found.rows.page(request, anchor="#queries", size=SHORT_PAGE_ROWS)
    names = [each.name for each in found.filters]
    advice = shown_advice(collection)
    unfinished = [person for person in current.people if person.judged.remaining]
    context = {
        "collection": collection,
        "facets": facets,
        "board": current,
        "outlook": outlook_of(current.people),
        "people": numbered_page(
            unfinished, request, name="people", anchor="#people", size=SHORT_PAGE_ROWS
        ),
        "idle": [person for person in current.people if not person.judged.remaining],
        "state": found.state,
        "opened": opened,
        "rows": open_rows(opened.rows, current.late, advice),
        "figure": shown(progress_figure(progress_of(collection)), "board-figure", collection.slug),
        "sort": found.rows.sort,
        "bar": filter_bar(
            request,
            found.filters,
            caption="Query or person" if unused_columns(facets) else "Query, facet or person",
            button="Filter queries",
            anchor="#queries",
        ),
        "columns": BOARD.shown(request, _unused(facets, found, advice)),
        "jobs": jobs_to_show(collection, [OPENING_KIND, REBALANCING_KIND]),
        "sorted_by": sorting_address(request.path, request, "q", *names),
        "idle_days": IDLE.days,
        "rate_days": RATE_DAYS,
        "many_cases": MANY_CASES,
    }
    return render(request, "dashboard/board.html", context)


@in_collection(Role.ADMIN)
@require_safe
def board_figure(
    request: HttpRequest, collection: Collection, figure: str, extension: str
) -> HttpResponse:
    figures = [progress_figure(progress_of(collection))]
    return figure_file(figures, figure, extension, collection.slug)


@in_collection(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def seat(
    request: HttpRequest, collection: Collection, opening_id: int, number: int
) -> HttpResponse:
    opening = get_object_or_404(Opening.objects.of(collection), pk=opening_id)
    row = get_object_or_404(opening.seats.select_related("annotator"), number=number)
    seated = opening.seats.values_list("annotator", flat=True)
    form = ReassignForm(request.POST or None, collection=collection, seated=seated)
    if request.method == "POST" and form.is_valid():
        try:
            moved = services.reassign_seat(
                opening=opening,
                number=number,
                annotator=form.cleaned_data["annotator"],
                senior_reason=form.cleaned_data.get("senior_reason", ""),
            )
        except JudgingError as error:
            form.add_error("annotator", str(error))
        else:
            name = form.cleaned_data["annotator"].shown_name
            messages.success(
                request,
                f"{name} takes over {moved:,} unjudged {'pair' if moved == 1 else 'pairs'} "
                f"of {opening.query.name}.",
            )
            return redirect("board", collection.slug)
    record_person_read(collection=collection, person=row.annotator, page="seat")
    context = {
        "collection": collection,
        "opening": opening,
        "seat": row,
        "judged": seat_progress(opening, number),
        "form": form,
    }
    status = 422 if form.errors else 200
    return render(request, "dashboard/seat.html", context, status=status)
