"""The admin's page *Datasheet*."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from release.datasheets.current import (
    answers_of,
    dates_known,
    least_people,
    profiles_count,
    progress_of,
    published_profiles,
)
from release.datasheets.forms import DatasheetForm, ThresholdForm
from release.datasheets.services import change_threshold, save_answers
from web.requests.answers import wants_part


@in_collection(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def datasheet(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = _form(collection, request)
    if request.method == "POST" and form.is_valid():
        save_answers(
            collection=collection, answers=form.cleaned_data, answered_by=person_of(request)
        )
        if not wants_part(request):
            messages.success(request, "Saved.")
            return redirect("datasheet", collection.slug)
    if request.method == "POST" and wants_part(request):
        errors = [message for messages in form.errors.values() for message in messages]
        context = {"errors": errors, **progress_of(collection)}
        return render(request, "release/_answer_saved.html", context)
    return _page(request, collection, form)


@in_collection(Role.ADMIN)
@require_POST
def threshold(request: HttpRequest, collection: Collection) -> HttpResponse:
    threshold_form = ThresholdForm(request.POST)
    if threshold_form.is_valid():
        change_threshold(
            collection=collection, least_people=threshold_form.cleaned_data["least_people"]
        )
        messages.success(request, "Saved.")
        return redirect(f"{reverse('datasheet', args=[collection.slug])}#about-annotators")
    return _page(request, collection, _form(collection), threshold_form)


def _form(collection: Collection, request: HttpRequest | None = None) -> DatasheetForm:
    posted = request is not None and request.method == "POST"
    return DatasheetForm(
        request.POST if request is not None and posted else None,
        address=reverse("datasheet", args=[collection.slug]),
        dates_known=dates_known(collection),
        answers=answers_of(collection),
    )


def _page(
    request: HttpRequest,
    collection: Collection,
    form: DatasheetForm,
    threshold_form: ThresholdForm | None = None,
) -> HttpResponse:
    initial = {"least_people": least_people(collection)}
    threshold_form = threshold_form or ThresholdForm(initial=initial)
    context = {
        "form": form,
        "missing": form.first_missing,
        "threshold_form": threshold_form,
        "profiles": published_profiles(collection),
        "profiles_count": profiles_count(collection),
        **progress_of(collection),
    }
    status = 422 if form.errors or threshold_form.errors else 200
    return render(request, "release/datasheet.html", context, status=status)
