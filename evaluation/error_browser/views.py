"""The error browser and the downloads of its tags."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from evaluation.error_browser.browser import (
    DEEPEST,
    MOST_QUERIES,
    TAGGED,
    UNTAGGED,
    ErrorChoices,
    address_of,
    browse,
    pair_of,
    queries_of,
    systems_of,
)
from evaluation.error_browser.finding import ErrorKind
from evaluation.error_browser.models import LONGEST_TYPE
from evaluation.error_browser.services import (
    LONGEST_NOTE,
    TagError,
    tag_error,
    tags_of,
    type_counts,
    untag_error,
)
from evaluation.error_browser.tables import COUNTS, TAGS
from web.tables.columns import whole_file

AT_ONCE = 500  # tags in memory while a file is sent


@in_collection(Role.ADMIN)
@require_safe
def browser(request: HttpRequest, collection: Collection) -> HttpResponse:
    """The errors of a system for a query, and the texts of one of them."""
    return _page(request, collection, request.GET)


def _page(
    request: HttpRequest, collection: Collection, parameters: QueryDict, status: int = 200
) -> HttpResponse:
    systems, queries = systems_of(collection), queries_of(collection)
    context: dict[str, Any] = {"collection": collection, "systems": systems, "queries": queries}
    if systems and queries:
        page = browse(collection, ErrorChoices.of(parameters), systems, queries)
        context |= {
            "page": page,
            "choices": page.choices,
            "carried": page.carried,
            "counts": type_counts(collection, page.choices.system),
            "kinds": list(ErrorKind),
            "tag_filters": [TAGGED, UNTAGGED, *page.types],
            "listed_queries": page.queries[:MOST_QUERIES],
            "grades": collection.grades,
            "deepest": DEEPEST,
            "longest_type": LONGEST_TYPE,
            "longest_note": LONGEST_NOTE,
        }
    return render(request, "evaluation/error_browser.html", context, status=status)


@in_collection(Role.ADMIN)
@require_POST
def tag(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    """Add a type of error to a pair, or remove it; then show the same error again."""
    choices = ErrorChoices.of(request.POST)
    pair = pair_of(collection, choices.query, choices.docno)
    system = collection.systems.select_related("collection").filter(name=choices.system).first()
    if system is None or pair is None:
        messages.warning(request, "This system or this pair was removed. Choose another error.")
        return redirect("error-browser", collection.slug)
    if "remove" in request.POST:
        untag_error(
            collection=collection, system=system.name, pair=pair, error_type=request.POST["remove"]
        )
        return redirect(f"{address_of(collection, choices)}#error")
    try:
        tag_error(
            system=system,
            pair=pair,
            error_type=request.POST.get("type") or request.POST.get("new_type", ""),
            note=request.POST.get("note", ""),
            tagged_by=person_of(request),
        )
    except TagError as error:
        messages.warning(request, str(error))
        return _page(request, collection, request.POST, status=422)
    return redirect(f"{address_of(collection, choices)}#error")


@in_collection(Role.ADMIN)
@require_safe
def tags_csv(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    """Every tag of every system."""
    tags = tags_of(collection).select_related(
        "pair__query__facet", "pair__candidate__document", "tagged_by"
    )
    tags = tags.order_by("system", "pair__query__name_order", "pair_id", "type")
    rows = tags.iterator(chunk_size=AT_ONCE)
    return whole_file(collection.slug, TAGS, rows)


@in_collection(Role.ADMIN)
@require_safe
def counts_csv(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    """The number of errors of each type, for each system."""
    return whole_file(collection.slug, COUNTS, type_counts(collection))
