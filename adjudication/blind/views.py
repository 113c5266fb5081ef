"""The page of what blind ratings show, for admins."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import in_collection
from accounts.models import Collection, Role
from adjudication.blind.report import blind_report, failed_checks
from web.tables.cells import numbered_page


@in_collection(Role.ADMIN)
@require_safe
def blind_ratings(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Figures of spot checks and of grades before the reveal, and the pairs that failed."""
    report = blind_report(collection)
    return render(
        request,
        "adjudication/blind_ratings.html",
        {
            "collection": collection,
            "report": report,
            "checks": [
                report.overall._replace(name="All spot checks"),
                *report.by_facet,
                *(row._replace(name=f"Both judges said {row.name}") for row in report.by_grade),
            ],
            "anchoring": [
                ("Changed after the judgments were shown", report.anchoring.changed),
                ("– to a higher grade", report.anchoring.raised),
                ("– to a lower grade", report.anchoring.lowered),
                ("– to the grade of one of the judges", report.anchoring.to_a_judge),
                ("The blind grade is that of neither judge", report.anchoring.blind_overrules),
                ("The decision is that of neither judge", report.anchoring.decision_overrules),
            ],
            "failed": numbered_page(failed_checks(collection), request),
        },
    )
