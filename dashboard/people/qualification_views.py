"""An admin gives or withdraws a person's qualification, on the page of the person."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from annotation.models import Level, Qualification
from annotation.qualifications.forms import QualificationForm
from annotation.qualifications.services import give_qualification, withdraw_qualification
from annotation.services import JudgingError
from dashboard.people.person_page import person_answer, person_here
from practice.training.skill import qualify_as_senior


@in_collection(Role.ADMIN)
@require_POST
def give(request: HttpRequest, collection: Collection, user_id: int) -> HttpResponseBase:
    return _change(request, collection, user_id, give_qualification, "is qualified as a")


@in_collection(Role.ADMIN)
@require_POST
def measure(request: HttpRequest, collection: Collection, user_id: int) -> HttpResponseBase:
    """Measure whether the person is a senior."""
    person = person_here(collection, user_id)
    try:
        row = qualify_as_senior(collection=collection, person=person, given_by=person_of(request))
    except JudgingError as error:
        messages.error(request, str(error))
    else:
        messages.success(
            request,
            f"{person.shown_name} is a senior now: ρ = {row.rho:.2f} on {row.pairs} pairs.",
        )
    return redirect("person", collection.slug, person.pk)


@in_collection(Role.ADMIN)
@require_POST
def withdraw(request: HttpRequest, collection: Collection, user_id: int) -> HttpResponseBase:
    return _change(request, collection, user_id, withdraw_qualification, "is no longer a")


def _change(
    request: HttpRequest,
    collection: Collection,
    user_id: int,
    change: Callable[..., Qualification],
    outcome: str,
) -> HttpResponseBase:
    person = person_here(collection, user_id)
    form = QualificationForm(request.POST)
    if form.is_valid():
        level = Level(form.cleaned_data["level"])
        try:
            change(
                collection=collection,
                person=person,
                level=level,
                reason=form.cleaned_data["reason"],
                given_by=person_of(request),
            )
        except JudgingError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"{person.shown_name} {outcome} {level.label.lower()} now.")
            return redirect("person", collection.slug, person.pk)
    answer = person_answer(request, collection, person, qualification_form=form)
    answer.status_code = 422
    return answer
