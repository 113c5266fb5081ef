"""The adjudicator's pages. Every action is a plain form; a script only adds the keys."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import by_the_same_person, in_collection, person_of, row_or_404
from accounts.models import Collection, Role
from adjudication import queue
from adjudication.blind.reading import has_checked, typed_before
from adjudication.blind.services import rate_blind
from adjudication.case_sidebar import case_sidebar
from adjudication.claims.reading import claimed_by_others, has_other_adjudicators, live_claims
from adjudication.claims.services import claim_next, claim_pair, release_claim
from adjudication.decided_table import DECIDED_CASES
from adjudication.errors import (
    AdjudicationError,
    AlreadyDecided,
    BadRuling,
    ClaimedByAnother,
    JudgedByYou,
    NoSuchCase,
    NotSenior,
)
from adjudication.forms import CANNOT, RulingForm
from adjudication.models import BlindRating, Case, Decision
from adjudication.questions.reading import asking_of, questions_to_others
from adjudication.queue import ShownCase
from adjudication.referrals.reasons import referral_reason
from adjudication.services import decide
from adjudication.tiers import check_senior
from annotation.aspects import marked_sentences
from annotation.models import Pair
from annotation.qualifications.standing import must_be_senior
from annotation.queue import shown_aspects
from annotation.views import not_found_for_scripts
from corpus.models import Query
from web.downloads import name_in_file
from web.requests.answers import refusal, wants_json
from web.sittings.responses import refused, saved
from web.tables.cells import numbered_page
from web.tables.columns import csv_file, wants_csv

PUT_OFF = "cases_put_off"  # in the session, so for one sitting
MOST_PUT_OFF = 200


def for_seniors(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Refuse a page of cases to a person whom the collection's tiers leave out."""

    @wraps(view)
    def wrapped(request: HttpRequest, collection: Collection, **arguments: Any) -> HttpResponseBase:
        try:
            check_senior(collection, person_of(request))
            return view(request, collection, **arguments)
        except NotSenior as error:
            if wants_json(request):
                return refusal(request, type(error).__name__, str(error), status=error.status)
            messages.error(request, str(error))
            return redirect("adjudicate", collection.slug)

    return wrapped


@never_cache
@in_collection(Role.ADJUDICATOR)
@require_http_methods(["GET", "HEAD", "POST"])
def adjudicate(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Every query with cases, and the query to continue with. POST opens the next case of all."""
    user = person_of(request)
    if request.method == "POST":
        return redirect(_open_next_of_all(request, collection))
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
            "must_be_senior": must_be_senior(collection, user),
            "waiting": questions_to_others(collection, user).open().count(),
        },
    )


@never_cache
@in_collection(Role.ADJUDICATOR)
@for_seniors
@require_http_methods(["GET", "HEAD", "POST"])
def adjudicate_query(request: HttpRequest, collection: Collection, name: str) -> HttpResponse:
    """Redirect to the next case, or to the decided cases. POST claims the case."""
    query = _query(collection, name)
    if not sum(queue.counts(query, person_of(request)).values()):
        raise Http404(f"no cases of {name} for this adjudicator")
    if request.method == "POST":
        return redirect(_open_next(request, collection, query))
    return redirect(_next_url(request, collection, query))


@never_cache
@by_the_same_person
@not_found_for_scripts
@in_collection(Role.ADJUDICATOR)
@require_http_methods(["GET", "HEAD", "POST"])
@for_seniors
def case(request: HttpRequest, collection: Collection, name: str, token: str) -> HttpResponseBase:
    """Show a case, or save its decision."""
    query = _query(collection, name)
    user = person_of(request)
    shown_case = queue.shown_case(query, user, token)
    if request.method == "POST":
        pair = queue.pair_to_decide(query, user, token)
        pair = row_or_404(pair, f"no pair {token} for this adjudicator")
        return _rule(request, collection, query, pair, shown_case)
    if shown_case is None and has_checked(query, user, token):
        messages.info(request, gettext("You graded this pair. It needs no decision."))
        return redirect("adjudicate", collection.slug)
    shown_case = row_or_404(shown_case, f"no case {token} for this adjudicator")
    if shown_case.decision and not shown_case.decision.is_own:
        messages.info(request, gettext("Another adjudicator decided this case."))
        return redirect("adjudicate-decided", collection.slug, query.name)
    if shown_case.waits:
        messages.info(request, gettext("This case waits for the answers of its judges."))
        return redirect("case-questions", collection.slug)
    if shown_case.pair_id in claimed_by_others(collection, user):
        messages.info(request, gettext("Another adjudicator has this case open."))
        return redirect("adjudicate", collection.slug)
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
            raise BadRuling(gettext("This ruling is incomplete. Give it again."))
        judgment_ids = queue.judgments_of_digest(pair, form.cleaned_data["seen"])
        if form.cleaned_data["blind"]:
            rating = rate_blind(
                pair_id=pair.pk,
                adjudicator=person_of(request),
                ruling=form.ruling([]),
                judgment_ids=judgment_ids,
                key=form.cleaned_data["key"],
                seconds=form.cleaned_data["seconds"],
            )
            return _after_blind_rating(request, collection, query, pair, rating)
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
    return saved(request, _open_next(request, collection, query, request.POST.get("then", "")))


def _after_blind_rating(
    request: HttpRequest, collection: Collection, query: Query, pair: Pair, rating: BlindRating
) -> HttpResponse:
    """A case is shown with both judgments; a spot check is done, so the next one comes."""
    then = request.POST.get("then", "")
    if rating.is_spot_check:
        messages.success(request, gettext("Saved. This pair needs no decision."))
        return saved(request, _open_next(request, collection, query, then))
    page = reverse("case", args=[collection.slug, query.name, pair.token])
    return saved(request, f"{page}?then={then}" if then in ("decided", "all") else page)


def _saved_message(query: Query, decision: Decision, shown_case: ShownCase | None) -> str:
    if decision.grade is None:
        return gettext("Set aside: this pair gets no grade.")
    name = query.opening.guideline.grades[decision.grade]["name"]
    message = gettext("Decided as %(grade)s, %(name)s.") % {
        "grade": decision.grade,
        "name": name.lower(),
    }
    if not shown_case or decision.grade in [card.grade for card in shown_case.cards]:
        return message
    if decision.note:
        return " ".join((message, gettext("This overrules both judges.")))
    page = reverse("case", args=[query.collection.slug, query.name, shown_case.token])
    return format_html(
        '{} {} <a href="{}?then=decided">{}</a>',
        *(message, gettext("This overrules both judges."), page, gettext("Say why in a note")),
    )


def _refusal_response(
    request: HttpRequest,
    collection: Collection,
    query: Query,
    shown_case: ShownCase | None,
    error: AdjudicationError,
) -> HttpResponseBase:
    """Show why nothing was saved, above the case while it is still undecided."""
    if shown_case is not None and not isinstance(
        error, AlreadyDecided | NoSuchCase | ClaimedByAnother
    ):
        return refused(
            request,
            error,
            lambda: _page(request, collection, query, shown_case, form_values=request.POST),
            level=messages.WARNING,
        )
    note = request.POST.get("note", "").strip() or request.POST.get("reason", "").strip()
    # A script keeps it in the browser. Without one, this is the last place where it can be read.
    kept = ""
    if note and not wants_json(request):
        kept = " " + gettext("Your note was: %(note)s") % {"note": note}
    messages.warning(request, f"{error}{kept}")
    then = "all" if request.POST.get("then") == "all" else ""
    next_url = _open_next(request, collection, query, then)
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
    return _url_of(request, collection, query, None if then == "decided" else token)


def _url_of(request: HttpRequest, collection: Collection, query: Query, token: str | None) -> str:
    """The address of this case; without one that of the decided cases, or of the queue."""
    user = person_of(request)
    if token is not None:
        return reverse("case", args=[collection.slug, query.name, token])
    if queue.counts(query, user)["decided"]:
        return reverse("adjudicate-decided", args=[collection.slug, query.name])
    return reverse("adjudicate", args=[collection.slug])


def _next_of_all(request: HttpRequest, collection: Collection) -> str:
    """The address of the case with the largest difference in all queries, or of the queue."""
    case = queue.next_of_all(collection, person_of(request), _put_off(request, collection))
    return _url_of_all(collection, case)


def _url_of_all(collection: Collection, case: Case | None) -> str:
    if case is None:
        return reverse("adjudicate", args=[collection.slug])
    return f"{reverse('case', args=[collection.slug, case.query.name, case.token])}?then=all"


def _open_next(request: HttpRequest, collection: Collection, query: Query, then: str = "") -> str:
    """As `_next_url`, and the case of that address is claimed. Only for a POST."""
    if then == "all":
        return _open_next_of_all(request, collection)
    if then == "decided":
        return _next_url(request, collection, query, then)
    user, put_off = person_of(request), _put_off(request, collection)
    found = claim_next(
        find=lambda: queue.next_case(query, user, put_off),
        pair_of=lambda case: case.pk,
        adjudicator=user,
    )
    return _url_of(request, collection, query, found.token if found else None)


def _open_next_of_all(request: HttpRequest, collection: Collection) -> str:
    user, put_off = person_of(request), _put_off(request, collection)
    found = claim_next(
        find=lambda: queue.next_of_all(collection, user, put_off),
        pair_of=lambda case: case.pk,
        adjudicator=user,
    )
    if found is None and queue.all_counts(collection, user)["due"]:
        messages.info(
            request,
            gettext(
                "Other adjudicators have all remaining cases open. "
                "A case that is not decided comes back after 15 minutes."
            ),
        )
    return _url_of_all(collection, found)


def _put_off(request: HttpRequest, collection: Collection) -> list[int]:
    """The pairs that the adjudicator put off since he or she logged in, in this order."""
    pairs: list[int] = request.session.get(PUT_OFF, {}).get(str(collection.pk), [])
    return pairs


@never_cache
@by_the_same_person
@in_collection(Role.ADJUDICATOR)
@require_POST
@for_seniors
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
    release_claim(pair_id=pair.pk, adjudicator_id=person_of(request).pk)
    next_url = _open_next(request, collection, query, then)
    if f"/{token}/" in next_url:
        messages.info(request, gettext("This is the only case left, so it cannot be postponed."))
    return redirect(next_url)


@never_cache
@by_the_same_person
@not_found_for_scripts
@in_collection(Role.ADJUDICATOR)
@require_POST
def case_claim(
    request: HttpRequest, collection: Collection, name: str, token: str
) -> HttpResponseBase:
    """Claim the case on screen, or renew the claim."""
    query = _query(collection, name)
    user = person_of(request)
    pair = queue.pair_to_decide(query, user, token)
    pair = row_or_404(pair, f"no pair {token} for this adjudicator")
    try:
        claim_pair(pair_id=pair.pk, adjudicator=user)
    except JudgedByYou as error:
        raise Http404(str(error)) from error
    except AdjudicationError as error:
        if wants_json(request):
            return refusal(request, type(error).__name__, str(error), status=error.status)
        messages.warning(request, str(error))
        return redirect("adjudicate", collection.slug)
    return saved(request, reverse("case", args=[collection.slug, query.name, token]))


@never_cache
@in_collection(Role.ADJUDICATOR)
@require_safe
@for_seniors
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
    messages.info(request, gettext("Nothing to undo: you have not decided an earlier case."))
    return redirect("adjudicate-query", collection.slug, query.name)


@never_cache
@in_collection(Role.ADJUDICATOR)
@require_safe
@for_seniors
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
    claims = live_claims(collection)
    held = {pair for pair, person in claims.items() if person != user.pk}
    is_claimed = shown_case.pair_id in claims.keys() - held
    sidebar = case_sidebar(collection, user, query, shown_case.token, put_off=put_off, held=held)
    asking = asking_of(query, shown_case)
    asked = request.POST.get("then") or request.GET.get("then", "")
    then = asked if asked in ("decided", "all") else ""
    rating = shown_case.blind_rating
    saved_values = {"note": "", "reason": ""}
    if decision:
        saved_values = {"note": decision.note, "reason": decision.own_words}
    elif rating:
        saved_values = typed_before(rating)
    return render(
        request,
        "adjudication/case.html",
        {
            "collection": collection,
            "query": query,
            "back_url": reverse("adjudicate", args=[collection.slug]),
            "back_name": gettext("Cases"),
            "guideline": guideline,
            "show_guideline": "guideline" in request.GET,
            "query_text": shown_case.query,
            "query_marks": marked_sentences(
                {card.letter.upper(): card.aspects for card in shown_case.cards},
                query.aspect_names,
            ),
            "shown": shown_case,
            "blind_reason": queue.reason_and_note(rating)[0] if rating else "",
            # It may tell the grades, and a spot check has none.
            "referral_reason": ""
            if shown_case.is_blind
            else referral_reason(query, shown_case.token),
            "is_claimed": is_claimed,
            "may_claim": not (decision or is_claimed) and has_other_adjudicators(collection, user),
            "sidebar": sidebar,
            "asking": asking,
            "ask_key": uuid.uuid4(),
            "is_put_off": any(
                case.is_put_off for case in sidebar.cases if case.token == shown_case.token
            ),
            "cards": [
                {
                    **card._asdict(),
                    "reason_text": card.reason_text,
                    "about": shown_aspects(card.aspects, query.aspect_names),
                    "name": "" if card.grade is None else guideline.grades[card.grade]["name"],
                    "before": asking.before.get(card.letter),
                }
                for card in shown_case.cards
            ],
            "grades": [
                {
                    **grade,
                    "relation": _relation(grade["grade"], shown_case),
                    "overrules": _overrules(grade["grade"], shown_case),
                }
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
    """The relation of this grade to the two judgments, and to the own blind grade."""
    if shown_case.is_blind:
        return ""
    rating = shown_case.blind_rating
    relation = _relation_to_judgments(grade, shown_case)
    if rating is None or rating.grade != grade:
        return relation
    return gettext("%(relation)s, as you said") % {"relation": relation}


def _overrules(grade: int, shown_case: ShownCase) -> bool:
    return not shown_case.is_blind and grade not in [card.grade for card in shown_case.cards]


def _relation_to_judgments(grade: int, shown_case: ShownCase) -> str:
    letters = [card.letter.upper() for card in shown_case.cards if card.grade == grade]
    if len(letters) > 1:
        return gettext("as both say")
    return (
        gettext("as %(letter)s says") % {"letter": letters[0]}
        if letters
        else gettext("overrules both")
    )


def _query(collection: Collection, name: str) -> Query:
    query = queue.query_to_decide(collection, name)
    return row_or_404(query, f"no query {name} open in this collection")
