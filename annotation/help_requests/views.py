"""The judge's pages: ask the admin about a pair, and read the answers."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.access import by_the_same_person, in_collection, person_of, roles_in, row_or_404
from accounts.models import JUDGES, JUDGES_AND_ADJUDICATORS, Collection
from annotation import queue
from annotation.help_requests.forms import AskForm
from annotation.help_requests.reading import requests_for
from annotation.help_requests.services import ask_for_help, mark_read
from annotation.services import JudgingError
from annotation.views import for_the_qualified, my_query, not_found_for_scripts
from corpus.models import Query
from web.requests.answers import outcome, wants_json
from web.sittings.responses import refused
from web.tables.cells import SHORT_PAGE_ROWS, numbered_page


@never_cache
@by_the_same_person
@not_found_for_scripts
@in_collection(*JUDGES)
@require_http_methods(["GET", "HEAD", "POST"])
@for_the_qualified
def ask_admin(
    request: HttpRequest, collection: Collection, name: str, token: str
) -> HttpResponseBase:
    """The form on a page of its own, or the question to save."""
    query = my_query(request, collection, name)
    slot = row_or_404(queue.own_slot(collection.slug, person_of(request), name, token))
    if request.method != "POST":
        return _ask_page(request, collection, query, token, AskForm(initial={"key": uuid.uuid4()}))
    form = AskForm(request.POST)
    if not form.is_valid() and "key" in form.errors:
        form.add_error(None, gettext("This question was incomplete. Send it again."))
    if not form.is_valid():
        error = JudgingError(_first_error(form))
        return refused(request, error, lambda: _ask_page(request, collection, query, token, form))
    data = form.cleaned_data
    try:
        ask_for_help(
            slot=slot,
            asker=person_of(request),
            text=data["text"],
            on_guideline=data["guideline"],
            key=data["key"],
        )
    except JudgingError as error:
        return refused(request, error, lambda: _ask_page(request, collection, query, token, form))
    if wants_json(request):
        return outcome(request)
    messages.success(
        request,
        gettext("Your question was sent. Judge the pair, or put it off until the answer is here."),
    )
    return redirect("judge-pair", collection.slug, query.name, token)


def _first_error(form: AskForm) -> str:
    return str(next(message for errors in form.errors.values() for message in errors))


def _ask_page(
    request: HttpRequest, collection: Collection, query: Query, token: str, form: AskForm
) -> HttpResponse:
    shown = queue.shown_pair(query, person_of(request), token)
    return render(
        request,
        "annotation/ask_admin.html",
        {
            "collection": collection,
            "query": query,
            "shown": row_or_404(shown),
            "form": form,
            "pair_url": reverse("judge-pair", args=[collection.slug, query.name, token]),
        },
    )


@never_cache
@in_collection(*JUDGES_AND_ADJUDICATORS)
@require_http_methods(["GET", "HEAD", "POST"])
def own_help_requests(request: HttpRequest, collection: Collection) -> HttpResponse:
    """The person's questions with their answers, and the answers for all. POST marks as read.

    With `request`, one answer alone is marked, and `then` names the query to go on with.
    """
    person = person_of(request)
    requests = requests_for(collection, person)
    if request.method == "POST":
        chosen, then = request.POST.get("request", ""), request.POST.get("then", "")
        if chosen:
            is_number = chosen.isdecimal() and chosen.isascii()
            requests = requests.filter(pk=int(chosen[:18])) if is_number else requests.none()
        mark_read(collection=collection, reader=person, requests=requests)
        place = (
            ("judge-query", collection.slug, then)
            if then
            else ("own-help-requests", collection.slug)
        )
        return redirect(*place)
    page = numbered_page(requests, request, size=SHORT_PAGE_ROWS)
    return render(
        request,
        "annotation/own_help_requests.html",
        {
            "collection": collection,
            "page": page,
            "person": person,
            "is_judge": bool(roles_in(collection, person).intersection(JUDGES)),
            "has_unread": any(row.is_answered and not row.is_read for row in page.rows),
        },
    )
