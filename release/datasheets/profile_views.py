"""The pages on which annotators and adjudicators say something of themselves.

They are below the account and not below the collection, so that a person who has lost the role can
still revoke the consent.
"""

from __future__ import annotations

from django.contrib import messages
from django.db.models import Q, QuerySet
from django.forms.models import model_to_dict
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import person_of
from accounts.locking import CollectionArchived
from accounts.models import JUDGES_AND_ADJUDICATORS, Collection, User
from release.datasheets.current import least_people
from release.datasheets.forms import ProfileForm
from release.datasheets.models import AnnotatorProfile
from release.datasheets.services import ProfileRefused, delete_profile, save_profile
from web.languages.choice import translated


def _collections_of(person: User) -> QuerySet[Collection]:
    """The collections where the person judges or adjudicates, or has a profile from that time."""
    judging = Q(memberships__user=person, memberships__role__in=JUDGES_AND_ADJUDICATORS)
    return Collection.objects.filter(judging | Q(annotator_profiles__user=person)).distinct()


@translated
@never_cache
@require_safe
def own_profiles(request: HttpRequest) -> HttpResponse:
    person = person_of(request)
    own = set(AnnotatorProfile.objects.filter(user=person).values_list("collection", flat=True))
    rows = [(collection, collection.pk in own) for collection in _collections_of(person)]
    return render(request, "release/own_profiles.html", {"rows": rows})


@translated
@never_cache
def own_profile(request: HttpRequest, slug: str) -> HttpResponse:
    person = person_of(request)
    collection = get_object_or_404(_collections_of(person), slug=slug)
    return _own_profile(request, collection, person)


@require_http_methods(["GET", "HEAD", "POST"])
def _own_profile(request: HttpRequest, collection: Collection, person: User) -> HttpResponse:
    profile = AnnotatorProfile.objects.filter(collection=collection, user=person).first()
    if "revoke" in request.POST:
        if delete_profile(collection=collection, person=person):
            messages.success(request, gettext("Your answers are deleted."))
        return redirect("own-profiles")
    initial = model_to_dict(profile) | {"consent": True} if profile else {}
    form = ProfileForm(request.POST if request.method == "POST" else None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            save_profile(collection=collection, person=person, values=form.values)
        except (ProfileRefused, CollectionArchived) as error:
            form.add_error(None, str(error))
        else:
            message = gettext("Saved. You can change or delete your answers at any time.")
            messages.success(request, message)
            return redirect("own-profile", collection.slug)
    context = {
        "about": collection,
        "form": form,
        "has_profile": profile is not None,
        "least": least_people(collection),
    }
    refused = request.method == "POST" or form.errors
    return render(request, "release/own_profile.html", context, status=422 if refused else 200)
