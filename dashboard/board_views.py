"""The admin's pages about judging: the board, opening queries, reassigning seats."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from annotation import services
from annotation.models import Opening
from annotation.services import JudgingError
from dashboard.annotators import person_rows
from dashboard.board import (
    BOARD_SORTS,
    board_of,
    closed_queries,
    closed_rows,
    open_queries_matching,
    open_rows,
    seat_progress,
)
from dashboard.board_forms import OpenForm, ReassignForm
from web.requests import answers, sorting_address
from web.tables import numbered_page, sort_queryset


@in_collection(Role.ADMIN)
@require_safe
def board(request: HttpRequest, collection: Collection) -> HttpResponse:
    return _board_page(request, collection, OpenForm(collection=collection))


def _board_page(request: HttpRequest, collection: Collection, form: OpenForm) -> HttpResponse:
    current = board_of(collection)
    words = request.GET.get("q", "")
    # Not the request's path: a form that was wrong is shown again at an address without GET.
    page = reverse("board", args=[collection.slug])
    found, sort = sort_queryset(
        open_queries_matching(collection, words), request.GET.get("sort", ""), BOARD_SORTS, "query"
    )
    opened = numbered_page(found, request, path=page, anchor="#open-queries")
    closed = numbered_page(
        closed_queries(collection).order_by("name"),
        request,
        path=page,
        name="closed",
        anchor="#open",
    )
    people = numbered_page(current.people, request, path=page, name="people", anchor="#people")
    context = {
        "collection": collection,
        "board": current,
        "opened": opened,
        "rows": open_rows(opened.rows),
        "closed": closed,
        "closed_rows": closed_rows(closed.rows),
        "people": people,
        "person_rows": person_rows(collection, people.rows, current.shares, current.eligible),
        "sort": sort,
        "words": words,
        "form": form,
        "ticked": form.ticked(),
        "page": page,
        "sorted_by": sorting_address(page, request, "q"),
    }
    status = 422 if form.errors else 200
    return render(request, "dashboard/board.html", context, status=status)


@in_collection(Role.ADMIN)
@require_POST
def open_queries(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = OpenForm(request.POST, collection=collection)
    if not form.is_valid():
        return _board_page(request, collection, form)
    cleaned = form.cleaned_data
    if "confirmed" not in request.POST:
        return _ask_to_open(request, collection, form)
    try:
        opened = services.open_queries(
            queries=list(cleaned["queries"]),
            annotators=(cleaned["first"], cleaned["second"]),
            opened_by=person_of(request),
        )
    except JudgingError as error:
        form.add_error(None, f"No query was opened. {error}")
        return _board_page(request, collection, form)
    number = f"{len(opened)} {'query is' if len(opened) == 1 else 'queries are'}"
    messages.success(request, f"{number} open for judging.")
    return redirect("board", collection.slug)


def _ask_to_open(request: HttpRequest, collection: Collection, form: OpenForm) -> HttpResponse:
    asked = form.cleaned_data["queries"].values("pk")
    rows = closed_rows(list(closed_queries(collection).filter(pk__in=asked).order_by("name")))
    context = {
        "collection": collection,
        "rows": rows,
        "pairs": sum(row.pairs for row in rows),
        "drafts": len({row.query.query_paper_id for row in rows if row.pool == "draft"}),
        "first": form.cleaned_data["first"],
        "second": form.cleaned_data["second"],
        "kept": answers(request),
    }
    return render(request, "dashboard/confirm_open.html", context)


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
