from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import NoReverseMatch, reverse
from django.views.decorators.http import require_POST

from accounts.access import CollectionRequest, in_collection
from accounts.models import ADMIN, Collection
from jobs import work
from jobs.models import Job, State
from web.tables import Column, Filter, Table

PAGES = {  # where the result of a kind of job is seen
    "import_documents": "documents",
    "predict_labels": "labels",
    "compute_agreement": "agreement",
    "build_runs": "runs",
    "rank_vectors": "runs",
    "build_pools": "pools",
    "publish_release": "release",
}


@in_collection(ADMIN)
def jobs(request: CollectionRequest, collection: Collection) -> HttpResponse:
    table = Table(
        request,
        collection.jobs.select_related("requested_by"),
        name="jobs",
        row="jobs/_job_row.html",
        columns=[
            Column("kind", "Work"),
            Column("state", "State"),
            Column("requested_by__username", "Started by", folded=True),
            Column("created_at", "When", number=True, folded=True),
            Column("seconds", "Took", number=True, sortable=False),
        ],
        filters=[Filter("state", "State", State.choices)],
        default="-created_at",
        one="job",
        many="jobs",
    )
    return table.response("jobs/jobs.html", {"collection": collection})


@in_collection(ADMIN)
def job(request: CollectionRequest, collection: Collection, pk: str) -> HttpResponse:
    """A job's page; for htmx its card, which asks again every second until the job ends."""
    each = get_object_or_404(Job.objects.select_related("collection"), collection=collection, pk=pk)
    template = "jobs/card.html" if request.headers.get("HX-Request") else "jobs/job.html"
    response = render(request, template, {"collection": collection, "job": each, "result_url": result_url(each)})
    if request.headers.get("HX-Request") and each.is_finished and "reload" in request.GET:
        response["HX-Refresh"] = "true"
    return response


@require_POST
@in_collection(ADMIN)
def cancel(request: CollectionRequest, collection: Collection, pk: str) -> HttpResponse:
    each = get_object_or_404(collection.jobs.select_related("collection"), pk=pk)
    work.cancel(each)
    if request.headers.get("HX-Request"):
        each.refresh_from_db()
        return render(request, "jobs/card.html", {"collection": collection, "job": each})
    return redirect("job", collection.slug, pk)


def result_url(each: Job) -> str:
    try:
        return reverse(PAGES[each.kind], args=[each.collection.slug])
    except (KeyError, NoReverseMatch):
        return ""
