"""Pages that need to know every app: home, a collection's overview and settings, the API's docs."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.forms.models import model_to_dict
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.csrf import csrf_failure as django_csrf_failure
from django.views.decorators.http import require_http_methods, require_safe
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.permissions import IsAuthenticated

from accounts.access import in_collection, roles_in
from accounts.models import Collection, Role, User
from accounts.passwords import HasOwnPassword
from annotation.services import set_up_collection
from annotation.views import refusal, wants_json
from config import overview
from config.forms import LICENCES, NewCollectionForm, SettingsForm
from config.services import SeedIsFixed, change_settings, seed_is_fixed
from corpus.services import CorpusError


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A page for people; for a script of ours, JSON that echoes its key."""
    if wants_json(request):
        return refusal(request, "CsrfFailed", "This page's security token is invalid.", status=403)
    return django_csrf_failure(request, reason)


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    user = cast(User, request.user)
    cards = overview.cards_for(user)
    if len(cards) == 1 and not user.is_staff:
        # One card with one link is a page nobody needs.
        return redirect("collection", cards[0].collection.slug)
    return render(request, "site/home.html", {"cards": cards})


@require_http_methods(["GET", "HEAD", "POST"])
def new_collection(request: HttpRequest) -> HttpResponse:
    user = cast(User, request.user)
    if not user.is_staff:
        raise PermissionDenied("Only staff may make collections.")
    form = NewCollectionForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            collection = set_up_collection(owner=user, **form.cleaned_data)
        except CorpusError as error:
            form.add_error("slug", str(error))
        else:
            messages.success(
                request,
                f"{collection.name} is set up with three facets and their guidelines. "
                "You are its admin.",
            )
            return redirect("collection", collection.slug)
    return render(
        request,
        "site/new_collection.html",
        {"form": form, "licences": LICENCES},
        status=422 if form.errors else 200,
    )


@in_collection()
@require_safe
def collection_page(request: HttpRequest, collection: Collection) -> HttpResponse:
    user = cast(User, request.user)
    roles = roles_in(collection, user)
    return render(
        request,
        "site/collection.html",
        {
            "queue": overview.queue_of(collection, user, roles),
            "board": overview.board_of(collection) if Role.ADMIN in roles else None,
        },
    )


@in_collection(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def collection_settings(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = SettingsForm(
        request.POST or None,
        initial=model_to_dict(collection),
        seed_is_fixed=seed_is_fixed(collection),
    )
    if request.method == "POST" and form.is_valid():
        try:
            change_settings(collection=collection, **form.cleaned_data)
        except SeedIsFixed as error:
            form.add_error("seed", str(error))
        else:
            messages.success(request, "Saved.")
            return redirect("collection-settings", collection.slug)
    return render(
        request,
        "site/settings.html",
        {"form": form, "licences": LICENCES},
        status=422 if form.errors else 200,
    )


api_schema = SpectacularAPIView.as_view(permission_classes=[IsAuthenticated, HasOwnPassword])

# The page's styles are set by its script; the strict policy on scripts stays.
api_docs = login_required(
    SpectacularSwaggerSplitView.as_view(url_name="api-schema", template_name="site/api_docs.html")
)
