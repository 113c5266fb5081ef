"""The admin's pages of releases: checks and versions, a version, its file, a draft, the datasheet."""

from __future__ import annotations

import io

from django.contrib import messages
from django.http import FileResponse, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST, require_safe

from accounts.access import CollectionRequest, in_collection
from accounts.models import ADMIN, Collection
from release import changes, datasheet, gate, publishing
from release.forms import DatasheetForm, PublishForm
from release.public_views import file_response
from web.errors import NotFound, attempt
from web.tables import Column, Filter, Table


@require_http_methods(["GET", "POST"])
@in_collection(ADMIN)
def release(request: CollectionRequest, collection: Collection) -> HttpResponse:
    found = gate.findings(collection)
    before, has_models = collection.releases.first(), collection.model_judges.exists()
    form = PublishForm(request.POST or None, findings=found, before=before, has_models=has_models)
    if form.is_valid():
        if attempt(form, publishing.request_release, collection=collection, by=request.user, **form.values):
            return redirect("release", collection.slug)
    table = Table(
        request,
        collection.releases.select_related("published_by"),
        name="versions",
        row="release/_version_row.html",
        columns=[
            Column("version", "Version"),
            Column("labels", "Labels", number=True, sortable=False, value=lambda row: row.manifest["counts"]["labels"]),
            Column("changed", "Changes", sortable=False, folded=True),
            Column("size", "Size", number=True, folded=True),
            Column("sha256", "SHA-256", sortable=False, folded=True),
            Column("published_at", "Published", number=True),
        ],
        default="-published_at",
        one="version",
        many="versions",
    )
    context = {
        "collection": collection,
        "form": form,
        "passed": [each for each in found if not each.is_fault],
        "must_fix": [each for each in found if each.is_fault and not each.check.effect],
        "job": collection.jobs.filter(kind=publishing.KIND).first(),
        "newest": before,
    }
    return table.response("release/release.html", context)


@require_GET
@in_collection(ADMIN)
def version(request: CollectionRequest, collection: Collection, version: str) -> HttpResponse:
    published = get_object_or_404(collection.releases.select_related("published_by"), version=version)
    manifest = published.manifest
    context = {"collection": collection, "release": published, "manifest": manifest}
    context["files"] = sorted(manifest["files"].items())  # PostgreSQL keeps no order of keys
    return render(request, "release/version.html", context)


@require_GET
@in_collection(ADMIN)
def version_changes(request: CollectionRequest, collection: Collection, version: str) -> HttpResponse:
    """The labels that differ from those of an earlier version, at first of the one just before."""
    published = get_object_or_404(collection.releases, version=version)
    earlier = collection.releases.filter(pk__lt=published.pk)
    since = earlier.filter(version=request.GET.get("since", "")).first() or earlier.first()
    if since is None:
        raise NotFound(f"{version} is the first version: there is none before it to compare with.")
    before = changes.published_grades(since)
    rows = changes.changed_rows(before, changes.published_grades(published))
    kinds = ("added", "changed", "removed")
    table = Table(
        request,
        [row | {"kind": changes.kind(row)} for row in rows],
        name="changes",
        row="release/_change_row.html",
        columns=[
            Column("query", "Query"),
            Column("docno", "Document"),
            Column("kind", "Change", folded=True),
            Column("before", since.version, number=True),
            Column("after", version, number=True),
        ],
        search=("query", "docno"),
        filters=[Filter("kind", "Change", [(kind, kind) for kind in kinds])],
        one="label",
        many="labels",
    )
    context = {"collection": collection, "release": published, "since": since, "earlier": earlier}
    return table.response("release/changes.html", context | {"changes": changes.summary(since.version, before, rows)})


@require_POST
@in_collection(ADMIN)
def release_public(request: CollectionRequest, collection: Collection, version: str) -> HttpResponse:
    published = get_object_or_404(collection.releases, version=version)
    publishing.show_publicly(release=published, is_public="public" in request.POST)
    return redirect("version", collection.slug, version)


@require_safe
@in_collection(ADMIN)
def release_file(request: CollectionRequest, collection: Collection, version: str) -> HttpResponse:
    return file_response(request, get_object_or_404(collection.releases, version=version))


@require_GET
@in_collection(ADMIN)
def export(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """Everything as it is now, marked as a draft; judging goes on."""
    built = publishing.draft(collection, with_texts="texts" in request.GET)
    name = f"{collection.slug}-draft.zip"
    return FileResponse(io.BytesIO(built.content), as_attachment=True, filename=name)  # type: ignore[return-value]


@require_http_methods(["GET", "POST"])
@in_collection(ADMIN)
def datasheet_page(request: CollectionRequest, collection: Collection) -> HttpResponse:
    form = DatasheetForm(request.POST or None, initial=datasheet.answers_of(collection))
    if form.is_valid():
        if attempt(form, datasheet.save_answers, collection=collection, answers=form.cleaned_data):
            messages.success(request, "Saved. The next version has these answers.")
            return redirect("datasheet", collection.slug)
    required = [question for question in datasheet.QUESTIONS.values() if question.required]
    answered = len(required) - len(datasheet.unanswered(collection))
    context = {"collection": collection, "form": form, "answered": answered, "required": len(required)}
    return render(request, "release/datasheet.html", context)
