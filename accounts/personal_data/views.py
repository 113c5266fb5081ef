"""The page *Your data* of each person, and the pages on which staff export and erase people."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import person_of, row_or_404
from accounts.login.logged_in import find_by_login
from accounts.models import User
from accounts.personal_data.erasing import ErasurePlan, WrongUsername, erase_person, plan_erasure
from accounts.personal_data.exporting import (
    NotForYou,
    check_may_see,
    stored_about,
    zip_of,
)
from accounts.personal_data.forms import ErasePersonForm, FindPersonForm
from accounts.services import AccountError
from web.languages.choice import translated

View = Callable[..., HttpResponseBase]


@translated
@never_cache
@require_safe
def own_data(request: HttpRequest) -> HttpResponse:
    return render(
        request,
        "accounts/own_data.html",
        {"stored": stored_about(person_of(request))},
    )


@translated
@require_POST
def download_own_data(request: HttpRequest) -> HttpResponseBase:
    """A POST, because the export is recorded."""
    return zip_of(person_of(request), for_the_person=True)


def for_staff(view: View) -> View:
    """To other people the address does not exist, whatever the method."""

    @wraps(view)
    def wrapped(request: HttpRequest, **arguments: int) -> HttpResponseBase:
        if not person_of(request).is_staff:
            raise Http404
        return view(request, **arguments)

    return wrapped


@never_cache
@for_staff
@require_http_methods(["GET", "HEAD", "POST"])
def find_person(request: HttpRequest) -> HttpResponse:
    form = FindPersonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        person = find_by_login(form.cleaned_data["login"].strip())
        if person is not None:
            return redirect("person-data", person.pk)
        form.add_error("login", "No account has this username or confirmed email.")
    context = {"form": form, "erased": User.objects.exclude(erased_at=None).count()}
    status = 422 if form.errors else 200
    return render(request, "accounts/find_person.html", context, status=status)


@never_cache
@for_staff
@require_http_methods(["GET", "HEAD", "POST"])
def person_data(request: HttpRequest, person_id: int) -> HttpResponseBase:
    """Show the rows about a person, and what an erasure would do. A POST erases."""
    person = _person(person_id)
    form = ErasePersonForm(request.POST or None, person=person)
    try:
        check_may_see(asked_by=person_of(request), person=person)
        if request.method == "POST" and form.is_valid():
            pseudonym = erase_person(person=person, typed=form.cleaned_data["typed"].strip())
            messages.success(request, f"The person is erased, and is called {pseudonym} now.")
            return redirect("person-data", person.pk)
    except NotForYou as error:
        return _refused(request, error)
    except WrongUsername as error:
        form.add_error("typed", str(error))
    except AccountError as error:
        messages.error(request, str(error))
        return redirect("person-data", person.pk)
    return _page(request, person, form)


@for_staff
@require_POST
def export_person_data(request: HttpRequest, person_id: int) -> HttpResponseBase:
    person = _person(person_id)
    try:
        check_may_see(asked_by=person_of(request), person=person)
    except NotForYou as error:
        return _refused(request, error)
    return zip_of(person, for_the_person=person == person_of(request))


def _person(person_id: int) -> User:
    return row_or_404(User.objects.filter(pk=person_id).first())


def _refused(request: HttpRequest, error: NotForYou) -> HttpResponse:
    messages.error(request, str(error))
    return redirect("find-person")


def _page(request: HttpRequest, person: User, form: ErasePersonForm) -> HttpResponse:
    plan: ErasurePlan = plan_erasure(person)
    parts = [
        ("Removed", "removed", plan.removed),
        ("Kept without addresses and emails", "emptied", plan.emptied),
        ("Kept under a pseudonym", "kept", plan.kept),
    ]
    context = {"person": person, "form": form, "plan": plan, "parts": parts}
    status = 422 if form.errors else 200
    return render(request, "accounts/person_data.html", context, status=status)
