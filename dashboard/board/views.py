"""The admin's pages about open queries: the board, and reassigning seats."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import in_collection
from accounts.models import Collection, Role
from annotation import services
from annotation.models import Opening
from annotation.services import JudgingError
from annotation.team import OPENING_KIND, REBALANCING_KIND
from corpus.models import NAME_ORDER, Query
from dashboard.board.annotators import annotators, person_rows, shares_of
from dashboard.board.figures import board_figures
from dashboard.board.forms import ReassignForm
from dashboard.board.query_table import unused_columns
from dashboard.board.rows import (
    BOARD_SORTS,
    board_of,
    open_queries_matching,
    open_rows,
    seat_progress,
)
from dashboard.board.table import BOARD, board_filters
from jobs.listing import jobs_to_show
from web.figure_files import figure_file, shown
from web.requests.answers import sorting_address
from web.tables.cells import numbered_page
from web.tables.columns import csv_file, in_batches, wants_csv
from web.tables.filters import Filter, filter_bar, filter_queryset
from web.tables.paging import typed
from web.tables.sorted_paging import PLACE, SortedRows

BATCH = 500  # rows of a CSV file that are read together


@in_collection(Role.ADMIN)
@require_safe
def board(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    if wants_csv(request):
        return _board_file(request, collection)
    return _board_page(request, collection)


def _sorted_queries(
    request: HttpRequest, collection: Collection, filters: Iterable[Filter[Q]]
) -> SortedRows[Query]:
    found = open_queries_matching(collection, typed(request.GET, "q"))
    return SortedRows.of(
        filter_queryset(found, filters, request.GET),
        request.GET.get("sort", ""),
        BOARD_SORTS,
        key="name",
        key_order=NAME_ORDER,
    )


def _board_file(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    facets = list(collection.facets.all())
    filters = board_filters(facets, annotators(collection, shares_of(collection)))
    queries = _sorted_queries(request, collection, filters).in_order().iterator(chunk_size=BATCH)
    rows = in_batches(queries, open_rows, BATCH)
    return csv_file(
        f"{collection.slug}-judging", BOARD.shown(request, unused_columns(facets)), rows
    )


def _board_page(request: HttpRequest, collection: Collection) -> HttpResponse:
    current = board_of(collection)
    facets = list(collection.facets.all())
    filters = board_filters(facets, current.people)
    found = _sorted_queries(request, collection, filters)
    opened = found.page(request, anchor="#open-queries")
    rows = open_rows(opened.rows)
    names = [each.name for each in filters]
    parameters = sorting_address("", request, "q", "sort", *PLACE, *names).strip("?&")
    people = numbered_page(current.people, request, name="people", anchor="#people")
    context = {
        "collection": collection,
        "facets": facets,
        "board": current,
        "opened": opened,
        "rows": rows,
        "figures": {
            figure.name: shown(figure, "board-figure", collection.slug, parameters)
            for figure in board_figures(collection, rows)
        },
        "people": people,
        "person_rows": person_rows(collection, people.rows, current.shares, current.eligible),
        "sort": found.sort,
        "bar": filter_bar(
            request,
            filters,
            caption="Query or person" if unused_columns(facets) else "Query, facet or person",
            button="Filter queries",
            anchor="#open-queries",
        ),
        "columns": BOARD.shown(request, unused_columns(facets)),
        "jobs": jobs_to_show(collection, [OPENING_KIND, REBALANCING_KIND]),
        "sorted_by": sorting_address(request.path, request, "q", *names),
    }
    return render(request, "dashboard/board.html", context)


@in_collection(Role.ADMIN)
@require_safe
def board_figure(
    request: HttpRequest, collection: Collection, figure: str, extension: str
) -> HttpResponse:
    """Of the rows that the parameters show on the page."""
    facets = list(collection.facets.all())
    filters = board_filters(facets, annotators(collection, shares_of(collection)))
    rows = open_rows(_sorted_queries(request, collection, filters).page(request).rows)
    return figure_file(board_figures(collection, rows), figure, extension, collection.slug)


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
                opening=opening, number=number, annotator=form.cleaned_data["annotator"]
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
    context = {
        "collection": collection,
        "opening": opening,
        "seat": row,
        "judged": seat_progress(opening, number),
        "form": form,
    }
    status = 422 if form.errors else 200
    return render(request, "dashboard/seat.html", context, status=status)
