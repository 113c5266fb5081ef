"""The admin's pages about the proofs. With `format=json` each gives the whole proof as a file."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection
from accounts.models import Collection, Role
from release.proofs.blindness.hidden_text import KINDS
from release.proofs.blindness.report import BlindnessCheck
from release.proofs.display import MOST_NAMED, DifferingJudgment, DisplayProof
from reports.pages import report_context, report_json, request_from_page
from reports.services import stored_report
from web.tables.cells import numbered_page


@in_collection(Role.ADMIN)
@require_safe
def show_display_proof(request: HttpRequest, collection: Collection) -> HttpResponse:
    report = stored_report(DisplayProof(), collection)
    if report and _is_file(request):
        return report_json(DisplayProof(), collection, "display-proof")
    context = report_context(DisplayProof(), collection, report)
    context["make_url"] = reverse("prove-display", args=[collection.slug])
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
    message = "Checking the judgments."
    return request_from_page(request, collection, DisplayProof(), message=message)


@in_collection(Role.ADMIN)
@require_safe
def show_blindness(request: HttpRequest, collection: Collection) -> HttpResponse:
    report = stored_report(BlindnessCheck(), collection)
    if report and _is_file(request):
        return report_json(BlindnessCheck(), collection, "blindness")
    context = report_context(BlindnessCheck(), collection, report)
    context["make_url"] = reverse("check-blindness", args=[collection.slug])
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
    message = "Requesting the pages of all judges."
    return request_from_page(request, collection, BlindnessCheck(), message=message)


def _is_file(request: HttpRequest) -> bool:
    return request.GET.get("format") == "json"
