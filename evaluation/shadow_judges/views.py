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
from evaluation.label_effects.pages import (
    LabelReports,
    chosen_measure,
    measure_context,
)
from evaluation.label_effects.services import ShadowJudgeReport
from evaluation.label_effects.views import start_reports
from evaluation.shadow_judges.asking.page import asking_figures
from evaluation.shadow_judges.forms import ShadowJudgeForm
from evaluation.shadow_judges.models import ShadowJudge
from evaluation.shadow_judges.parts import ReportPart, report_parts
from evaluation.shadow_judges.services import (
    ShadowJudgeError,
    delete_shadow_judge,
    family_names,
    name_family,
    request_shadow_judge,
)
from evaluation.shadow_judges.tables import facet_tables, grades_of, omissions_of
from reports.models import StoredReport
from web.disk import NoRoom
from web.figure_files import figure_file
from web.file_fields import refuse_upload


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
                return _to_list(collection)
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


def _to_list(collection: Collection) -> HttpResponse:
    return redirect(f"{reverse('label-effects', args=[collection.slug])}#shadow-judges")


def _reports(collection: Collection, shadow_judge: str) -> LabelReports:
    return LabelReports(collection, ShadowJudgeReport, judge_or_404(collection, shadow_judge))


def _parts(report: StoredReport, judge: ShadowJudge) -> list[ReportPart]:
    facets = dict(judge.collection.facets.values_list("key", "name"))
    return report_parts(report.payload, facets, judge.family)


@in_collection(Role.ADMIN)
@require_safe
def shadow_judge(request: HttpRequest, collection: Collection, shadow_judge: str) -> HttpResponse:
    reports = _reports(collection, shadow_judge)
    assert reports.shadow_judge is not None
    measure = chosen_measure(request, [reports])
    context: dict[str, Any] = {
        **measure_context(collection, measure, [reports]),
        "judge": reports.shadow_judge,
        "omissions": omissions_of(reports.shadow_judge),
        "asking": asking_figures(collection, reports.shadow_judge),
        "coefficients": COEFFICIENTS,
    }
    if report := reports.by(measure):
        agreement = report.payload["agreement"]
        names = dict(collection.facets.values_list("key", "name"))
        facets = facet_tables(agreement, names)
        parts = _parts(report, reports.shadow_judge)
        figures = [figure for part in parts for figure in part.figures]
        section = reports.section(report, "shadow-judge", (), figures)
        drawn = {each.figure.name: each for each in section.figures}
        context |= {
            "section": section,
            "parts": [
                {"part": part, "figures": [drawn[figure.name] for figure in part.figures]}
                for part in parts
            ],
            "agreement": agreement,
            "facets": [*facets[-1:], *facets[:-1]],  # all queries first
            "grades": grades_of(agreement),
            "families": family_names(collection),
        }
    return render(request, "evaluation/shadow_judge.html", context)


@in_collection(Role.ADMIN)
@require_safe
def shadow_judge_figure(
    request: HttpRequest, collection: Collection, shadow_judge: str, figure: str, extension: str
) -> HttpResponse:
    reports = _reports(collection, shadow_judge)
    assert reports.shadow_judge is not None
    report = reports.by(chosen_measure(request, [reports]))
    parts = _parts(report, reports.shadow_judge) if report else []
    figures = [figure for part in parts for figure in part.figures]
    return figure_file(figures, figure, extension, f"{collection.slug}-{shadow_judge}")


@in_collection(Role.ADMIN)
@require_POST
def compare_shadow_judge(
    request: HttpRequest, collection: Collection, shadow_judge: str
) -> HttpResponse:
    judge_or_404(collection, shadow_judge)
    kind = ShadowJudgeReport(request.POST.get("measure", ""), shadow_judge)
    address = reverse("shadow-judge", args=[collection.slug, shadow_judge])
    return start_reports(request, collection, [kind], address)


@in_collection(Role.ADMIN)
@require_POST
def choose_family(request: HttpRequest, collection: Collection, shadow_judge: str) -> HttpResponse:
    judge_or_404(collection, shadow_judge)
    family = request.POST.get("family", "")
    try:
        name_family(collection=collection, name=shadow_judge, family=family)
    except ShadowJudgeError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"The family is {family}." if family else "No family is named.")
    return redirect(f"{reverse('shadow-judge', args=[collection.slug, shadow_judge])}#preference")


@in_collection(Role.ADMIN)
@require_safe
def shadow_judge_file(
    request: HttpRequest, collection: Collection, shadow_judge: str, extension: str
) -> HttpResponse:
    reports = _reports(collection, shadow_judge)
    return reports.file(request, extension, f"shadow-judge-{shadow_judge}")


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
    return _to_list(collection)
