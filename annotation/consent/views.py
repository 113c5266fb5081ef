"""The page on which a judge agrees, and the admin's page of the text."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import in_collection, person_of
from accounts.models import JUDGES, OWNERS, Collection
from annotation.consent.forms import AgreeForm, ConsentTextForm
from annotation.consent.reading import (
    consents_of,
    current_text,
    standing_consent,
    versions_of,
)
from annotation.consent.services import (
    ConsentTextChanged,
    agree,
    withdraw,
    write_consent_text,
)
from web.tables.cells import numbered_page
from web.words import count_noun


@never_cache
@in_collection(*JUDGES)
@require_http_methods(["GET", "HEAD", "POST"])
def consent(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Show the text; a POST agrees. `then` is the name of a query to go on with."""
    text, person = current_text(collection), person_of(request)
    form = AgreeForm(
        request.POST or None,
        initial={"version": collection.consent_version, "then": request.GET.get("then", "")},
    )
    if request.method == "POST" and form.is_valid():
        then = form.cleaned_data["then"]
        try:
            agree(collection=collection, person=person, version=form.cleaned_data["version"])
        except ConsentTextChanged as error:
            messages.error(request, str(error))
            return redirect("consent", collection.slug)
        place = ("judge-query", collection.slug, then) if then else ("judge", collection.slug)
        return redirect(*place)
    context = {
        "collection": collection,
        "text": text,
        "form": form,
        "given": standing_consent(collection, person) if text else None,
    }
    status = 422 if form.errors else 200
    return render(request, "annotation/consent.html", context, status=status)


@in_collection(*JUDGES)
@require_POST
def withdraw_consent(request: HttpRequest, collection: Collection) -> HttpResponse:
    withdraw(collection=collection, person=person_of(request))
    messages.success(
        request,
        gettext("You have withdrawn your consent. You can judge again once you agree again."),
    )
    return redirect("consent", collection.slug)


@in_collection(*OWNERS)
@require_http_methods(["GET", "HEAD", "POST"])
def consent_texts(request: HttpRequest, collection: Collection) -> HttpResponse:
    current = current_text(collection)
    form = ConsentTextForm(request.POST or None, initial={"text": current.text if current else ""})
    if request.method == "POST" and form.is_valid():
        version = write_consent_text(
            collection=collection,
            text=form.cleaned_data["text"].strip(),
            written_by=person_of(request),
        )
        messages.success(
            request,
            f"Judges are asked to agree to version {version} before they go on."
            if version
            else "Judges are asked for no consent.",
        )
        return redirect("consent-texts", collection.slug)
    versions = versions_of(collection)
    context = {
        "collection": collection,
        "form": form,
        "current": current,
        "versions": versions,
        "page": numbered_page(consents_of(collection), request, anchor="#agreed"),
        "agreed": count_noun(
            next((each.agreed for each in versions if each.text == current), 0), "person", "people"
        ),
    }
    status = 422 if form.errors else 200
    return render(request, "annotation/consent_texts.html", context, status=status)
