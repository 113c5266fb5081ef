"""The admin's pages about guidelines."""

from __future__ import annotations

import re

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import in_collection, person_of, roles_in, row_or_404
from accounts.models import Collection, Role
from annotation import services
from annotation.guidelines.forms import GuidelineForm
from annotation.guidelines.versions import versions_in_use, versions_to_read
from annotation.models import Guideline
from corpus.models import Facet

READERS = (Role.ADMIN, Role.ANNOTATOR, Role.ADJUDICATOR)


@in_collection(*READERS)
@require_safe
def guidelines(request: HttpRequest, collection: Collection) -> HttpResponse:
    """The admin's list. The others get the text of the first facet, which links the rest."""
    if Role.ADMIN not in roles_in(collection, person_of(request)):
        first = row_or_404(collection.facets.first(), f"{collection.slug} has no facet")
        return redirect("guideline-text", collection.slug, first.slug)
    uses = versions_in_use(collection)
    facets = [(facet, uses.get(facet.pk, [])) for facet in collection.facets.all()]
    context = {"collection": collection, "facets": facets}
    return render(request, "annotation/guidelines.html", context)


@in_collection(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def guideline(request: HttpRequest, collection: Collection, facet: str) -> HttpResponse:
    facet_row = _facet_or_404(collection, facet)
    current = facet_row.guidelines.first()
    form = GuidelineForm(request.POST or None, current=current, grades=collection.grades)
    if request.method == "POST" and form.is_valid() and "preview" not in request.POST:
        if form.changed:
            return _write(request, collection, facet_row, form)
        form.add_error(None, "Nothing has changed, so no new version was saved.")
    shown_guideline = (
        current if request.method == "POST" else _requested_version(request, facet_row, current)
    )
    initial = shown_guideline or Guideline(instructions="", grades=[])
    context = {
        "collection": collection,
        "facet": facet_row,
        "current": current,
        "shown": shown_guideline,
        "form": form,
        "preview": request.method == "POST",
        "instructions": form.instructions_as_typed() if form.is_bound else initial.instructions,
        "grades": form.grades_as_typed() if form.is_bound else initial.grades,
        "versions": versions_in_use(collection).get(facet_row.pk, []),
    }
    wrong = bool(form.errors or any(grade.errors for grade in form.grades.values()))
    status = 422 if form.is_bound and wrong else 200
    return render(request, "annotation/guideline.html", context, status=status)


@in_collection(*READERS)
@require_safe
def guideline_text(request: HttpRequest, collection: Collection, facet: str) -> HttpResponse:
    """The whole text of a version, to be read and printed."""
    facet_row = _facet_or_404(collection, facet)
    versions = list(versions_to_read(facet_row))
    wanted = _requested_version(request, facet_row, versions[0] if versions else None)
    guideline = next((version for version in versions if version == wanted), None)
    context = {
        "collection": collection,
        "facet": facet_row,
        "facets": collection.facets.all(),
        "guideline": row_or_404(guideline, "no open query is judged by this version"),
        "versions": versions,
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
    request: HttpRequest, collection: Collection, facet: Facet, form: GuidelineForm
) -> HttpResponse:
    new_version = services.write_guideline(
        facet=facet, instructions=form.instructions_as_typed(), grades=form.grades_as_typed()
    )
    messages.success(
        request,
        f"Version {new_version.version} is written. Queries you open from now on use it; "
        "those open already keep theirs.",
    )
    return redirect("guideline", collection.slug, facet.slug)
