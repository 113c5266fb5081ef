"""Archive a collection, download all of it, and delete it."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from dashboard.settings.archiving import (
    ArchiveError,
    JobsInProgress,
    WrongName,
    archive_collection,
    request_deletion,
    unarchive_collection,
)
from dashboard.settings.deletion import contents_of
from dashboard.settings.export import export_collection
from dashboard.views import settings_page


class DeletionForm(forms.Form):
    name = forms.CharField(
        max_length=60,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )

    def __init__(self, *args: object, slug: str) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self.fields["name"].label = f"Type {slug} to confirm"


@in_collection(Role.ADMIN)
@require_POST
def archive(request: HttpRequest, collection: Collection) -> HttpResponse:
    try:
        archive_collection(collection=collection)
    except JobsInProgress as error:
        return settings_page(request, collection, archive_error=error)
    messages.success(request, f"{collection} is archived. It can be read but not changed.")
    return redirect("collection-settings", collection.slug)


@in_collection(Role.ADMIN)
@require_POST
def unarchive(request: HttpRequest, collection: Collection) -> HttpResponse:
    try:
        unarchive_collection(collection=collection)
    except ArchiveError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"{collection} is no longer archived. It can be changed again.")
    return redirect("collection-settings", collection.slug)


@in_collection(Role.ADMIN)
@require_POST
def export(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    """All of the collection. A POST, because the end of the download is recorded."""
    try:
        content = export_collection(collection)
    except ArchiveError as error:
        messages.error(request, str(error))
        return redirect("collection-settings", collection.slug)
    return StreamingHttpResponse(
        content,
        content_type="application/zip",
        headers={"Content-Disposition": f'attachment; filename="{collection.slug}-all.zip"'},
    )


@in_collection(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = DeletionForm(request.POST or None, slug=collection.slug)
    if request.method == "POST" and form.is_valid():
        try:
            job = request_deletion(
                collection=collection,
                name=form.cleaned_data["name"],
                requested_by=person_of(request),
            )
        except WrongName as error:
            form.add_error("name", str(error))
        except ArchiveError as error:
            messages.error(request, str(error))
            return redirect("collection-settings", collection.slug)
        else:
            return redirect("job", collection.slug, job.pk)
    context = {"form": form, "contents": contents_of(collection)}
    status = 422 if form.errors else 200
    return render(request, "dashboard/confirm_delete.html", context, status=status)
