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
    BaselineError,
    Distance,
)
from scoring.baselines.rows import BaselineRow, baseline_rows
from scoring.baselines.services import JOB_KIND, request_baselines


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
    rows = baseline_rows(collection)
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
