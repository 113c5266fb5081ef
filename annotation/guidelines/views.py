"""The admin's pages about guidelines."""

from __future__ import annotations

import re

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import in_collection, person_of, roles_in, row_or_404
from accounts.models import JUDGES, OWNERS, Collection, Role
from annotation import services
from annotation.guidelines.changes import apply_guideline
from annotation.guidelines.forms import ApplyForm, GuidelineForm
from annotation.guidelines.readings import must_read, record_reading
from annotation.guidelines.versions import versions_in_use, versions_to_read
from annotation.help_requests.examples import NO_DRAFT, ExampleDraft, draft_from
from annotation.help_requests.services import write_example
from annotation.models import Guideline
from annotation.services import JudgingError
from corpus.models import Facet
from web.languages.choice import in_english
from web.words import count_noun

READERS = (*OWNERS, Role.ANNOTATOR, Role.ADJUDICATOR)


@in_collection(*READERS)
@require_safe
def guidelines(request: HttpRequest, collection: Collection) -> HttpResponse:
    """The admin's list. The others get the text of the first facet, which links the rest."""
    roles = roles_in(collection, person_of(request))
    if not roles & set(OWNERS):
        first = row_or_404(collection.facets.first(), f"{collection.slug} has no facet")
        return redirect("guideline-text", collection.slug, first.slug)
    uses = versions_in_use(collection)
    facets = [(facet, uses.get(facet.pk, [])) for facet in collection.facets.all()]
    context = {"collection": collection, "facets": facets, "answers": Role.ADMIN in roles}
    with in_english(request):
        return render(request, "annotation/guidelines.html", context)


@in_collection(*OWNERS)
@require_http_methods(["GET", "HEAD", "POST"])
def guideline(request: HttpRequest, collection: Collection, facet: str) -> HttpResponse:
    facet_row = _facet_or_404(collection, facet)
    current = facet_row.guidelines.first()
    draft = draft_from(request, collection, facet_row)
    form = GuidelineForm(
        request.POST or None, current=draft.begun(current), grades=collection.grades
    )
    if request.method == "POST" and form.is_valid() and "preview" not in request.POST:
        if not form.changed:
            form.add_error(None, "Nothing has changed, so no new version was saved.")
        else:
            try:
                return _write(request, collection, facet_row, form, draft)
            except JudgingError as error:
                form.add_error(None, str(error))
    apply_form = ApplyForm(initial={"queries": request.GET.get("apply", "")}, facet=facet_row)
    return _guideline_page(request, collection, form, apply_form, draft)


@in_collection(*OWNERS)
@require_POST
def apply(request: HttpRequest, collection: Collection, facet: str) -> HttpResponse:
    """Apply the newest version to open queries."""
    facet_row = _facet_or_404(collection, facet)
    form = ApplyForm(request.POST, facet=facet_row)
    if form.is_valid():
        try:
            job = apply_guideline(
                collection=collection,
                guideline=row_or_404(facet_row.guidelines.first()),
                made_by=person_of(request),
                **form.cleaned_data,
            )
        except JudgingError as error:
            form.add_error(None, str(error))
        else:
            if job is not None:
                return redirect("job", collection.slug, job.pk)
            number = count_noun(len(form.cleaned_data["queries"]), "query", "queries")
            messages.success(
                request,
                f"The newest version applies to {number}. Their judges read it before they go on.",
            )
            return redirect("guideline", collection.slug, facet)
    unchanged = GuidelineForm(current=facet_row.guidelines.first(), grades=collection.grades)
    return _guideline_page(request, collection, unchanged, form)


def _guideline_page(
    request: HttpRequest,
    collection: Collection,
    form: GuidelineForm,
    apply_form: ApplyForm,
    draft: ExampleDraft = NO_DRAFT,
) -> HttpResponse:
    facet = apply_form.facet
    current = facet.guidelines.first() if draft.request else form.current
    shown = current if request.method == "POST" else _requested_version(request, facet, current)
    initial = shown or Guideline(instructions="", grades=[])
    versions = versions_in_use(collection).get(facet.pk, [])
    context = {
        "collection": collection,
        "facet": facet,
        "current": current,
        "shown": shown,
        "form": form,
        "help_request": draft.request,
        "apply_form": apply_form,
        "applies": bool(apply_form.errors or apply_form.initial.get("queries")),
        "preview": form.is_bound,
        "instructions": form.instructions_as_typed() if form.is_bound else initial.instructions,
        "grades": form.grades_as_typed() if form.is_bound else initial.grades,
        "versions": versions,
        "open": sum(len(use.queries) for use in versions),
        "earlier": sum(len(use.queries) for use in versions[1:]),
    }
    is_wrong = (
        form.errors or any(grade.errors for grade in form.grades.values()) or apply_form.errors
    )
    return render(request, "annotation/guideline.html", context, status=422 if is_wrong else 200)


@in_collection(*READERS)
@require_http_methods(["GET", "HEAD", "POST"])
def guideline_text(request: HttpRequest, collection: Collection, facet: str) -> HttpResponse:
    """The whole text of a version, to be read and printed; an annotator confirms the reading.

    `then` is the name of a query to go on with.
    """
    facet_row = _facet_or_404(collection, facet)
    versions = list(versions_to_read(facet_row))
    wanted = _requested_version(request, facet_row, versions[0] if versions else None)
    found = next((version for version in versions if version == wanted), None)
    guideline = row_or_404(found, "no open query is judged by this version")
    person, then = person_of(request), request.GET.get("then", "")
    judges = bool(roles_in(collection, person) & set(JUDGES))
    if request.method == "POST" and judges:
        record_reading(guideline, person)
        place = ("judge-query", collection.slug, then) if then else ("judge", collection.slug)
        return redirect(*place)
    context = {
        "collection": collection,
        "facet": facet_row,
        "tabs": [
            {
                "url": reverse("guideline-text", args=[collection.slug, each.slug]),
                "caption": each.name,
                "current": each == facet_row,
                "aria_current": "page",
            }
            for each in collection.facets.all()
        ],
        "guideline": guideline,
        "versions": versions,
        "is_unread": judges and must_read(guideline, person),
    }
    return render(request, "annotation/guideline_text.html", context)


def _facet_or_404(collection: Collection, slug: str) -> Facet:
    facet = next((facet for facet in collection.facets.all() if facet.slug == slug), None)
    return row_or_404(facet, f"{collection.slug} has no facet {slug}.")


def _requested_version(
    request: HttpRequest, facet: Facet, current: Guideline | None
) -> Guideline | None:
    version = request.GET.get("version", "")
    if not version:
        return current
    if not re.fullmatch("[0-9]{1,5}", version):  # others, such as "²", are not versions
        raise BadRequest(f'"version" must be a whole number like 2, got "{version[:20]}".')
    return get_object_or_404(facet.guidelines, version=int(version))


def _write(
    request: HttpRequest,
    collection: Collection,
    facet: Facet,
    form: GuidelineForm,
    draft: ExampleDraft,
) -> HttpResponse:
    instructions, grades = form.instructions_as_typed(), form.grades_as_typed()
    if draft.request is None:
        new_version = services.write_guideline(
            facet=facet, instructions=instructions, grades=grades
        )
    else:
        new_version = write_example(
            request=draft.request,
            written_by=person_of(request),
            instructions=instructions,
            grades=grades,
            based_on=form.cleaned_data["based_on"],
        )
    messages.success(
        request,
        f"Version {new_version.version} is written. Queries that you open from now on use it; "
        "open queries keep theirs, unless you apply it to them.",
    )
    return redirect("guideline", collection.slug, facet.slug)
