"""The admin's pages of samples: list, draw, delete; and the list of paper types."""

from __future__ import annotations

import io
from pathlib import Path
from tempfile import NamedTemporaryFile

from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from corpus.documents.columns import SCANNED_UP_TO
from curation.samples.exclusions import read_exclusions
from curation.samples.forms import SampleForm, posted_type_rows, type_rows
from curation.samples.paper_types import MOST_TYPES, PaperTypeError, change_paper_types
from curation.samples.report import SampleReport, sample_report
from curation.samples.services import Exclusions, delete_sample, survey_strata
from curation.samples.strata import SampleError
from curation.samples.tasks import JOB_KIND, request_sample
from jobs.context import DirectRun
from web.disk import NoRoom
from web.file_fields import refuse_upload
from web.requests.answers import wants_part


@in_collection(Role.ADMIN)
@require_safe
def samples(request: HttpRequest, collection: Collection) -> HttpResponse:
    rows = collection.samples.annotate(
        size=Count("papers", distinct=True),
        screened=Count("papers__screenings__paper", distinct=True),
        screeners=Count("papers__screenings__screener", distinct=True),
    ).order_by("created_at", "pk")
    return render(
        request,
        "curation/samples.html",
        {
            "samples": rows,
            "jobs": collection.jobs.live().filter(kind=JOB_KIND),
            "has_documents": collection.documents.exists(),
        },
    )


@in_collection(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
@vary_on_headers("HX-Request")
def draw(request: HttpRequest, collection: Collection) -> HttpResponse:
    """The form, the preview of its strata, and the job."""
    if request.method != "POST":
        return _draw_page(request, collection, SampleForm(collection=collection))
    form = SampleForm(request.POST, request.FILES, collection=collection)
    if not form.is_valid():
        return _draw_page(request, collection, form, status=422)
    if "preview" in request.POST:
        return _preview(request, collection, form)
    try:
        job = request_sample(
            collection=collection,
            name=form.cleaned_data["name"],
            plan=form.plan(),
            requested_by=person_of(request),
            upload=form.cleaned_data["exclusions"],
        )
    except (SampleError, NoRoom) as error:
        field = "exclusions" if isinstance(error, NoRoom) else None
        return _draw_page(request, collection, form, status=refuse_upload(form, field, error))
    return redirect("job", collection.slug, job.pk)


def _preview(request: HttpRequest, collection: Collection, form: SampleForm) -> HttpResponse:
    try:
        report, problem = _survey(collection, form)
    except SampleError as error:
        return _draw_page(request, collection, form, problem=str(error))
    return _draw_page(request, collection, form, report=report, problem=problem)


def _survey(collection: Collection, form: SampleForm) -> tuple[SampleReport, str]:
    """The report on the sample that the form would draw, and what prevents the sample."""
    if collection.documents.count() > SCANNED_UP_TO:
        raise SampleError(
            f"This corpus has more than {SCANNED_UP_TO:,} documents, so a preview would take long. "
            "The job counts the strata before it saves the sample."
        )
    plan = form.plan()
    drawn = survey_strata(
        collection=collection,
        plan=plan,
        work=DirectRun(io.StringIO()),
        exclusions=_sent_exclusions(form),
    )
    problem = ""
    try:
        drawn.draw.check()
    except SampleError as error:
        problem = str(error)
    return sample_report(drawn.counts, plan.by, plan.per_stratum), problem


def _sent_exclusions(form: SampleForm) -> Exclusions:
    upload = form.cleaned_data["exclusions"]
    if upload is None:
        return Exclusions()
    with NamedTemporaryFile() as file:
        for chunk in upload.chunks():
            file.write(chunk)
        file.flush()
        return Exclusions(read_exclusions(Path(file.name), upload.name), upload.name)


def _draw_page(
    request: HttpRequest,
    collection: Collection,
    form: SampleForm,
    *,
    report: SampleReport | None = None,
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    part = wants_part(request)
    return render(
        request,
        "curation/_strata_preview.html" if part else "curation/draw_sample.html",
        {
            "collection": collection,
            "form": form,
            "report": report,
            "problem": problem,
            "has_documents": part or collection.documents.exists(),
        },
        # htmx shows no answer of another status.
        status=200 if part else status,
    )


@in_collection(Role.ADMIN)
@require_POST
def delete(request: HttpRequest, collection: Collection, sample: str) -> HttpResponse:
    row = get_object_or_404(collection.samples, name=sample)
    if "confirmed" not in request.POST:
        context = {"collection": collection, "sample": row, "papers": row.papers.count()}
        return render(request, "curation/confirm_delete_sample.html", context)
    try:
        delete_sample(sample=row)
    except SampleError as error:
        messages.error(request, str(error))
        return redirect("sample", collection.slug, row.name)
    messages.success(request, f"The sample {row.name} is deleted.")
    return redirect("samples", collection.slug)


@in_collection(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def paper_types(request: HttpRequest, collection: Collection) -> HttpResponse:
    rows, problem = type_rows(collection), ""
    if request.method == "POST":
        rows = posted_type_rows(request.POST)
        try:
            change_paper_types(
                collection=collection, plans=[row.plan for row in rows if row.plan.name]
            )
        except PaperTypeError as error:
            problem = str(error)
        else:
            messages.success(request, "The paper types are saved.")
            return redirect("paper-types", collection.slug)
    context = {"rows": rows, "problem": problem, "most": MOST_TYPES}
    return render(request, "curation/paper_types.html", context, status=422 if problem else 200)
