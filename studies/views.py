"""The admin's pages about full-text studies."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from agreement.coefficients import COEFFICIENTS
from corpus.models import FullText
from studies.forms import StudyForm, eligible_raters
from studies.models import Study
from studies.reading import progress_of
from studies.report import PAPER_MINUTES, PAPER_PAIRS, as_csv, paper_values, report_of
from studies.services import StudyError, create_study, end_study, with_full_texts
from web.downloads import text_download
from web.tables.cells import numbered_page


@in_collection(Role.ADMIN)
@require_safe
def studies(request: HttpRequest, collection: Collection) -> HttpResponse:
    page = numbered_page(collection.studies.select_related("rater"), request)
    progress = progress_of(page.rows)
    context = {
        "page": page,
        "studies": [(study, progress[study.pk]) for study in page.rows],
        **({} if page.rows else _readiness(collection)),
    }
    return render(request, "studies/studies.html", context)


def _readiness(collection: Collection) -> dict[str, int]:
    return {
        "full_texts": FullText.objects.filter(document__collection=collection).count(),
        "with_both": with_full_texts(collection).count(),
    }


@in_collection(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def new_study(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = StudyForm(request.POST or None, collection=collection)
    if request.method == "POST" and form.is_valid():
        try:
            study = create_study(
                collection=collection, created_by=person_of(request), **form.cleaned_data
            )
        except StudyError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"{study} is ready for {study.rater.shown_name}.")
            return redirect("study", collection.slug, study.name)
    context = {
        "form": form,
        "has_raters": eligible_raters(collection).exists(),
        **_readiness(collection),
    }
    return render(request, "studies/new_study.html", context, status=422 if form.errors else 200)


@in_collection(Role.ADMIN)
@require_safe
def study(request: HttpRequest, collection: Collection, study: str) -> HttpResponse:
    report = report_of(_study(collection, study))
    context = {
        "report": report,
        "study": report.study,
        "coefficients": COEFFICIENTS,
        "paper": paper_values(),
        "paper_pairs": PAPER_PAIRS,
        "paper_minutes": PAPER_MINUTES,
    }
    return render(request, "studies/study.html", context)


@in_collection(Role.ADMIN)
@require_safe
def study_csv(request: HttpRequest, collection: Collection, study: str) -> HttpResponse:
    report = report_of(_study(collection, study))
    if report.result is None:
        raise Http404("not every pair is rated, and the study has not ended")
    return text_download(as_csv(report), "text/csv", f"{collection.slug}-study-{study}.csv")


@in_collection(Role.ADMIN)
@require_POST
def end(request: HttpRequest, collection: Collection, study: str) -> HttpResponse:
    found = _study(collection, study)
    end_study(study=found)
    messages.success(request, f"{found} has ended. It takes no more ratings.")
    return redirect("study", collection.slug, found.name)


def _study(collection: Collection, name: str) -> Study:
    found = collection.studies.select_related("collection", "rater").filter(name=name).first()
    if found is None:
        raise Http404(f"no study {name!r} here")
    return found
