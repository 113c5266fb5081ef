"""The pages of a member of a practice set, in the workspace of live judging."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import (
    by_the_same_person,
    in_collection,
    not_found_as_json,
    person_of,
    row_or_404,
)
from accounts.models import JUDGES, Collection
from annotation.appending import Submission
from annotation.consent.reading import has_consented
from annotation.forms import AnswerForm
from annotation.guidelines.readings import must_read, record_reading
from annotation.own_table import OWN_JUDGMENTS
from annotation.services import BadAnswer, JudgingError
from annotation.workspace import (
    THEN_MINE,
    WorkspacePlace,
    own_judgments_page,
    wanted_ahead,
    workspace,
)
from practice import reading
from practice.models import PracticeKind, PracticeMember
from practice.reading import PracticeQuery
from practice.services import submit_practice
from practice.training.services import submit_training
from web.downloads import name_in_file
from web.requests.answers import outcome, wants_json, wants_part
from web.sittings.responses import refused
from web.tables.columns import csv_file, wants_csv

not_found_for_scripts = not_found_as_json(gettext_lazy("This pair is no longer in a set of yours."))


@never_cache
@in_collection(*JUDGES)
@require_safe
def practice(request: HttpRequest, collection: Collection, practice_set: str) -> HttpResponse:
    """The queries of the member's set with his or her progress."""
    member = _member(request, collection, practice_set)
    sittings = reading.sittings(member)
    waiting = [sitting for sitting in sittings if not sitting.progress.finished]
    takes_answers = member.takes_answers
    if waiting and takes_answers and "next" in request.GET:
        return redirect("practice-query", collection.slug, practice_set, waiting[0].name)
    left = sum(sitting.progress.remaining for sitting in waiting)
    context = {
        "member": member,
        "practice_set": member.practice_set,
        "sittings": sittings,
        "waiting": waiting,
        "takes_answers": takes_answers,
        "pairs_left": left,
        "minutes_left": reading.pace(collection, member.annotator).minutes(left),
        "unread": reading.unread_guidelines(member) if takes_answers else (),
    }
    return render(request, "practice/own_set.html", context)


@never_cache
@in_collection(*JUDGES)
@require_http_methods(["GET", "HEAD", "POST"])
def practice_guideline(
    request: HttpRequest, collection: Collection, practice_set: str, facet: str
) -> HttpResponse:
    """The version that the set is judged by; the member confirms the reading."""
    member = _member(request, collection, practice_set)
    uses = member.practice_set.guidelines.select_related("guideline__facet")
    guidelines = [use.guideline for use in uses]
    found = next((each for each in guidelines if each.facet.slug == facet), None)
    guideline = row_or_404(found, "the set has no query under this facet")
    if request.method == "POST":
        record_reading(guideline, member.annotator)
        return redirect("practice", collection.slug, practice_set)
    context = {
        "facet": guideline.facet,
        "tabs": [
            {
                "url": reverse(
                    "practice-guideline", args=[collection.slug, practice_set, each.facet.slug]
                ),
                "caption": each.facet.name,
                "current": each == guideline,
                "aria_current": "page",
            }
            for each in guidelines
        ],
        "guideline": guideline,
        "versions": [guideline],
        "is_unread": must_read(guideline, member.annotator),
    }
    return render(request, "annotation/guideline_text.html", context)


@never_cache
@in_collection(*JUDGES)
@require_safe
def practice_query(
    request: HttpRequest, collection: Collection, practice_set: str, name: str
) -> HttpResponse:
    """The next pair, or a redirect to the own judgments when all pairs are judged."""
    own = _own_query(request, collection, practice_set, name)
    following = reading.pairs_ahead(own, count=1)
    if not following or not own.member.takes_answers:
        return redirect("practice-mine", collection.slug, practice_set, name)
    return _workspace(request, own, following[0].token)


@never_cache
@by_the_same_person
@not_found_for_scripts
@in_collection(*JUDGES)
@require_http_methods(["GET", "HEAD", "POST"])
def practice_pair(
    request: HttpRequest, collection: Collection, practice_set: str, name: str, token: str
) -> HttpResponseBase:
    """Show a pair, or save its judgment."""
    own = _own_query(request, collection, practice_set, name)
    if request.method == "POST":
        return _answer(request, own, token)
    if wants_part(request):
        shown = row_or_404(reading.shown_pair(own, token), f"no pair {token} in this set")
        context = {"query_url": query_url(own), "pairs": [shown]}
        return render(request, "annotation/_pairs.html", context)
    return _workspace(request, own, token)


def _answer(request: HttpRequest, own: PracticeQuery, token: str) -> HttpResponseBase:
    pair = row_or_404(reading.pair_id(own, token), f"no pair {token} in this set")
    form = AnswerForm(request.POST)
    try:
        if not form.is_valid():
            raise BadAnswer(gettext("This answer is incomplete. Give it again."))
        data = form.cleaned_data
        submission = Submission(
            answer=form.to_answer(),
            presentation_digest=data["presentation"],
            key=data["key"],
            supersedes=data["supersedes"],
            seconds=data["seconds"],
        )
        is_training = own.practice_set.kind == PracticeKind.TRAINING
        submit = submit_training if is_training else submit_practice
        submit(pair_id=pair, annotator=own.member.annotator, submission=submission)
    except JudgingError as error:
        typed = {field: request.POST.get(field, "") for field in ("note", "reason")}
        return refused(request, error, lambda: _workspace(request, own, token, typed))
    return _saved(request, own)


def _saved(request: HttpRequest, own: PracticeQuery) -> HttpResponseBase:
    if wants_json(request):
        progress = reading.progress_in(own)
        return outcome(request, judged=progress.judged, total=progress.total)
    token = None if request.POST.get("then") == THEN_MINE else reading.next_token(own)
    return redirect(f"{query_url(own)}{token or 'mine'}/")


@never_cache
@by_the_same_person
@in_collection(*JUDGES)
@require_safe
def practice_ahead(
    request: HttpRequest, collection: Collection, practice_set: str, name: str
) -> HttpResponse:
    """The next `count` pairs as parts of the page, without those named in `without`."""
    own = _own_query(request, collection, practice_set, name)
    without, count = wanted_ahead(request)
    pairs = reading.pairs_ahead(own, without=without, count=count)
    context = {"query_url": query_url(own), "pairs": pairs, "are_the_last": len(pairs) < count}
    return render(request, "annotation/_pairs.html", context)


@never_cache
@by_the_same_person
@in_collection(*JUDGES)
@require_safe
def practice_undo(
    request: HttpRequest, collection: Collection, practice_set: str, name: str
) -> HttpResponse:
    """Go back to the pair judged last; from a judged pair, to the one before it."""
    own = _own_query(request, collection, practice_set, name)
    token = reading.token_before(own, request.GET.get("from", ""))
    if token is not None:
        return redirect("practice-pair", collection.slug, practice_set, name, token)
    if wants_part(request):
        return HttpResponse(status=204)
    messages.info(request, gettext("Nothing to undo: you have not judged an earlier pair."))
    return redirect(query_url(own))


@never_cache
@in_collection(*JUDGES)
@require_safe
def practice_mine(
    request: HttpRequest, collection: Collection, practice_set: str, name: str
) -> HttpResponseBase:
    """The member's own judgments on a query, with the way to the next."""
    own = _own_query(request, collection, practice_set, name)
    if own.practice_set.kind == PracticeKind.TRAINING and own.member.finished_at:
        return redirect("training-result", collection.slug, practice_set)
    judgments = reading.own_judgments(own)
    if wants_csv(request):
        file = f"{collection.slug}-my-{practice_set}-{name_in_file(name)}"
        return csv_file(file, OWN_JUDGMENTS.shown(request), judgments)
    sittings = reading.sittings(own.member)
    following = next(
        (row for row in sittings if row.pk != own.query.pk and not row.progress.finished), None
    )
    return own_judgments_page(
        request,
        query=own.query,
        guideline=own.guideline,
        judgments=judgments,
        query_url=query_url(own),
        back_url=reverse("practice", args=[collection.slug, practice_set]),
        back_name=own.practice_set.title.lower(),
        progress=reading.progress_in(own),
        minutes=reading.minutes_spent(own),
        next=following,
        next_url=_query_url(own.member, following.name) if following else "",
    )


def _workspace(
    request: HttpRequest, own: PracticeQuery, token: str, typed: dict[str, str] | None = None
) -> HttpResponse:
    """The page of the pair, or the guideline if it must be read first."""
    shown = row_or_404(reading.shown_pair(own, token), f"no pair {token} in this set")
    collection, practice_set = own.practice_set.collection, own.practice_set
    if not own.member.takes_answers:
        return redirect("practice-mine", collection.slug, practice_set.name, own.query.name)
    if typed is None and not has_consented(collection, own.member.annotator):
        return redirect("consent", collection.slug)
    if typed is None and must_read(own.guideline, own.member.annotator):
        facet = own.query.facet.slug
        return redirect("practice-guideline", collection.slug, practice_set.name, facet)
    place = WorkspacePlace(
        collection=collection,
        query=own.query,
        guideline=own.guideline,
        query_url=query_url(own),
        back_url=reverse("practice", args=[collection.slug, practice_set.name]),
        back_name=practice_set.title,
        sitting=practice_set.title,
    )
    return workspace(
        request,
        place,
        shown,
        progress=reading.progress_in(own),
        pace=reading.pace(collection, own.member.annotator),
        typed=typed,
    )


def query_url(own: PracticeQuery) -> str:
    return _query_url(own.member, own.query.name)


def _query_url(member: PracticeMember, name: str) -> str:
    practice_set = member.practice_set
    return reverse("practice-query", args=[practice_set.collection.slug, practice_set.name, name])


def _member(request: HttpRequest, collection: Collection, name: str) -> PracticeMember:
    member = reading.own_member(collection, person_of(request), name)
    return row_or_404(member, f"no set {name} of this person")


def _own_query(
    request: HttpRequest, collection: Collection, practice_set: str, name: str
) -> PracticeQuery:
    member = _member(request, collection, practice_set)
    return row_or_404(reading.own_query(member, name), f"no query {name} in this set")
