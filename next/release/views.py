"""The admin's pages of releases: checks and versions, a version, its file, a draft, the datasheet."""

from __future__ import annotations

import io

from django.contrib import messages
from django.http import FileResponse, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from accounts.access import CollectionRequest, in_collection
from accounts.models import ADMIN, Collection
from release import datasheet, gate, publishing
from release.forms import DatasheetForm, PublishForm
from web.errors import NotFound, attempt
from web.tables import Column, Table


@require_http_methods(["GET", "POST"])
@in_collection(ADMIN)
def release(request: CollectionRequest, collection: Collection) -> HttpResponse:
    found = gate.findings(collection)
    form = PublishForm(request.POST or None, findings=found, before=collection.releases.first())
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
def release_file(request: CollectionRequest, collection: Collection, version: str) -> HttpResponse:
    published = get_object_or_404(collection.releases, version=version)
    try:
        file = published.file.open("rb")
        return FileResponse(file, as_attachment=True, filename=published.file_name)  # type: ignore[return-value]
    except Exception as error:  # each storage has its own errors
        raise NotFound(
            f"The file of version {version} cannot be read now. If it is gone, restore it from a backup: its SHA-256 "
            f"is {published.sha256}."
        ) from error


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
