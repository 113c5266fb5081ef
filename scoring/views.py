"""The admin's page that adds systems, and what is done to one system."""

from __future__ import annotations

from typing import NamedTuple

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from agreement.revision import revision_of
from jobs.listing import jobs_to_show
from retrieval.errors import RetrievalError
from scoring.baselines.catalogue import BaselineError, Distance
from scoring.baselines.rows import BaselineRow, baseline_rows
from scoring.baselines.services import JOB_KIND, request_baselines
from scoring.systems.forms import SystemForm
from scoring.systems.services import SystemFault, delete_system
from scoring.systems.uploads import IMPORT_KIND, request_system_import
from web.disk import NoRoom
from web.file_fields import refuse_upload


class BaselineGroup(NamedTuple):
    """The baselines of a heading of the page."""

    title: str
    note: str
    rows: list[BaselineRow]


@in_collection(Role.ADMIN)
@require_safe
def add_system(request: HttpRequest, collection: Collection) -> HttpResponse:
    return _page(request, collection)


@in_collection(Role.ADMIN)
@require_POST
def import_system(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = SystemForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, collection, form, status=422)
    values = form.cleaned_data
    try:
        request_system_import(
            collection=collection,
            name=values["name"],
            files=values["file"],
            repetition_of=values["repetition_of"],
            requested_by=person_of(request),
        )
    except (SystemFault, NoRoom) as error:
        return _page(request, collection, form, status=refuse_upload(form, "name", error))
    messages.info(request, f"Importing the system {values['name']}.")
    return redirect("leaderboard", collection.slug)


@in_collection(Role.ADMIN)
@require_POST
def make_baselines(request: HttpRequest, collection: Collection) -> HttpResponse:
    try:
        job = request_baselines(
            collection=collection,
            names=request.POST.getlist("name"),
            encoder=request.POST.get("encoder", ""),
            distance=request.POST.get("distance", ""),
            requested_by=person_of(request),
        )
    except (BaselineError, RetrievalError) as error:
        messages.warning(request, str(error))
        return _page(request, collection, status=422)
    return redirect("job", collection.slug, job.pk)


def _page(
    request: HttpRequest, collection: Collection, form: SystemForm | None = None, status: int = 200
) -> HttpResponse:
    rows = baseline_rows(collection)
    context = {
        "collection": collection,
        "form": form or SystemForm(),
        "groups": [
            BaselineGroup(
                "Baselines of CSFCube’s paper",
                "With its names and definitions. They are made if you choose none.",
                [row for row in rows if not row.baseline.is_variant],
            ),
            BaselineGroup(
                "Variants",
                "They are not in the paper, and are made only if you choose them.",
                [row for row in rows if row.baseline.is_variant],
            ),
        ],
        "distances": list(Distance),
        "encoders": settings.ENCODERS,
        "judged": revision_of(collection).judged,
        "jobs": jobs_to_show(collection, [IMPORT_KIND, JOB_KIND]),
    }
    return render(request, "evaluation/add_system.html", context, status=status)


@in_collection(Role.ADMIN)
@require_POST
def remove_system(request: HttpRequest, collection: Collection, name: str) -> HttpResponse:
    system = get_object_or_404(collection.systems, name=name)
    if "confirmed" not in request.POST:
        context = {"collection": collection, "system": system, "lists": system.rankings.count()}
        return render(request, "evaluation/confirm_remove_system.html", context)
    try:
        delete_system(system=system)
    except SystemFault as error:
        messages.error(request, str(error))
        return redirect("system", collection.slug, name)
    messages.success(request, f"Removed the system {name}.")
    return redirect("leaderboard", collection.slug)
