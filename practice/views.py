"""The admin's pages of pilot rounds."""

from __future__ import annotations

from itertools import pairwise

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import in_collection, person_of, row_or_404
from accounts.models import Collection, Role
from agreement.coefficients import COEFFICIENTS
from annotation.services import JudgingError
from annotation.team.plans import eligible_annotators
from practice.forms import PilotForm
from practice.models import PracticeSet
from practice.pilots import FEWEST_PEOPLE, start_pilot, usable_queries
from practice.report import changes_between, report_of, shown_pairs
from practice.services import close_set, remove_set
from web.tables.cells import numbered_page

ROUNDS = 5  # on a page: each is computed from its judgments
WORST = 10  # pairs on the page of a round
TO_MEET = 20  # pairs on a page for the meeting


@in_collection(Role.ADMIN)
@require_safe
def pilots(request: HttpRequest, collection: Collection) -> HttpResponse:
    """The rounds, newest first, and what changed in the guideline from each to the next."""
    rounds = list(collection.practice_sets.pilots().order_by("-number"))
    page = numbered_page(rounds, request, size=ROUNDS)
    before = dict(pairwise(rounds))
    context = {
        "page": page,
        "coefficients": COEFFICIENTS,
        "rounds": [report_of(each) for each in page.rows],
        "changes": [
            (before[each], each, changes_between(before[each], each))
            for each in page.rows
            if each in before
        ],
        **_readiness(collection),
    }
    return render(request, "practice/pilots.html", context)


def _readiness(collection: Collection) -> dict[str, bool]:
    return {
        "has_people": eligible_annotators(collection).count() >= FEWEST_PEOPLE,
        "has_queries": usable_queries(collection).exists(),
    }


@in_collection(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def new_pilot(request: HttpRequest, collection: Collection) -> HttpResponse:
    initial = {"annotators": eligible_annotators(collection)}
    form = PilotForm(request.POST or None, initial=initial, collection=collection)
    if request.method == "POST" and form.is_valid():
        try:
            practice_set = start_pilot(
                collection=collection, created_by=person_of(request), **form.cleaned_data
            )
        except JudgingError as error:
            form.add_error(None, str(error))
        else:
            messages.success(
                request, f"{practice_set} has begun. Its annotators find it on their page Judge."
            )
            return redirect("pilot", collection.slug, practice_set.number)
    context = {"form": form, **_readiness(collection)}
    return render(request, "practice/new_pilot.html", context, status=422 if form.errors else 200)


@in_collection(Role.ADMIN)
@require_safe
def pilot(request: HttpRequest, collection: Collection, number: int) -> HttpResponse:
    """Progress, agreement and the worst pairs; the page fetches them again while it is open."""
    practice_set = _pilot(collection, number)
    report = report_of(practice_set)
    context = {
        "practice_set": practice_set,
        "report": report,
        "coefficients": COEFFICIENTS,
        "worst": report.disputed[:WORST],
        "can_change": not collection.is_archived,
    }
    return render(request, "practice/pilot.html", context)


@in_collection(Role.ADMIN)
@require_safe
def meeting(request: HttpRequest, collection: Collection, number: int) -> HttpResponse:
    """The pairs on which grades differ, with their texts, to talk about and to print."""
    practice_set = _pilot(collection, number)
    report = report_of(practice_set)
    page = numbered_page(report.disputed, request, size=TO_MEET)
    context = {
        "practice_set": practice_set,
        "report": report,
        "page": page,
        "pairs": shown_pairs(report, page.rows),
    }
    return render(request, "practice/meeting.html", context)


@in_collection(Role.ADMIN)
@require_POST
def close(request: HttpRequest, collection: Collection, number: int) -> HttpResponse:
    practice_set = _pilot(collection, number)
    close_set(practice_set=practice_set)
    messages.success(request, f"{practice_set} is closed. It takes no more judgments.")
    return redirect("pilot", collection.slug, number)


@in_collection(Role.ADMIN)
@require_POST
def remove(request: HttpRequest, collection: Collection, number: int) -> HttpResponse:
    practice_set = _pilot(collection, number)
    title = practice_set.title
    try:
        remove_set(practice_set=practice_set)
    except JudgingError as error:
        messages.error(request, str(error))
        return redirect("pilot", collection.slug, number)
    messages.success(request, f"{title} was removed.")
    return redirect("pilots", collection.slug)


def _pilot(collection: Collection, number: int) -> PracticeSet:
    found = collection.practice_sets.pilots().filter(number=number)
    return row_or_404(found.select_related("collection").first(), f"no pilot round {number}")
