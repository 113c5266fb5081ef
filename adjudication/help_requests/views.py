"""The adjudicator's page: ask the admin about a case."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.access import by_the_same_person, in_collection, person_of, row_or_404
from accounts.models import Collection, Role
from adjudication import queue
from adjudication.errors import JudgedByYou
from adjudication.help_requests.services import ask_about_case
from adjudication.queue import ShownCase
from adjudication.views import for_seniors
from annotation.help_requests.forms import AskForm
from corpus.models import Query
from web.errors import UserFacingError


@never_cache
@by_the_same_person
@in_collection(Role.ADJUDICATOR)
@require_http_methods(["GET", "HEAD", "POST"])
@for_seniors
def ask_admin_about_case(
    request: HttpRequest, collection: Collection, name: str, token: str
) -> HttpResponseBase:
    """The form on a page of its own, or the question to save. Then the case is shown again."""
    query = row_or_404(queue.query_to_decide(collection, name), f"no query {name}")
    shown = row_or_404(queue.shown_case(query, person_of(request), token), f"no case {token}")
    if shown.decision and not shown.decision.is_own:
        raise Http404("another adjudicator decided this case")
    if request.method != "POST":
        return _page(request, collection, query, shown, AskForm(initial={"key": uuid.uuid4()}))
    form = AskForm(request.POST)
    if not form.is_valid():
        return _page(request, collection, query, shown, form, status=400)
    try:
        ask_about_case(
            pair_id=shown.pair_id,
            asker=person_of(request),
            text=form.cleaned_data["text"],
            on_guideline=form.cleaned_data["guideline"],
            key=form.cleaned_data["key"],
        )
    except JudgedByYou as error:
        raise Http404(str(error)) from error
    except UserFacingError as error:
        form.add_error(None, str(error))
        return _page(request, collection, query, shown, form, status=error.status)
    messages.success(
        request,
        gettext("Your question was sent. Decide the case, or put it off until the answer is here."),
    )
    return redirect(_case_url(request, collection, query, token))


def _then(request: HttpRequest) -> str:
    return request.POST.get("then") or request.GET.get("then", "")


def _case_url(request: HttpRequest, collection: Collection, query: Query, token: str) -> str:
    then = _then(request)
    kept = f"?{urlencode({'then': then})}" if then in ("decided", "all") else ""
    return f"{reverse('case', args=[collection.slug, query.name, token])}{kept}"


def _page(
    request: HttpRequest,
    collection: Collection,
    query: Query,
    shown: ShownCase,
    form: AskForm,
    status: int = 200,
) -> HttpResponse:
    return render(
        request,
        "annotation/ask_admin.html",
        {
            "collection": collection,
            "query": query,
            "shown": shown,
            "form": form,
            "is_case": True,
            "then": _then(request),
            "pair_url": _case_url(request, collection, query, shown.token),
        },
        status=status,
    )
