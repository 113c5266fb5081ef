"""The admin's page of systems: their lists and the origin of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from database.natural_order import natural_key
from jobs.listing import jobs_to_show
from scoring.baselines.catalogue import is_current_definition
from scoring.models import System, SystemKind
from scoring.services import out_of_date, unscored_runs
from scoring.systems.forms import SystemForm
from scoring.systems.services import SystemFault, delete_system, import_summary, set_repetition
from scoring.systems.uploads import IMPORT_KIND, request_system_import
from web.disk import NoRoom
from web.file_fields import refuse_upload
from web.tables.cells import numbered_page

MAKES_SYSTEMS = (IMPORT_KIND,)


@dataclass(frozen=True)
class SystemTableRow:
    """A system as the table shows it. `lists` is None for a run, whose lists are on its page."""

    system: System
    lists: int | None
    is_current: bool

    @property
    def origin(self) -> str:
        parameters: Mapping[str, Any] = self.system.parameters
        if self.system.kind == SystemKind.FILE:
            return ", ".join(parameters.get("files", []))
        if self.system.kind == SystemKind.RUN:
            return "run of this collection"
        is_current = is_current_definition(parameters)
        return "made here" if is_current else "made here, by an earlier definition"

    @property
    def report(self) -> str:
        """The counts of an imported system's files, read and left out."""
        is_imported = self.system.kind == SystemKind.FILE
        return import_summary(self.system.report) if is_imported else ""


@in_collection(Role.ADMIN)
@require_safe
def systems(request: HttpRequest, collection: Collection) -> HttpResponse:
    return systems_page(request, collection, SystemForm())


def systems_page(
    request: HttpRequest, collection: Collection, form: SystemForm, status: int = 200
) -> HttpResponse:
    old = {system.pk for system in out_of_date(collection)}
    every_system = sorted(
        collection.systems.annotate(lists=Count("rankings")),
        key=lambda system: natural_key(system.name),
    )
    page = numbered_page(every_system, request)
    rows = [
        SystemTableRow(
            system,
            None if system.kind == SystemKind.RUN else system.lists,
            system.pk not in old,
        )
        for system in page.rows
    ]
    context = {
        "collection": collection,
        "page": page,
        "rows": rows,
        "form": form,
        "unscored": unscored_runs(collection),
        "jobs": jobs_to_show(collection, MAKES_SYSTEMS),
    }
    return render(request, "evaluation/systems.html", context, status=status)


@in_collection(Role.ADMIN)
@require_POST
def import_system(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = SystemForm(request.POST, request.FILES)
    if not form.is_valid():
        return systems_page(request, collection, form, status=422)
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
        status = refuse_upload(form, "name", error)
        return systems_page(request, collection, form, status=status)
    messages.info(request, f"Importing the system {values['name']}.")
    return redirect("systems", collection.slug)


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
    else:
        messages.success(request, f"Removed the system {name}.")
    return redirect("systems", collection.slug)


@in_collection(Role.ADMIN)
@require_POST
def repetition(request: HttpRequest, collection: Collection, name: str) -> HttpResponse:
    system = get_object_or_404(collection.systems, name=name)
    group = request.POST.get("repetition_of", "").strip()
    try:
        set_repetition(system=system, repetition_of=group)
    except SystemFault as error:
        messages.error(request, str(error))
    else:
        text = f"a repetition of {group}" if group else "no repetition"
        messages.success(request, f"{name} is {text}.")
    return redirect("systems", collection.slug)
