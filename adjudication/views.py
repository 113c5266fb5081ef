"""The adjudicator's pages. Every action is a plain form; a script only adds the keys."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import in_collection
from accounts.models import Collection, Role, User
from adjudication import queue
from adjudication.forms import CANNOT, RulingForm
from adjudication.models import Decision
from adjudication.queue import ShownCase
from adjudication.services import (
    AdjudicationError,
    AlreadyDecided,
    BadRuling,
    JudgedByYou,
    NoSuchCase,
    decide,
)
from annotation.models import Pair
from annotation.views import (
    by_the_same_person,
    not_found_for_scripts,
    outcome,
    person,
    refusal,
    wants_json,
)
from corpus.models import Query


@never_cache
@in_collection(Role.ADJUDICATOR)
@require_safe
def adjudicate(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Every query with cases, and the one to go on with."""
    user = person(request)
    dockets = queue.dockets(collection, user)
    due = [docket for docket in dockets if docket.due]
    return render(
        request,
        "adjudication/adjudicate.html",
        {
            "collection": collection,
            "due": due,
            "settled": [docket for docket in dockets if not docket.due],
            "cases_due": sum(docket.due for docket in due),
            "holds_slots": queue.holds_slots(collection, user),
        },
    )


@never_cache
@in_collection(Role.ADJUDICATOR)
@require_safe
def adjudicate_query(request: HttpRequest, collection: Collection, name: str) -> HttpResponse:
    """Go on: at the next case, or at what is settled."""
    query = _query(collection, name)
    if not sum(queue.counts(query, person(request)).values()):
        raise Http404(f"no cases of {name} for this adjudicator")
    return redirect(_onward(collection, query, person(request)))


@never_cache
@by_the_same_person
@not_found_for_scripts
@in_collection(Role.ADJUDICATOR)
@require_http_methods(["GET", "HEAD", "POST"])
def case(request: HttpRequest, collection: Collection, name: str, token: str) -> HttpResponseBase:
    """One case: shown, or decided."""
    query = _query(collection, name)
    user = person(request)
    shown = queue.shown_case(query, user, token)
    if request.method == "POST":
        pair = queue.pair_to_settle(query, user, token)
        if pair is None:
            raise Http404(f"no pair {token} for this adjudicator")
        return _rule(request, collection, query, pair, shown)
    if shown is None:
        raise Http404(f"no case {token} for this adjudicator")
    if shown.ruled and not shown.ruled.mine:
        messages.info(request, "Another adjudicator settled this case; that decision stands.")
        return redirect("adjudicate-settled", collection.slug, query.name)
    return _page(request, collection, query, shown)


def _rule(
    request: HttpRequest,
    collection: Collection,
    query: Query,
    pair: Pair,
    shown: ShownCase | None,
) -> HttpResponseBase:
    form = RulingForm(request.POST)
    try:
        if not form.is_valid():
            raise BadRuling("This ruling is incomplete; give it again.")
        seen = queue.judgments_seen(pair, form.cleaned_data["seen"])
        decision = decide(
            pair_id=pair.pk,
            adjudicator=person(request),
            ruling=form.ruling(queue.cards_seen(query, pair, seen)),
            seen=seen,
            key=form.cleaned_data["key"],
            supersedes=form.cleaned_data["supersedes"],
        )
    except JudgedByYou as error:
        raise Http404(str(error)) from error
    except AdjudicationError as error:
        return _refused(request, collection, query, shown, error)
    messages.success(request, _said(query, decision, shown))
    onward = _onward(collection, query, person(request), request.POST.get("then", ""))
    return outcome(request, next=onward) if wants_json(request) else redirect(onward)


def _said(query: Query, decision: Decision, shown: ShownCase | None) -> str:
    if decision.grade is None:
        return "Set aside: this pair gets no grade."
    name = query.opening.guideline.grades[decision.grade]["name"]
    said = f"Settled as {decision.grade}, {name.lower()}."
    neither = shown and decision.grade not in [card.grade for card in shown.cards]
    return f"{said} This overrules both judges." if neither else said


def _refused(
    request: HttpRequest,
    collection: Collection,
    query: Query,
    shown: ShownCase | None,
    error: AdjudicationError,
) -> HttpResponseBase:
    """Say why nothing was saved; over the case as it is now, where it is still to be settled."""
    status = 400 if isinstance(error, BadRuling) else 409
    name, message = type(error).__name__, str(error)
    here = shown is not None and not isinstance(error, AlreadyDecided | NoSuchCase)
    if here and wants_json(request):
        return refusal(request, name, message, status=status)
    messages.warning(request, message)
    if shown is None or not here:
        onward = _onward(collection, query, person(request))
        if wants_json(request):
            return refusal(request, name, message, status=status, next=onward)
        return redirect(onward)
    page = _page(request, collection, query, shown, typed=request.POST)
    page.status_code = status
    return page


def _onward(collection: Collection, query: Query, user: User, then: str = "") -> str:
    """The next due case; else what is settled of this query; else the queue."""
    token = queue.next_token(query, user)
    if token is not None and then != "settled":
        return reverse("case", args=[collection.slug, query.name, token])
    if queue.counts(query, user)["settled"]:
        return reverse("adjudicate-settled", args=[collection.slug, query.name])
    return reverse("adjudicate", args=[collection.slug])


@never_cache
@in_collection(Role.ADJUDICATOR)
@require_safe
def case_back(request: HttpRequest, collection: Collection, name: str) -> HttpResponse:
    """Go back to the case settled last; from a settled case, to the one before it."""
    query = _query(collection, name)
    token = queue.token_before(query, person(request), request.GET.get("from", ""))
    if token is not None:
        return redirect("case", collection.slug, query.name, token)
    messages.info(request, "There is nothing to go back to: you have not settled an earlier case.")
    return redirect("adjudicate-query", collection.slug, query.name)


@never_cache
@in_collection(Role.ADJUDICATOR)
@require_safe
def adjudicate_settled(request: HttpRequest, collection: Collection, name: str) -> HttpResponse:
    """What is settled of a query; when nothing is due any more, also its end."""
    query = _query(collection, name)
    user = person(request)
    counts = queue.counts(query, user)
    if not sum(counts.values()):
        raise Http404(f"no cases of {name} for this adjudicator")
    settled = queue.settled_cases(query, user)
    waiting = [docket for docket in queue.dockets(collection, user) if docket.due]
    return render(
        request,
        "adjudication/settled.html",
        {
            "collection": collection,
            "query": query,
            "title": query.query_paper.document.title,
            "settled": settled,
            "overruled": sum(line.overruled for line in settled),
            "set_aside": sum(line.final is None for line in settled),
            "counts": counts,
            "next": next((docket for docket in waiting if docket.query != query), None),
        },
    )


def _page(
    request: HttpRequest,
    collection: Collection,
    query: Query,
    shown: ShownCase,
    typed: Any = None,
) -> HttpResponse:
    user = person(request)
    guideline = query.opening.guideline
    ruled = shown.ruled
    kept = {"note": ruled.note, "reason": ruled.own_words} if ruled else {"note": "", "reason": ""}
    return render(
        request,
        "adjudication/case.html",
        {
            "collection": collection,
            "query": query,
            "back_url": reverse("adjudicate", args=[collection.slug]),
            "back_name": "Cases",
            "guideline": guideline,
            "show_guideline": "guideline" in request.GET,
            "query_text": shown.query,
            "shown": shown,
            "cards": [_named(card, guideline.grades) for card in shown.cards],
            "grades": [
                {**grade, "relation": _relation(grade["grade"], shown)}
                for grade in guideline.grades
            ],
            "typed": typed or kept,
            "cannot": CANNOT,
            "counts": queue.counts(query, user),
            "then": "settled" if request.GET.get("then") == "settled" else "",
        },
    )


def _named(card: queue.Card, grades: list[dict[str, Any]]) -> dict[str, Any]:
    name = "" if card.grade is None else grades[card.grade]["name"]
    return {**card._asdict(), "why": card.why, "name": name}


def _relation(grade: int, shown: ShownCase) -> str:
    """What choosing this grade says of the two judges."""
    agreeing = [card.letter.upper() for card in shown.cards if card.grade == grade]
    return f"as {agreeing[0]} says" if agreeing else "overrules both"


def _query(collection: Collection, name: str) -> Query:
    query = queue.query_to_settle(collection, name)
    if query is None:
        raise Http404(f"no query {name} open in this collection")
    return query
