"""The annotator's pages. Every action is a plain form; a script only makes them faster."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import (
    by_the_same_person,
    in_collection,
    not_found_as_json,
    person_of,
    refuse_archived,
    row_or_404,
)
from accounts.models import JUDGES, Collection
from annotation import queue
from annotation.consent.reading import has_consented
from annotation.consent.services import check_consent
from annotation.forms import CANNOT, AnswerForm
from annotation.guidelines.readings import must_read, unread_guidelines
from annotation.help_requests.reading import may_have_help, news_of_facet
from annotation.models import Reason
from annotation.own_table import OWN_JUDGMENTS
from annotation.proposals.rule import is_due
from annotation.qualifications.standing import must_qualify
from annotation.questions.reading import asked_pairs
from annotation.queue import ShownPair
from annotation.services import (
    BadAnswer,
    ConsentMissing,
    JudgingError,
    NotQualified,
    check_qualified,
    postpone,
    submit_judgment,
)
from annotation.slot_sql import OwnSlot
from annotation.workspace import (
    THEN_MINE,
    THEN_NEXT,
    WorkspacePlace,
    own_judgments_page,
    wanted_ahead,
    workspace,
)
from corpus.models import Query
from web.downloads import name_in_file
from web.languages.choice import translated
from web.requests.answers import outcome, refusal, wants_json, wants_part
from web.sittings.responses import refused
from web.tables.cells import numbered_page
from web.tables.columns import csv_file, wants_csv

not_found_for_scripts = not_found_as_json(gettext_lazy("This pair is no longer assigned to you."))


def for_the_qualified(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Refuse a page of the live queue to a person who must agree or qualify first."""

    @wraps(view)
    def wrapped(request: HttpRequest, collection: Collection, **arguments: Any) -> HttpResponseBase:
        try:
            check_consent(collection, person_of(request))
            check_qualified(collection, person_of(request))
            return view(request, collection, **arguments)
        except ConsentMissing as error:
            return to_the_consent(request, collection, error, then=arguments["name"])
        except NotQualified as error:
            return _to_training(request, collection, error)

    return wrapped


def to_the_consent(
    request: HttpRequest, collection: Collection, error: ConsentMissing, *, then: str
) -> HttpResponseBase:
    """Lead to the text, and from there to the query `then`."""
    if wants_json(request) or wants_part(request):
        return refusal(request, type(error).__name__, str(error), status=error.status)
    page = reverse("consent", args=[collection.slug])
    return redirect(f"{page}?{urlencode({'then': then})}")


def _to_training(
    request: HttpRequest, collection: Collection, error: NotQualified
) -> HttpResponseBase:
    if wants_json(request) or wants_part(request):
        return refusal(request, type(error).__name__, str(error), status=error.status)
    messages.error(request, str(error))
    return redirect("judge", collection.slug)


@never_cache
@in_collection(*JUDGES)
@require_safe
def judge(request: HttpRequest, collection: Collection) -> HttpResponse:
    """The annotator's queries with their progress, and the query to continue with."""
    user = person_of(request)
    pace = queue.pace(collection, user)
    own_queries = queue.own_queries(collection, user, pace)
    waits_for_training = must_qualify(collection, user)
    unfinished = [row for row in own_queries if not row.progress.finished]
    waiting = [] if waits_for_training else unfinished
    if waiting and "next" in request.GET:
        return redirect("judge-query", collection.slug, waiting[0].name)
    pairs_left = sum(row.progress.remaining for row in waiting)
    finished = [row for row in own_queries if row.progress.finished]
    return render(
        request,
        "annotation/judge.html",
        {
            "collection": collection,
            "waiting": waiting,
            "must_qualify": waits_for_training,
            "must_consent": not has_consented(collection, user),
            "pairs_waiting": sum(row.progress.remaining for row in unfinished),
            "asked_page": numbered_page(
                asked_pairs(collection, user), request, name="asked", anchor="#asked"
            ),
            "unread": [] if waits_for_training else unread_guidelines(collection, user),
            "waiting_page": numbered_page(waiting, request),
            "finished_page": numbered_page(finished, request, name="finished", anchor="#finished"),
            "pairs_left": pairs_left,
            "time_left": queue.rough_time(pace.minutes(pairs_left)),
        },
    )


@never_cache
@in_collection(*JUDGES)
@require_safe
@for_the_qualified
def judge_query(request: HttpRequest, collection: Collection, name: str) -> HttpResponse:
    """The next pair, or a redirect to my judgments when all pairs are judged."""
    query = my_query(request, collection, name)
    following = queue.pairs_ahead(query, person_of(request), count=1)
    if not following:
        return redirect("judge-mine", collection.slug, query.name)
    return _workspace(request, collection, query, following[0])


@never_cache
@by_the_same_person
@not_found_for_scripts
def judge_pair(request: HttpRequest, slug: str, name: str, token: str) -> HttpResponseBase:
    """Show a pair, or save its judgment."""
    view = _answer if request.method == "POST" else _show
    return view(request, slug=slug, name=name, token=token)


@in_collection(*JUDGES)
@require_http_methods(["GET", "HEAD", "POST"])
@for_the_qualified
def _show(request: HttpRequest, collection: Collection, name: str, token: str) -> HttpResponseBase:
    query = my_query(request, collection, name)
    shown = _shown(request, query, token)
    if wants_part(request):
        return render(
            request,
            "annotation/_pairs.html",
            {"query_url": _query_url(collection, query), "pairs": [shown]},
        )
    return _workspace(request, collection, query, shown)


@translated
@refuse_archived
def _answer(request: HttpRequest, slug: str, name: str, token: str) -> HttpResponseBase:
    """Without `in_collection`: the slot is found with the role, in one statement."""
    slot = _my_slot(request, slug, name, token)
    form = AnswerForm(request.POST)
    if not form.is_valid():
        error = BadAnswer(gettext("This answer is incomplete. Give it again."))
        return _refused(request, slug=slug, name=name, token=token, error=error)
    try:
        judgment = submit_judgment(
            slot_id=slot.pk,
            annotator=person_of(request),
            answer=form.to_answer(),
            presentation_digest=form.cleaned_data["presentation"],
            key=form.cleaned_data["key"],
            supersedes=form.cleaned_data["supersedes"],
            seconds=form.cleaned_data["seconds"],
            rows=slot.rows,
        )
    except JudgingError as error:
        return _refused(request, slug=slug, name=name, token=token, error=error)
    proposal_url = ""
    if is_due(judgment.proposed_grade, judgment.grade):
        proposal_url = reverse("judge-proposal", args=[slug, name, token])
    return _saved(request, slug, name, slot, proposal_url)


def _saved(
    request: HttpRequest, slug: str, name: str, slot: OwnSlot, proposal_url: str = ""
) -> HttpResponseBase:
    """Go on to the next pair, or to the grade that is proposed now that the own one is saved."""
    if wants_json(request):
        progress = queue.progress_in(slot.query, person_of(request))
        more = {"proposal": proposal_url} if proposal_url else {}
        if request.POST.get("then") == THEN_NEXT:
            more["next"] = reverse("judge-query", args=[slug, name])
        return outcome(request, judged=progress.judged, total=progress.total, **more)
    if proposal_url:
        return redirect(proposal_url)
    if request.POST.get("then") == THEN_MINE:
        return redirect("judge-mine", slug, name)
    # Each pair has its own address in the browser's history, so "back" leads to the one before.
    token = queue.next_token(slot.query, person_of(request))
    if token is None:
        return redirect("judge-mine", slug, name)
    return redirect("judge-pair", slug, name, token)


@in_collection(*JUDGES)
def _refused(
    request: HttpRequest, collection: Collection, name: str, token: str, error: JudgingError
) -> HttpResponseBase:
    """Show the current pair, and keep the typed text."""
    if isinstance(error, ConsentMissing):
        return to_the_consent(request, collection, error, then=name)
    if isinstance(error, NotQualified):
        return _to_training(request, collection, error)

    def show() -> HttpResponse:
        query = my_query(request, collection, name)
        typed = {field: request.POST.get(field, "") for field in ("note", "reason")}
        return _workspace(request, collection, query, _shown(request, query, token), typed)

    return refused(request, error, show)


@never_cache
@by_the_same_person
@not_found_for_scripts
@in_collection(*JUDGES)
@require_POST
@for_the_qualified
def judge_later(
    request: HttpRequest, collection: Collection, name: str, token: str
) -> HttpResponseBase:
    """Move the pair behind all other pairs."""
    slot = _my_slot(request, collection.slug, name, token)
    try:
        postpone(slot_id=slot.pk, annotator=person_of(request), rows=slot.rows)
    except JudgingError as error:
        if wants_json(request):
            return refusal(request, type(error).__name__, str(error), status=409)
        messages.error(request, str(error))
        return redirect("judge-pair", collection.slug, name, token)
    if not wants_json(request) and queue.next_token(slot.query, person_of(request)) == token:
        messages.info(request, gettext("This is the only pair left, so it cannot be postponed."))
    return _saved(request, collection.slug, name, slot)


@never_cache
@by_the_same_person
@in_collection(*JUDGES)
@require_safe
@for_the_qualified
def judge_ahead(request: HttpRequest, collection: Collection, name: str) -> HttpResponse:
    """The next `count` pairs as parts of the page, without those named in `without`."""
    query = my_query(request, collection, name)
    without, count = wanted_ahead(request)
    pairs = queue.pairs_ahead(query, person_of(request), without=without, count=count)
    return render(
        request,
        "annotation/_pairs.html",
        {
            "query_url": _query_url(collection, query),
            "pairs": pairs,
            "are_the_last": len(pairs) < count,
        },
    )


@never_cache
@by_the_same_person
@in_collection(*JUDGES)
@require_safe
@for_the_qualified
def judge_undo(request: HttpRequest, collection: Collection, name: str) -> HttpResponse:
    """Go back to the pair judged last; from a judged pair, to the one before it."""
    query = my_query(request, collection, name)
    token = queue.token_before(query, person_of(request), request.GET.get("from", ""))
    if token is not None:
        return redirect("judge-pair", collection.slug, query.name, token)
    if wants_part(request):
        return HttpResponse(status=204)
    messages.info(request, gettext("Nothing to undo: you have not judged an earlier pair."))
    return redirect("judge-query", collection.slug, query.name)


@never_cache
@in_collection(*JUDGES)
@require_safe
def judge_mine(request: HttpRequest, collection: Collection, name: str) -> HttpResponseBase:
    """My judgments on this query, with a summary when all pairs are judged."""
    query = my_query(request, collection, name)
    user = person_of(request)
    own_queries = queue.own_queries(collection, user, queue.pace(collection, user))
    judgments = queue.own_judgments(query, user)
    if wants_csv(request):
        columns = OWN_JUDGMENTS.shown(request)
        return csv_file(
            f"{collection.slug}-my-judgments-{name_in_file(query.name)}", columns, judgments
        )
    following = next(
        (row for row in own_queries if row.pk != query.pk and not row.progress.finished), None
    )
    return own_judgments_page(
        request,
        query=query,
        guideline=query.opening.guideline,
        judgments=judgments,
        query_url=_query_url(collection, query),
        back_url=reverse("judge", args=[collection.slug]),
        back_name=gettext("your queries"),
        progress=queue.progress_in(query.pk, user),
        minutes=queue.minutes_spent(query, user),
        next=following,
        next_url=reverse("judge-query", args=[collection.slug, following.name])
        if following
        else "",
    )


def _workspace(
    request: HttpRequest,
    collection: Collection,
    query: Query,
    shown: ShownPair,
    typed: dict[str, str] | None = None,
) -> HttpResponse:
    """The page of the pair, or the guideline if it must be read first."""
    user = person_of(request)
    guideline = query.opening.guideline
    if typed is None and must_read(guideline, user):
        return to_the_guideline(collection, query)
    return workspace(
        request,
        WorkspacePlace(
            collection=collection,
            query=query,
            guideline=guideline,
            query_url=_query_url(collection, query),
            back_url=reverse("judge", args=[collection.slug]),
            back_name=gettext("Your queries"),
            later=True,
            asks=True,
        ),
        shown,
        progress=queue.progress_in(query.pk, user),
        pace=queue.pace(collection, user),
        typed=typed,
        aspects=queue.aspects_to_mark(collection, query, shown.query),
        proposes=query.opening.proposal_steps is not None,
        news=news_of_facet(query, user) if may_have_help(query) else (),
    )


def _query_url(collection: Collection, query: Query) -> str:
    return reverse("judge-query", args=[collection.slug, query.name])


def to_the_guideline(collection: Collection, query: Query) -> HttpResponse:
    """Lead to the guideline of the query, which must be read first."""
    page = reverse("guideline-text", args=[collection.slug, query.facet.slug])
    version = query.opening.guideline.version
    return redirect(f"{page}?{urlencode({'version': version, 'then': query.name})}")


def my_query(request: HttpRequest, collection: Collection, name: str) -> Query:
    query = queue.own_query(collection, person_of(request), name)
    return row_or_404(query, f"no query {name} for this annotator")


def own_judgment_context(
    request: HttpRequest, collection: Collection, query: Query, shown: ShownPair
) -> dict[str, Any]:
    """Of a page on which a judge keeps the own judgment of a pair, or gives another."""
    guideline = query.opening.guideline
    return {
        "collection": collection,
        "query": query,
        "back_url": reverse("judge", args=[collection.slug]),
        "back_name": gettext("Your queries"),
        "guideline": guideline,
        "show_guideline": "guideline" in request.GET,
        "query_text": shown.query,
        "shown": shown,
        "aspects": queue.aspects_to_mark(collection, query, shown.query),
        "proposes": query.opening.proposal_steps is not None,
        "marked": shown.aspects,
        "typed": {"note": shown.note, "reason": shown.reason},
        "reasons": Reason.offered(),
        "cannot": CANNOT,
        "grade_name": "" if shown.grade is None else guideline.grades[shown.grade]["name"],
    }


def _my_slot(request: HttpRequest, slug: str, name: str, token: str) -> OwnSlot:
    slot = queue.own_slot(slug, person_of(request), name, token)
    return row_or_404(slot, f"no pair {token} for this annotator")


def _shown(request: HttpRequest, query: Query, token: str) -> ShownPair:
    shown = queue.shown_pair(query, person_of(request), token)
    return row_or_404(shown, f"no pair {token} for this annotator")
