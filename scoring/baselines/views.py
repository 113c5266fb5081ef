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
from jobs.listing import jobs_to_show
from retrieval.errors import RetrievalError
from scoring.baselines.catalogue import (
    BASELINES,
    Baseline,
    BaselineError,
    Distance,
    is_current_definition,
)
from scoring.baselines.services import JOB_KIND, request_baselines
from scoring.models import System, SystemKind


class MadeSystem(NamedTuple):
    """A system made by a baseline; out of date if by an earlier definition of it."""

    system: System
    is_current: bool


class BaselineRow(NamedTuple):
    """A baseline with its systems: several with several encoders or distances."""

    baseline: Baseline
    systems: list[MadeSystem]


class BaselineGroup(NamedTuple):
    """The baselines of a heading of the page."""

    title: str
    note: str
    rows: list[BaselineRow]


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
            distance=request.POST.get("distance", ""),
            requested_by=person_of(request),
        )
    except (BaselineError, RetrievalError) as error:
        messages.warning(request, str(error))
        return render(request, "evaluation/baselines.html", _context(collection), status=422)
    return redirect("job", collection.slug, job.pk)


def _context(collection: Collection) -> dict[str, Any]:
    rows = _rows(collection)
    return {
        "collection": collection,
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
        "jobs": jobs_to_show(collection, [JOB_KIND]),
    }


def _rows(collection: Collection) -> list[BaselineRow]:
    systems: dict[str, list[MadeSystem]] = {name: [] for name in BASELINES}
    for system in collection.systems.filter(kind=SystemKind.BASELINE).order_by("name"):
        made = MadeSystem(system, is_current_definition(system.parameters))
        systems.setdefault(system.parameters.get("baseline", ""), []).append(made)
    return [BaselineRow(baseline, systems[name]) for name, baseline in BASELINES.items()]
