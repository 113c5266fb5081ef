"""The rater's pages. Every action is a plain form; a script only adds the keys and the clock."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import by_the_same_person, in_collection, not_found_as_json, person_of
from accounts.models import Collection, Role
from annotation.consent.reading import has_consented
from annotation.forms import CANNOT, AnswerForm
from annotation.models import Reason
from annotation.services import ConsentMissing
from studies import reading
from studies.models import Study
from studies.services import BadRating, StudyError, submit_rating
from web.sittings.responses import refused, saved


@never_cache
@in_collection(Role.ANNOTATOR)
@require_safe
def full_text_studies(request: HttpRequest, collection: Collection) -> HttpResponse:
    """The person's own studies, those to rate first."""
    own = list(reading.own_studies(collection, person_of(request)))
    progress = reading.progress_of(own)
    rows = [(study, progress[study.pk]) for study in own]
    rows.sort(key=lambda row: bool(row[0].ended_at or not row[1].remaining))
    return render(request, "studies/full_text_studies.html", {"studies": rows})


@never_cache
@in_collection(Role.ANNOTATOR)
@require_safe
def own_study(request: HttpRequest, collection: Collection, study: str) -> HttpResponse:
    found = _own(request, collection, study)
    context = {
        "study": found,
        "progress": reading.progress_of([found])[found.pk],
        "ratings": reading.own_ratings(found),
    }
    return render(request, "studies/own_study.html", context)


@never_cache
@in_collection(Role.ANNOTATOR)
@require_safe
def next_pair(request: HttpRequest, collection: Collection, study: str) -> HttpResponse:
    """Redirect to the next pair, or to the own ratings when all pairs are rated."""
    return redirect(_next_url(collection, _own(request, collection, study)))


@never_cache
@by_the_same_person
@not_found_as_json(gettext_lazy("This pair is no longer assigned to you."))
@in_collection(Role.ANNOTATOR)
@require_http_methods(["GET", "HEAD", "POST"])
def rate_pair(
    request: HttpRequest, collection: Collection, study: str, token: str
) -> HttpResponseBase:
    """Show a pair, or save its rating."""
    found = _own(request, collection, study)
    if request.method != "POST":
        if not has_consented(collection, person_of(request)):
            return redirect("consent", collection.slug)
        return _page(request, collection, found, token)
    form = AnswerForm(request.POST)
    study_pair = found.pairs.filter(token=token).first()
    if study_pair is None:
        raise Http404(f"no pair {token} in this study")
    try:
        if not form.is_valid():
            raise BadRating(gettext("This rating is incomplete. Give it again."))
        submit_rating(
            study_pair_id=study_pair.pk,
            rater=person_of(request),
            answer=form.to_answer(),
            presentation_digest=form.cleaned_data["presentation"],
            key=form.cleaned_data["key"],
            supersedes=form.cleaned_data["supersedes"],
            seconds=form.cleaned_data["seconds"],
        )
    except (StudyError, ConsentMissing) as error:
        return refused(request, error, lambda: _page(request, collection, found, token))
    return saved(request, _next_url(collection, found))


@never_cache
@by_the_same_person
@in_collection(Role.ANNOTATOR)
@require_safe
def rate_undo(request: HttpRequest, collection: Collection, study: str, token: str) -> HttpResponse:
    """Go back to the rated pair before this one."""
    found = _own(request, collection, study)
    before = reading.token_before(found, token)
    if before is None:
        messages.info(request, gettext("Nothing to undo: you have not rated an earlier pair."))
        return redirect("rate-pair", collection.slug, found.name, token)
    return redirect("rate-pair", collection.slug, found.name, before)


def _page(request: HttpRequest, collection: Collection, study: Study, token: str) -> HttpResponse:
    shown = reading.shown_pair(study, token)
    if shown is None:
        raise Http404(f"no pair {token} in this study")
    guideline = shown.guideline
    typed = request.POST if request.method == "POST" else {}
    context = {
        "study": study,
        "query": shown.query_row,
        "shown": shown,
        "progress": reading.progress_of([study])[study.pk],
        "guideline": guideline,
        "show_guideline": "guideline" in request.GET,
        "grade_name": "" if shown.grade is None else guideline.grades[shown.grade]["name"],
        "reasons": Reason.offered(),
        "cannot": CANNOT,
        "typed": {
            "note": typed.get("note", shown.note),
            "reason": typed.get("reason", shown.reason),
        },
        "back_url": reverse("own-study", args=[collection.slug, study.name]),
        "back_name": gettext("Full-text study"),
    }
    return render(request, "studies/rate.html", context)


def _next_url(collection: Collection, study: Study) -> str:
    token = None if study.ended_at else reading.next_token(study)
    if token is None:
        return reverse("own-study", args=[collection.slug, study.name])
    return reverse("rate-pair", args=[collection.slug, study.name, token])


def _own(request: HttpRequest, collection: Collection, name: str) -> Study:
    studies = reading.own_studies(collection, person_of(request))
    found = studies.select_related("collection").filter(name=name).first()
    if found is None:
        raise Http404(f"no study {name!r} of this person")
    return found
