"""The home page, a collection's overview and settings, and the API docs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.forms.models import model_to_dict
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.settings import api_settings

from accounts.access import in_collection, person_of, roles_in
from accounts.models import OWNERS, Collection, Role
from accounts.tokens.authentication import ForEveryScope
from annotation.guidelines.collection_setup import (
    change_facets_and_scale,
    default_grade_names,
    facets_of,
    is_open,
)
from annotation.services import JudgingError, set_up_collection
from corpus.facets import NO_FACETS, FacetPlan
from corpus.services import CorpusError
from dashboard.navigation.context import navigation_for
from dashboard.navigation.search import SHOWN, search
from dashboard.overview import page as overview
from dashboard.services import (
    ProposalsImpossible,
    SeedIsFixed,
    change_judging_rules,
    change_settings,
    seed_is_fixed,
)
from dashboard.settings.archiving import ArchiveError
from dashboard.settings.facets_form import FacetsForm
from dashboard.settings.forms import NewCollectionForm, SettingsForm
from dashboard.settings.judging_form import JudgingForm
from demo.sample import NotEmpty, OtherFacets, create_sample_collection, request_sample
from web.languages.choice import in_english, translated
from web.requests.answers import wants_part
from web.tables.paging import typed
from web.words import count_noun

MENU_SIZE = 12  # collections in the menu
FEW = 4  # hits of each kind below the search field


@translated
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    user = person_of(request)
    cards = overview.cards_for(user)
    archived = overview.archived_for(user)
    if len(cards) == 1 and not archived and not user.is_staff:
        # A page with a single link would be useless.
        return redirect("collection", cards[0].collection.slug)
    return render(
        request,
        "dashboard/home.html",
        {"cards": cards, "archived": archived, "notices": overview.notices_of(user, cards)},
    )


@translated
@require_safe
def my_collections(request: HttpRequest) -> HttpResponse:
    """The menu of collections, as a part of a page; without a script, the home page has them."""
    if not wants_part(request):
        return redirect("home")
    words = typed(request.GET, "q")
    collections = Collection.objects.active().visible_to(person_of(request))
    if words:
        collections = collections.filter(Q(name__icontains=words) | Q(slug__istartswith=words))
    shown = list(collections[: MENU_SIZE + 1])
    return render(
        request,
        "dashboard/_my_collections.html",
        {"collections": shown[:MENU_SIZE], "is_long": len(shown) > MENU_SIZE, "words": words},
    )


@in_collection(Role.ADMIN)
@require_safe
@vary_on_headers("HX-Request")
def search_page(request: HttpRequest, collection: Collection) -> HttpResponse:
    """The hits; as a part of a page, the first of each kind below the field, while one types."""
    words = typed(request.GET, "q")
    is_part = wants_part(request)
    shown = FEW if is_part else SHOWN
    groups = search(collection, words, navigation_for(request, collection), shown)
    template = "dashboard/_search_hits.html" if is_part else "dashboard/search.html"
    return render(request, template, {"groups": groups, "search_words": words})


@require_http_methods(["GET", "HEAD", "POST"])
def new_collection(request: HttpRequest) -> HttpResponse:
    user = person_of(request)
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
                f"{collection.name} is set up {_facets_in_words(form.cleaned_data['facets'])}. "
                f"You are its {Role(form.cleaned_data['owner_role']).label.lower()}.",
            )
            return redirect("collection", collection.slug)
    return render(
        request,
        "dashboard/new_collection.html",
        {"form": form},
        status=422 if form.errors else 200,
    )


def _facets_in_words(facets: Sequence[FacetPlan]) -> str:
    if tuple(facets) == NO_FACETS:
        return "without facets and has a guideline"
    names = ", ".join(plan.name.lower() for plan in facets)
    return f"with {count_noun(len(facets), 'facet')} ({names}) and their guidelines"


@require_POST
def new_sample_collection(request: HttpRequest) -> HttpResponse:
    user = person_of(request)
    if not user.is_staff:
        raise PermissionDenied("Only staff may make collections.")
    try:
        job = create_sample_collection(owner=user)
    except CorpusError as error:  # another request took the short name
        messages.error(request, f"No collection was created. {error}")
        return redirect("home")
    return redirect("job", job.collection.slug, job.pk)


@in_collection(Role.ADMIN)
@require_POST
def add_sample(request: HttpRequest, collection: Collection) -> HttpResponse:
    try:
        job = request_sample(collection=collection, requested_by=person_of(request))
    except (NotEmpty, OtherFacets) as error:
        messages.error(request, str(error))
        return redirect("collection", collection.slug)
    return redirect("job", collection.slug, job.pk)


@in_collection()
@require_safe
def collection_page(request: HttpRequest, collection: Collection) -> HttpResponse:
    user = person_of(request)
    roles = roles_in(collection, user)
    with in_english(request) if roles.intersection(OWNERS) else nullcontext():
        return render(
            request,
            "dashboard/collection.html",
            {
                "queue": overview.queue_of(collection, user, roles),
                "board": overview.admin_overview(collection, roles),
                "set_up": overview.owner_overview(collection, user, roles),
            },
        )


@in_collection(*OWNERS)
@require_http_methods(["GET", "HEAD", "POST"])
def collection_settings(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = _settings_form(request, collection, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            change_settings(collection=collection, **{"seed": collection.seed} | form.cleaned_data)
        except SeedIsFixed as error:
            form.add_error("seed", str(error))
        else:
            messages.success(request, "Saved.")
            return redirect("collection-settings", collection.slug)
    return settings_page(request, collection, form)


@in_collection(*OWNERS)
@require_POST
def collection_facets(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = _facets_form(collection, request.POST)
    if form.is_valid():
        try:
            change_facets_and_scale(collection=collection, **form.cleaned_data)
        except JudgingError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "Saved the facets and the scale.")
            return redirect("collection-settings", collection.slug)
    return settings_page(request, collection, facets_form=form)


@in_collection(*OWNERS)
@require_POST
def judging_settings(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = JudgingForm.of(collection.judging_rules, request.POST)
    if not form.is_valid():
        return settings_page(request, collection, judging_form=form)
    try:
        change_judging_rules(collection=collection, changes=form.rules()._asdict())
    except ProposalsImpossible as error:
        form.add_error("proposes_grades", str(error))
        return settings_page(request, collection, judging_form=form)
    messages.success(request, "Saved how pairs are judged.")
    return redirect("collection-settings", collection.slug)


def _settings_form(
    request: HttpRequest, collection: Collection, data: QueryDict | None = None
) -> SettingsForm:
    """Judges never get the seed, because orders of pairs follow from it."""
    roles = roles_in(collection, person_of(request))
    return SettingsForm(
        data,
        initial=model_to_dict(collection),
        seed_is_fixed=seed_is_fixed(collection),
        shows_seed=Role.ADMIN in roles,
    )


def _facets_form(collection: Collection, data: QueryDict | None = None) -> FacetsForm:
    facets, scale = facets_of(collection), (collection.highest_grade, collection.relevant_from)
    initial = FacetsForm.initial_of(facets, *scale)
    return FacetsForm(data, initial=initial, collection=collection)


def settings_page(
    request: HttpRequest,
    collection: Collection,
    form: SettingsForm | None = None,
    facets_form: FacetsForm | None = None,
    judging_form: JudgingForm | None = None,
    archive_error: ArchiveError | None = None,
) -> HttpResponse:
    form = form or _settings_form(request, collection)
    facets_form = facets_form or _facets_form(collection)
    judging_form = judging_form or JudgingForm.of(collection.judging_rules)
    is_invalid = form.errors or facets_form.errors or judging_form.errors
    facets, highest_grade = facets_of(collection), collection.highest_grade
    return render(
        request,
        "dashboard/settings.html",
        {
            "form": form,
            "facets_form": facets_form,
            "judging_form": judging_form,
            "facets": facets,
            "grades": enumerate(default_grade_names(facets, highest_grade, collection)),
            "is_fixed": is_open(collection),
            "archive_error": archive_error,
        },
        status=archive_error.status if archive_error else 422 if is_invalid else 200,
    )


class ApiSchema(ForEveryScope, SpectacularAPIView):
    permission_classes = api_settings.DEFAULT_PERMISSION_CLASSES


api_schema = ApiSchema.as_view()

# The page's styles are set by its script; the strict policy on scripts stays.
api_docs = login_required(
    SpectacularSwaggerSplitView.as_view(
        url_name="api-schema", template_name="dashboard/api_docs.html"
    )
)
