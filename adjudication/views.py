"""The adjudicator's pages. Every action is a plain form; a script only adds the keys."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import by_the_same_person, in_collection, person_of, row_or_404
from accounts.models import Collection, Role
from adjudication import queue
from adjudication.case_sidebar import case_sidebar
from adjudication.decided_table import DECIDED_CASES
from adjudication.forms import CANNOT, RulingForm
from adjudication.models import Decision
from adjudication.queue import ShownCase
from adjudication.referrals.reasons import referral_reason
from adjudication.services import (
    AdjudicationError,
    AlreadyDecided,
    BadRuling,
    JudgedByYou,
    NoSuchCase,
    decide,
)
from annotation.aspects import aspects_text, marked_sentences
from annotation.models import Pair
from annotation.views import not_found_for_scripts
from corpus.models import Query
from web.downloads import name_in_file
from web.requests.answers import refusal, wants_json
from web.sittings.responses import refused, saved
from web.tables.cells import numbered_page
from web.tables.columns import csv_file, wants_csv

PUT_OFF = "cases_put_off"  # in the session, so for one sitting
MOST_PUT_OFF = 200


@never_cache
@in_collection(Role.ADJUDICATOR)
@require_safe
def adjudicate(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Every query with cases, and the query to continue with."""
    user = person_of(request)
    queries = queue.queries_with_cases(collection, user)
    due = [row for row in queries if row.due]
    if due and "next" in request.GET:
        return redirect(_next_of_all(request, collection))
    due_page = numbered_page(due, request)
    decided_queries = [row for row in queries if not row.due]
    decided_page = numbered_page(decided_queries, request, name="decided", anchor="#decided")
    return render(
        request,
        "adjudication/adjudicate.html",
        {
            "collection": collection,
            "due": queue.query_cases(due_page.rows, user),
            "due_page": due_page,
            "decided": queue.query_cases(decided_page.rows, user),
            "decided_page": decided_page,
            "first": due[0] if due else None,
            "cases_due": sum(row.due for row in due),
            "holds_slots": queue.holds_slots(collection, user),
        },
    )


@never_cache
@in_collection(Role.ADJUDICATOR)
@require_safe
def adjudicate_query(request: HttpRequest, collection: Collection, name: str) -> HttpResponse:
    """Redirect to the next case, or to the decided cases."""
    query = _query(collection, name)
    if not sum(queue.counts(query, person_of(request)).values()):
        raise Http404(f"no cases of {name} for this adjudicator")
    return redirect(_next_url(request, collection, query))


@never_cache
@by_the_same_person
@not_found_for_scripts
@in_collection(Role.ADJUDICATOR)
@require_http_methods(["GET", "HEAD", "POST"])
def case(request: HttpRequest, collection: Collection, name: str, token: str) -> HttpResponseBase:
    """Show a case, or save its decision."""
    query = _query(collection, name)
    user = person_of(request)
    shown_case = queue.shown_case(query, user, token)
    if request.method == "POST":
        pair = queue.pair_to_decide(query, user, token)
        pair = row_or_404(pair, f"no pair {token} for this adjudicator")
        return _rule(request, collection, query, pair, shown_case)
    shown_case = row_or_404(shown_case, f"no case {token} for this adjudicator")
    if shown_case.decision and not shown_case.decision.is_own:
        messages.info(request, "Another adjudicator decided this case.")
        return redirect("adjudicate-decided", collection.slug, query.name)
    return _page(request, collection, query, shown_case)


def _rule(
    request: HttpRequest,
    collection: Collection,
    query: Query,
    pair: Pair,
    shown_case: ShownCase | None,
) -> HttpResponseBase:
    form = RulingForm(request.POST)
    try:
        if not form.is_valid():
            raise BadRuling("This ruling is incomplete. Give it again.")
        judgment_ids = queue.judgments_of_digest(pair, form.cleaned_data["seen"])
        decision = decide(
            pair_id=pair.pk,
            adjudicator=person_of(request),
            ruling=form.ruling(queue.judgments_on_page(query, pair, judgment_ids)),
            judgment_ids=judgment_ids,
            key=form.cleaned_data["key"],
            supersedes=form.cleaned_data["supersedes"],
            seconds=form.cleaned_data["seconds"],
        )
    except JudgedByYou as error:
        raise Http404(str(error)) from error
    except AdjudicationError as error:
        return _refusal_response(request, collection, query, shown_case, error)
    messages.success(request, _saved_message(query, decision, shown_case))
    next_url = _next_url(request, collection, query, request.POST.get("then", ""))
    return saved(request, next_url)


def _saved_message(query: Query, decision: Decision, shown_case: ShownCase | None) -> str:
    if decision.grade is None:
        return "Set aside: this pair gets no grade."
    name = query.opening.guideline.grades[decision.grade]["name"]
    message = f"Decided as {decision.grade}, {name.lower()}."
    if not shown_case or decision.grade in [card.grade for card in shown_case.cards]:
        return message
    if decision.note:
        return f"{message} This overrules both judges."
    page = reverse("case", args=[query.collection.slug, query.name, shown_case.token])
    return format_html(
        '{} This overrules both judges. <a href="{}?then=decided">Say why in a note</a>',
        *(message, page),
    )


def _refusal_response(
    request: HttpRequest,
    collection: Collection,
    query: Query,
    shown_case: ShownCase | None,
    error: AdjudicationError,
) -> HttpResponseBase:
    """Show why nothing was saved, above the case while it is still undecided."""
    if shown_case is not None and not isinstance(error, AlreadyDecided | NoSuchCase):
        return refused(
            request,
            error,
            lambda: _page(request, collection, query, shown_case, form_values=request.POST),
            level=messages.WARNING,
        )
    messages.warning(request, str(error))
    then = "all" if request.POST.get("then") == "all" else ""
    next_url = _next_url(request, collection, query, then)
    if wants_json(request):
        name = type(error).__name__
        return refusal(request, name, str(error), status=error.status, next=next_url)
    return redirect(next_url)


def _next_url(request: HttpRequest, collection: Collection, query: Query, then: str = "") -> str:
    """The address of the next due case, or of the decided cases, or of the queue.

    `then` says where the person came from: "decided", or "all" for the cases of all queries.
    """
    if then == "all":
        return _next_of_all(request, collection)
    user = person_of(request)
    token = queue.next_token(query, user, _put_off(request, collection))
    if token is not None and then != "decided":
        return reverse("case", args=[collection.slug, query.name, token])
    if queue.counts(query, user)["decided"]:
        return reverse("adjudicate-decided", args=[collection.slug, query.name])
    return reverse("adjudicate", args=[collection.slug])


def _next_of_all(request: HttpRequest, collection: Collection) -> str:
    """The address of the case with the largest difference in all queries, or of the queue."""
    case = queue.next_of_all(collection, person_of(request), _put_off(request, collection))
    if case is None:
        return reverse("adjudicate", args=[collection.slug])
    return f"{reverse('case', args=[collection.slug, case.query.name, case.token])}?then=all"


def _put_off(request: HttpRequest, collection: Collection) -> list[int]:
    """The pairs that the adjudicator put off since he or she logged in, in this order."""
    pairs: list[int] = request.session.get(PUT_OFF, {}).get(str(collection.pk), [])
    return pairs


@never_cache
@by_the_same_person
@in_collection(Role.ADJUDICATOR)
@require_POST
def case_later(request: HttpRequest, collection: Collection, name: str, token: str) -> HttpResponse:
    """Move the case behind all others until the adjudicator logs out."""
    query = _query(collection, name)
    pair = queue.pair_to_decide(query, person_of(request), token)
    pair = row_or_404(pair, f"no pair {token} for this adjudicator")
    others = [pk for pk in _put_off(request, collection) if pk != pair.pk]
    request.session[PUT_OFF] = {
        **request.session.get(PUT_OFF, {}),
        str(collection.pk): [*others, pair.pk][-MOST_PUT_OFF:],
    }
    then = "all" if request.POST.get("then") == "all" else ""
    next_url = _next_url(request, collection, query, then)
    if f"/{token}/" in next_url:
        messages.info(request, "This is the only case left, so it cannot be postponed.")
    return redirect(next_url)


@never_cache
@in_collection(Role.ADJUDICATOR)
@require_safe
def case_undo(request: HttpRequest, collection: Collection, name: str) -> HttpResponse:
    """Go back to the case decided last; from a decided case, to the one before it."""
    query = _query(collection, name)
    user, seen_from = person_of(request), request.GET.get("from", "")
    if request.GET.get("then") == "all":
        before = queue.case_before(collection, user, query, seen_from)
        if before is not None:
            return redirect(f"{reverse('case', args=[collection.slug, *before])}?then=all")
    token = queue.token_before(query, user, seen_from)
    if token is not None:
        return redirect("case", collection.slug, query.name, token)
    messages.info(request, "Nothing to undo: you have not decided an earlier case.")
    return redirect("adjudicate-query", collection.slug, query.name)


@never_cache
@in_collection(Role.ADJUDICATOR)
@require_safe
def adjudicate_decided(request: HttpRequest, collection: Collection, name: str) -> HttpResponseBase:
    """The decided cases of a query; when nothing is due any more, also its end."""
    query = _query(collection, name)
    user = person_of(request)
    counts = queue.counts(query, user)
    if not sum(counts.values()):
        raise Http404(f"no cases of {name} for this adjudicator")
    decided_cases = queue.decided_cases(query, user)
    if wants_csv(request):
        columns = DECIDED_CASES.shown(request)
        return csv_file(
            f"{collection.slug}-decided-cases-{name_in_file(query.name)}",
            columns,
            decided_cases,
        )
    next_queries = [
        row
        for row in queue.queries_with_cases(collection, user)
        if row.due and row.query_id != query.pk
    ]
    return render(
        request,
        "adjudication/decided.html",
        {
            "collection": collection,
            "query": query,
            "title": query.query_paper.title,
            "decided": numbered_page(decided_cases, request),
            "overruled": sum(line.overruled for line in decided_cases),
            "set_aside": sum(line.final is None for line in decided_cases),
            "counts": counts,
            "next": next_queries[0] if next_queries else None,
        },
    )


@never_cache
@in_collection(Role.ADJUDICATOR)
@require_safe
def adjudicate_settled(request: HttpRequest, collection: Collection, name: str) -> HttpResponse:
    """The old address of the decided cases."""
    query = _query(collection, name)
    return redirect("adjudicate-decided", collection.slug, query.name, permanent=True)


def _page(
    request: HttpRequest,
    collection: Collection,
    query: Query,
    shown_case: ShownCase,
    form_values: Any = None,
) -> HttpResponse:
    user = person_of(request)
    guideline = query.opening.guideline
    decision = shown_case.decision
    put_off = _put_off(request, collection)
    sidebar = case_sidebar(collection, user, query, shown_case.token, put_off)
    asked = request.POST.get("then") or request.GET.get("then", "")
    then = asked if asked in ("decided", "all") else ""
    saved_values = (
        {"note": decision.note, "reason": decision.own_words}
        if decision
        else {"note": "", "reason": ""}
    )
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
            "query_text": shown_case.query,
            "query_marks": marked_sentences(
                {card.letter.upper(): card.aspects for card in shown_case.cards},
                query.aspect_names,
            ),
            "shown": shown_case,
            "referral_reason": referral_reason(query, shown_case.token),
            "sidebar": sidebar,
            "is_put_off": any(
                case.is_put_off for case in sidebar.cases if case.token == shown_case.token
            ),
            "cards": [
                {
                    **card._asdict(),
                    "reason_text": card.reason_text,
                    "about": aspects_text(card.aspects, query.aspect_names),
                    "name": "" if card.grade is None else guideline.grades[card.grade]["name"],
                }
                for card in shown_case.cards
            ],
            "grades": [
                {**grade, "relation": _relation(grade["grade"], shown_case)}
                for grade in guideline.grades
            ],
            "typed": form_values or saved_values,
            "cannot": CANNOT,
            "counts": queue.all_counts(collection, user)
            if then == "all"
            else queue.counts(query, user),
            "then": then,
        },
    )


def _relation(grade: int, shown_case: ShownCase) -> str:
    """The relation of this grade to the two judgments."""
    letters = [card.letter.upper() for card in shown_case.cards if card.grade == grade]
    if len(letters) > 1:
        return "as both say"
    return f"as {letters[0]} says" if letters else "overrules both"


def _query(collection: Collection, name: str) -> Query:
    query = queue.query_to_decide(collection, name)
    return row_or_404(query, f"no query {name} open in this collection")
