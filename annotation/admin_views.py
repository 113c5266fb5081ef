"""The admin's pages about judging: the board, seats, guidelines."""

from __future__ import annotations

import re
from typing import cast

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import in_collection
from accounts.models import Collection, Role, User
from annotation import board as figures
from annotation import services
from annotation.admin_forms import GuidelineForm, OpenForm, ReassignForm
from annotation.models import Guideline, Opening
from annotation.services import JudgingError
from corpus.models import Facet
from pooling.figures import matching, sort_rows
from pooling.views import answers, sorting_address


@in_collection(Role.ADMIN)
@require_safe
def board(request: HttpRequest, collection: Collection) -> HttpResponse:
    return _board_page(request, collection, OpenForm(collection=collection))


def _board_page(request: HttpRequest, collection: Collection, form: OpenForm) -> HttpResponse:
    state = figures.board_of(collection)
    words = request.GET.get("q", "")
    # Not the request's path: a form that was wrong is shown again at an address without GET.
    page = reverse("board", args=[collection.slug])
    rows, sort = sort_rows(
        matching(state.open, words, lambda row: row.text),
        request.GET.get("sort", ""),
        figures.BOARD_SORTS,
        "query",
    )
    context = {
        "collection": collection,
        "board": state,
        "rows": rows,
        "sort": sort,
        "words": words,
        "form": form,
        "ticked": form.ticked(),
        "page": page,
        "sorted_by": sorting_address(page, request, "q"),
    }
    status = 422 if form.errors else 200
    return render(request, "annotation_admin/board.html", context, status=status)


@in_collection(Role.ADMIN)
@require_POST
def open_queries(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = OpenForm(request.POST, collection=collection)
    if not form.is_valid():
        return _board_page(request, collection, form)
    said = form.cleaned_data
    if "confirmed" not in request.POST:
        return _ask_to_open(request, collection, form)
    try:
        opened = services.open_queries(
            queries=list(said["queries"]),
            annotators=(said["first"], said["second"]),
            opened_by=cast(User, request.user),
        )
    except JudgingError as error:
        form.add_error(None, f"Nothing was opened. {error}")
        return _board_page(request, collection, form)
    number = f"{len(opened)} {'query is' if len(opened) == 1 else 'queries are'}"
    messages.success(request, f"{number} open for judging.")
    return redirect("board", collection.slug)


def _ask_to_open(request: HttpRequest, collection: Collection, form: OpenForm) -> HttpResponse:
    chosen = {query.pk for query in form.cleaned_data["queries"]}
    rows = [row for row in figures.closed_rows(collection) if row.query.pk in chosen]
    context = {
        "collection": collection,
        "rows": rows,
        "pairs": sum(row.pairs for row in rows),
        "drafts": len({row.query.query_paper_id for row in rows if row.pool == "draft"}),
        "first": form.cleaned_data["first"],
        "second": form.cleaned_data["second"],
        "kept": answers(request),
    }
    return render(request, "annotation_admin/confirm_open.html", context)


@in_collection(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def seat(
    request: HttpRequest, collection: Collection, opening_id: int, number: int
) -> HttpResponse:
    opening = get_object_or_404(Opening.objects.of(collection), pk=opening_id)
    row = get_object_or_404(opening.seats.select_related("annotator"), number=number)
    taken = opening.seats.values_list("annotator", flat=True)
    form = ReassignForm(request.POST or None, collection=collection, taken=taken)
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
        "judged": figures.seat_progress(opening, number),
        "form": form,
    }
    status = 422 if form.errors else 200
    return render(request, "annotation_admin/seat.html", context, status=status)


@in_collection(Role.ADMIN)
@require_safe
def guidelines(request: HttpRequest, collection: Collection) -> HttpResponse:
    uses = figures.versions_in_use(collection)
    facets = [(facet, uses.get(facet.pk, [])) for facet in collection.facets.all()]
    context = {"collection": collection, "facets": facets}
    return render(request, "annotation_admin/guidelines.html", context)


@in_collection(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def guideline(request: HttpRequest, collection: Collection, facet: str) -> HttpResponse:
    found = get_object_or_404(collection.facets, key=facet)
    current = found.guidelines.first()
    form = GuidelineForm(request.POST or None, current=current)
    if request.method == "POST" and form.is_valid() and "preview" not in request.POST:
        if form.changed:
            return _write(request, collection, found, form)
        form.add_error(None, "Nothing has changed, so there is no new version to save.")
    shown = current if request.method == "POST" else _asked_version(request, found, current)
    context = {
        "collection": collection,
        "facet": found,
        "current": current,
        "shown": shown,
        "form": form,
        "preview": request.method == "POST",
        "instructions": form.instructions_as_typed() if form.is_bound else _text(shown),
        "grades": form.grades_as_typed() if form.is_bound else shown.grades if shown else [],
        "versions": figures.versions_in_use(collection).get(found.pk, []),
    }
    wrong = bool(form.errors or any(grade.errors for grade in form.grades.values()))
    status = 422 if form.is_bound and wrong else 200
    return render(request, "annotation_admin/guideline.html", context, status=status)


def _asked_version(
    request: HttpRequest, facet: Facet, current: Guideline | None
) -> Guideline | None:
    asked = request.GET.get("version", "")
    if not asked:
        return current
    if not re.fullmatch("[0-9]{1,5}", asked):  # more digits, and "²", are no version's number
        raise BadRequest(f'"version" must be a whole number like 2, got "{asked[:20]}".')
    return get_object_or_404(facet.guidelines, version=int(asked))


def _text(shown: Guideline | None) -> str:
    return shown.instructions if shown else ""


def _write(
    request: HttpRequest, collection: Collection, facet: Facet, form: GuidelineForm
) -> HttpResponse:
    written = services.write_guideline(
        facet=facet, instructions=form.instructions_as_typed(), grades=form.grades_as_typed()
    )
    messages.success(
        request,
        f"Version {written.version} is written. Queries you open from now on use it; "
        "those open already keep theirs.",
    )
    return redirect("guideline", collection.slug, facet.key)
