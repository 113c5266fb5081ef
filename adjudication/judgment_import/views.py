"""The page to import judgments that were made elsewhere, for admins."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from adjudication.judgment_import.forms import JudgmentsForm
from adjudication.judgment_import.uploads import (
    JUDGMENTS_KIND,
    JudgmentsUnderWay,
    request_judgments,
)
from web.disk import NoRoom
from web.file_fields import refuse_upload


@in_collection(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def import_judgments(request: HttpRequest, collection: Collection) -> HttpResponse:
    if request.method != "POST":
        return _page(request, collection, JudgmentsForm(collection=collection))
    form = JudgmentsForm(request.POST, request.FILES, collection=collection)
    if not form.is_valid():
        return _page(request, collection, form, status=422)
    try:
        job = request_judgments(
            collection=collection,
            uploads=form.cleaned_data["file"],
            options=form.import_options(),
            requested_by=person_of(request),
        )
    except (JudgmentsUnderWay, NoRoom) as error:
        return _page(request, collection, form, status=refuse_upload(form, "file", error))
    return redirect("job", collection.slug, job.pk)


def _page(
    request: HttpRequest, collection: Collection, form: JudgmentsForm, status: int = 200
) -> HttpResponse:
    context = {
        "form": form,
        "running": collection.jobs.live().filter(kind=JUDGMENTS_KIND).first(),
        "command": "import_judgments",
        "sample": "judgments.csv",
        "back": "board",
        "example_query": collection.facets.all()[0].query_name("q1"),
        "imports": collection.judgment_imports.all()[:20],
    }
    return render(request, "adjudication/import_judgments.html", context, status=status)
