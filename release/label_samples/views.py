"""The admin's pages about samples of the citation labels."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from jobs.listing import jobs_to_show
from pooling.models import Pool
from release.label_samples.forms import LabelSampleForm
from release.label_samples.models import LabelSample
from release.label_samples.reading import label_report, sample_lines
from release.label_samples.services import JOB_KIND, request_sample
from release.label_samples.tables import as_csv, overall_rates, rate_tables, undefined_values
from web.downloads import text_download
from web.errors import UserFacingError


@in_collection(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def label_samples(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = LabelSampleForm(collection, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            request_sample(collection=collection, requested_by=person_of(request), **form.values)
        except UserFacingError as error:
            form.add_error(None, str(error))
        else:
            messages.info(request, "The sample is being drawn.")
            return redirect("label-samples", collection.slug)
    context = {
        "lines": sample_lines(collection),
        "form": form,
        "frozen": Pool.objects.frozen().filter(query_paper__collection=collection).exists(),
        "jobs": jobs_to_show(collection, [JOB_KIND]),
    }
    status = 422 if form.errors else 200
    return render(request, "release/label_samples.html", context, status=status)


@in_collection(Role.ADMIN)
@require_safe
def show_sample(request: HttpRequest, collection: Collection, label_sample: str) -> HttpResponse:
    report = label_report(_sample(collection, label_sample))
    rates = report.released.rates if report.complete else []
    context = {
        "report": report,
        "sample": report.sample,
        "judged_in": report.sample.collection,
        "is_member": report.sample.collection.memberships.filter(user=person_of(request)).exists(),
        "overall": overall_rates(rates),
        "tables": rate_tables(rates),
        "undefined": undefined_values(rates),
    }
    return render(request, "release/label_sample.html", context)


@in_collection(Role.ADMIN)
@require_safe
def sample_rates(request: HttpRequest, collection: Collection, label_sample: str) -> HttpResponse:
    report = label_report(_sample(collection, label_sample))
    if not report.complete:
        raise Http404("not every pair has a final label")
    return text_download(as_csv(report.released), "text/csv", f"{label_sample}.rates.csv")


def _sample(collection: Collection, slug: str) -> LabelSample:
    samples = collection.label_samples.select_related("collection", "origin")
    found = samples.filter(collection__slug=slug).first()
    if found is None:
        raise Http404(f"no sample {slug!r} of these labels")
    return found
