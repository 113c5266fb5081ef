"""The admin's pages about shadow judges."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from agreement.coefficients import COEFFICIENTS
from evaluation.label_effects.pages import ReportPage
from evaluation.label_effects.services import ShadowJudgeReport
from evaluation.label_effects.views import start_report
from evaluation.shadow_judges.forms import ShadowJudgeForm
from evaluation.shadow_judges.models import ShadowJudge
from evaluation.shadow_judges.services import (
    IMPORT_KIND,
    OMISSIONS,
    ShadowJudgeError,
    delete_shadow_judge,
    request_shadow_judge,
)
from evaluation.shadow_judges.tables import facet_tables, grades_of
from jobs.listing import jobs_to_show
from web.disk import NoRoom
from web.file_fields import refuse_upload
from web.tables.cells import numbered_page


@in_collection(Role.ADMIN)
@require_safe
def shadow_judges(request: HttpRequest, collection: Collection) -> HttpResponse:
    page = numbered_page(collection.shadow_judges.defer("prompt", "description"), request)
    context = {
        "collection": collection,
        "page": page,
        "judges": [(judge, omission_lines(judge)) for judge in page.rows],
        "jobs": jobs_to_show(collection, [IMPORT_KIND]),
    }
    return render(request, "evaluation/shadow_judges.html", context)


def omission_lines(judge: ShadowJudge) -> list[tuple[str, int, list[str]]]:
    """The lines of the file without a label: reason, number of lines, the first ids."""
    return [
        (OMISSIONS.get(reason, reason), entry["lines"], entry["examples"])
        for reason, entry in judge.omitted.items()
    ]


@in_collection(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def import_shadow_judge(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = ShadowJudgeForm(request.POST or None, request.FILES or None)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                request_shadow_judge(
                    collection=collection,
                    about=form.about(),
                    upload=form.cleaned_data["file"],
                    requested_by=person_of(request),
                )
            except (ShadowJudgeError, NoRoom) as error:
                status = refuse_upload(form, "name", error)
            else:
                messages.info(request, f"Importing the labels of {form.cleaned_data['name']}.")
                return redirect("shadow-judges", collection.slug)
    context = {
        "collection": collection,
        "form": form,
        "example": collection.facets.all()[0].query_name("q1"),
    }
    return render(request, "evaluation/import_shadow_judge.html", context, status=status)


def judge_or_404(collection: Collection, name: str) -> ShadowJudge:
    judge = collection.shadow_judges.filter(name=name).first()
    if judge is None:
        raise Http404(f"no shadow judge {name}")
    return judge


def _page(request: HttpRequest, collection: Collection, shadow_judge: str) -> ReportPage:
    judge = judge_or_404(collection, shadow_judge)
    return ReportPage.of(request, collection, ShadowJudgeReport, judge)


@in_collection(Role.ADMIN)
@require_safe
def shadow_judge(request: HttpRequest, collection: Collection, shadow_judge: str) -> HttpResponse:
    page = _page(request, collection, shadow_judge)
    assert page.shadow_judge is not None
    context: dict[str, Any] = {
        **page.context(),
        "judge": page.shadow_judge,
        "omissions": omission_lines(page.shadow_judge),
        "coefficients": COEFFICIENTS,
    }
    if page.report is not None:
        agreement = page.report.payload["agreement"]
        names = dict(collection.facets.values_list("key", "name"))
        facets = facet_tables(agreement, names)
        context |= {
            "agreement": agreement,
            "facets": [*facets[-1:], *facets[:-1]],  # all queries first
            "grades": grades_of(agreement),
        }
    return render(request, "evaluation/shadow_judge.html", context)


@in_collection(Role.ADMIN)
@require_POST
def compare_shadow_judge(
    request: HttpRequest, collection: Collection, shadow_judge: str
) -> HttpResponse:
    judge_or_404(collection, shadow_judge)
    kind = ShadowJudgeReport(request.POST.get("measure", ""), shadow_judge)
    address = reverse("shadow-judge", args=[collection.slug, shadow_judge])
    return start_report(request, collection, kind, address)


@in_collection(Role.ADMIN)
@require_safe
def shadow_judge_file(
    request: HttpRequest, collection: Collection, shadow_judge: str, extension: str
) -> HttpResponse:
    page = _page(request, collection, shadow_judge)
    return page.file(extension, f"shadow-judge-{shadow_judge}")


@in_collection(Role.ADMIN)
@require_POST
def remove_shadow_judge(
    request: HttpRequest, collection: Collection, shadow_judge: str
) -> HttpResponse:
    judge = judge_or_404(collection, shadow_judge)
    if "confirmed" not in request.POST:
        context = {"collection": collection, "judge": judge}
        return render(request, "evaluation/confirm_delete_shadow_judge.html", context)
    delete_shadow_judge(collection=collection, name=judge.name)
    messages.success(request, f"Deleted the shadow judge {judge}.")
    return redirect("shadow-judges", collection.slug)
