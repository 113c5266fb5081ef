"""Pages of a collection's jobs: show, cancel and retry them."""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from django_htmx.middleware import HtmxDetails

from accounts.access import in_collection, person_of
from accounts.models import OWNERS, Collection
from jobs import registry, uploaded_files
from jobs.models import LIVE, Job
from jobs.owners import searchable, told, visible_jobs
from jobs.services import enqueue, request_cancel
from jobs.tables import JOBS, job_filters, newest_first
from web.tables.columns import csv_file, wants_csv
from web.tables.filters import filter_bar, filter_queryset
from web.tables.paging import typed

LISTED = 100  # live jobs
CHUNK = 500  # rows of a CSV file that are read together


@in_collection(*OWNERS)
@never_cache
@require_safe
def jobs(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    all_jobs = visible_jobs(collection, person_of(request)).select_related("requested_by")
    filters = job_filters(all_jobs)
    words = typed(request.GET, "q")
    if words:  # they could be of an error that is hidden
        all_jobs = searchable(all_jobs)
    matches = filter_queryset(all_jobs.matching(words), filters, request.GET)
    ended = newest_first(matches.exclude(state__in=LIVE))
    columns = JOBS.shown(request)
    if wants_csv(request):
        lines = map(told, ended.in_order().iterator(chunk_size=CHUNK))
        return csv_file(f"{collection.slug}-jobs", columns, lines)
    bar = filter_bar(request, filters, caption="File, error or kind", button="Find jobs", kept=())
    page = ended.page(request)
    return render(
        request,
        "jobs/jobs.html",
        {
            "live": [told(job) for job in matches.filter(state__in=LIVE)[:LISTED]],
            "page": page,
            "rows": [told(job) for job in page.rows],
            "bar": bar,
            "columns": columns,
            "is_empty": not bar.is_active and not all_jobs.exists(),
        },
    )


@in_collection(*OWNERS)
@never_cache
@require_safe
def job(request: HttpRequest, collection: Collection, job_id: uuid.UUID) -> HttpResponse:
    return render(request, "jobs/job.html", {"job": told(_job(request, collection, job_id))})


@in_collection(*OWNERS)
@never_cache
@require_safe
def card(request: HttpRequest, collection: Collection, job_id: uuid.UUID) -> HttpResponse:
    """The job's card alone. The card reloads itself while the job is live."""
    htmx: HtmxDetails | None = getattr(request, "htmx", None)
    page = htmx.current_url_abs_path if htmx else None
    context = {"job": told(_job(request, collection, job_id)), "seen_on": page}
    return render(request, "jobs/_polled_card.html", context)


@in_collection(*OWNERS)
@require_POST
def cancel(request: HttpRequest, collection: Collection, job_id: uuid.UUID) -> HttpResponse:
    job = _job(request, collection, job_id)
    if job.is_live:
        request_cancel(job=job)
    else:
        messages.info(request, "This job had already finished, so it was not cancelled.")
    return redirect("job", collection.slug, job.pk)


@in_collection(*OWNERS)
@require_POST
def try_again(request: HttpRequest, collection: Collection, job_id: uuid.UUID) -> HttpResponse:
    old = _job(request, collection, job_id)
    if old.is_live:
        messages.info(request, "This job is still in progress, so it cannot be retried yet.")
        return redirect("job", collection.slug, old.pk)
    return _queue_again(request, collection, old, old.parameters)


@in_collection(*OWNERS)
@require_POST
def import_checked(request: HttpRequest, collection: Collection, job_id: uuid.UUID) -> HttpResponse:
    """Import the files that a dry run has checked."""
    checked = _job(request, collection, job_id)
    if checked.is_live or not checked.parameters.get(uploaded_files.DRY_RUN):
        messages.info(request, "This job has not checked files for an import.")
        return redirect("job", collection.slug, checked.pk)
    parameters = {**checked.parameters, uploaded_files.DRY_RUN: False}
    return _queue_again(request, collection, checked, parameters)


def _queue_again(
    request: HttpRequest, collection: Collection, old: Job, parameters: Mapping[str, object]
) -> HttpResponse:
    try:
        uploaded_files.check_files_exist(old.kind, old.parameters)
        new = enqueue(
            kind=old.kind,
            collection=collection,
            parameters=parameters,
            requested_by=person_of(request),
            key=old.key,
        )
    except uploaded_files.FileGone as error:
        messages.error(request, str(error))
        return redirect("job", collection.slug, old.pk)
    except registry.UnknownKind:
        messages.error(
            request,
            f"Unknown job kind {old.kind!r} in this version of Qrelsmith. It cannot be retried.",
        )
        return redirect("job", collection.slug, old.pk)
    return redirect("job", collection.slug, new.pk)


def _job(request: HttpRequest, collection: Collection, job_id: uuid.UUID) -> Job:
    jobs = visible_jobs(collection, person_of(request))
    job = jobs.select_related("requested_by").filter(pk=job_id).first()
    if job is None:
        raise Http404("no such job in this collection")
    return job
