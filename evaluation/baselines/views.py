"""The admin's page of baselines."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from agreement.revision import revision_of
from evaluation.baselines.catalogue import BASELINES, Baseline, BaselineError
from evaluation.baselines.services import JOB_KIND, request_baselines
from evaluation.models import Kind, System
from jobs.listing import jobs_to_show
from retrieval.errors import RetrievalError


class BaselineRow(NamedTuple):
    """A baseline with the systems made by it: with several encoders there are several."""

    baseline: Baseline
    systems: list[System]


@in_collection(Role.ADMIN)
@require_safe
def baselines(request: HttpRequest, collection: Collection) -> HttpResponse:
    return render(request, "evaluation/baselines.html", _context(collection))


@in_collection(Role.ADMIN)
@require_POST
def make(request: HttpRequest, collection: Collection) -> HttpResponse:
    try:
        job = request_baselines(
            collection=collection,
            names=request.POST.getlist("name"),
            encoder=request.POST.get("encoder", ""),
            requested_by=person_of(request),
        )
    except (BaselineError, RetrievalError) as error:
        messages.warning(request, str(error))
        return render(request, "evaluation/baselines.html", _context(collection), status=422)
    return redirect("job", collection.slug, job.pk)


def _context(collection: Collection) -> dict[str, Any]:
    systems: dict[str, list[System]] = {name: [] for name in BASELINES}
    for system in collection.systems.filter(kind=Kind.BASELINE).order_by("name"):
        systems.setdefault(system.parameters.get("baseline", ""), []).append(system)
    return {
        "collection": collection,
        "rows": [BaselineRow(baseline, systems[name]) for name, baseline in BASELINES.items()],
        "encoders": settings.ENCODERS,
        "judged": revision_of(collection).judged,
        "jobs": jobs_to_show(collection, [JOB_KIND]),
    }
