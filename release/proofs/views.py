"""The admin's pages about the proofs. With `format=json` each gives the whole proof as a file."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from jobs.listing import jobs_to_show
from release.proofs.blindness.hidden_text import KINDS
from release.proofs.blindness.report import BlindnessCheck
from release.proofs.display import MOST_NAMED, DifferingJudgment, DisplayProof
from reports.kinds import ReportKind
from reports.models import StoredReport
from reports.services import changed_since, request_report, stored_report
from web.downloads import json_download
from web.tables.cells import numbered_page


@in_collection(Role.ADMIN)
@require_safe
def show_display_proof(request: HttpRequest, collection: Collection) -> HttpResponse:
    report = stored_report(DisplayProof(), collection)
    if report and _is_file(request):
        return json_download(report.payload, f"{collection.slug}-display-proof.json")
    context = _state(collection, DisplayProof(), report, "prove-display")
    context["can_make"] = collection.queries.filter(slot_counts__judged__gt=0).exists()
    if report:
        differences = [DifferingJudgment(*row) for row in report.payload["differences"]]
        context["page"] = numbered_page(differences, request, anchor="#differences")
        found = report.summary["different"] + report.summary["earlier_different"]
        context["most_named"] = MOST_NAMED if found > MOST_NAMED else None
    return render(request, "release/display_proof.html", context)


@in_collection(Role.ADMIN)
@require_POST
def prove_display(request: HttpRequest, collection: Collection) -> HttpResponse:
    request_report(DisplayProof(), collection=collection, requested_by=person_of(request))
    messages.info(request, "Checking the judgments.")
    return redirect("display-proof", collection.slug)


@in_collection(Role.ADMIN)
@require_safe
def show_blindness(request: HttpRequest, collection: Collection) -> HttpResponse:
    report = stored_report(BlindnessCheck(), collection)
    if report and _is_file(request):
        return json_download(report.payload, f"{collection.slug}-blindness.json")
    context = _state(collection, BlindnessCheck(), report, "check-blindness")
    context["can_make"] = collection.queries.filter(slot_counts__isnull=False).exists()
    if report:
        context["page"] = numbered_page(report.payload["findings"], request, anchor="#findings")
        searched, unsearchable = report.summary["searched"], report.summary["unsearchable"]
        context["kinds"] = [
            (words, searched[kind], unsearchable[kind]) for kind, words in KINDS.items()
        ]
    return render(request, "release/blindness.html", context)


@in_collection(Role.ADMIN)
@require_POST
def check_blindness(request: HttpRequest, collection: Collection) -> HttpResponse:
    request_report(BlindnessCheck(), collection=collection, requested_by=person_of(request))
    messages.info(request, "Requesting the pages of all judges.")
    return redirect("blindness", collection.slug)


def _is_file(request: HttpRequest) -> bool:
    return request.GET.get("format") == "json"


def _state(
    collection: Collection, kind: ReportKind, report: StoredReport | None, make: str
) -> dict[str, Any]:
    """The latest proof of the kind, what changed since, its jobs, and where it is made anew."""
    return {
        "collection": collection,
        "make_url": reverse(make, args=[collection.slug]),
        "report": report,
        "changed": changed_since(report) if report else "",
        "jobs": jobs_to_show(collection, [kind.name]),
    }
