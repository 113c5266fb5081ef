"""The page *State of the server*, for staff."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import person_of
from server.checks.registry import examine, worst
from server.checks.results import CheckLevel
from server.metrics.stored import read_figures


@require_safe
def server_state(request: HttpRequest) -> HttpResponse:
    if not person_of(request).is_staff:
        raise PermissionDenied("Only staff may see the state of the server.")
    results = examine()
    context = {
        "results": results,
        "worst": worst(results),
        "failed": [each for each in results if each.result.level == CheckLevel.FAILED],
        "figures": read_figures(),
    }
    return render(request, "server/state.html", context)
