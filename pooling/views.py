"""The draft of pools as a preview, the frozen pools, and what is in each: for admins only."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from django.contrib import messages
from django.db.models import Count, Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from accounts.access import CollectionRequest, in_collection
from accounts.models import ADMIN, Collection
from corpus.digests import canonical_json
from jobs.models import State
from pooling import building
from pooling.drawing import stored_pool
from pooling.forms import BuildForm
from pooling.models import Pool
from pooling.preview import preview, source_figures
from retrieval.citations import CITED
from web.csv import csv_response
from web.errors import NotFound, attempt
from web.tables import Column, Filter, Table


@in_collection(ADMIN)
def pools(request: CollectionRequest, collection: Collection) -> HttpResponse:
    draft = collection.pool_sets.drafts().first()
    figures = source_figures(draft) if draft else ()
    for figure in figures:
        if request.GET.get("figure") == figure.name:
            return csv_response(f"{figure.name}.csv", figure.csv)
    job = collection.jobs.filter(kind="build_pools").first()
    is_building = job is not None and not job.is_finished
    without_pool = collection.queries.exclude(pools__pool_set__frozen_at__isnull=False)
    context = {
        "collection": collection,
        "has_queries": collection.queries.exists(),
        "has_runs": collection.runs.exists(),
        "to_pool": 0 if is_building else without_pool.count(),
        "draft": draft,
        "preview": preview(draft) if draft else None,
        "figures": figures,
        "frozen": collection.pool_sets.frozen().annotate(
            number=Count("pools", distinct=True), pairs=Count("pools__candidates")
        ),
        "job": job if job and job.state not in (State.SUCCEEDED, State.CANCELLED) else None,
    }
    return render(request, "pooling/pools.html", context)


@in_collection(ADMIN)
def build(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """The form opens with the plan of the draft, or else of the newest frozen pools. `?adds` adds to frozen pools."""
    adds = "adds" in request.GET
    latest = collection.pool_sets.drafts().first() or collection.pool_sets.frozen().exclude(plan={}).first()
    plan = latest.plan if latest and bool(latest.plan.get("adds")) == adds else {}
    if plan and latest and latest.is_frozen:
        plan = plan | {"depths": {}, "queries": []}
    form = BuildForm(request.POST or None, collection=collection, plan=plan, adds=adds)
    if form.is_valid():
        if attempt(form, building.start_building, collection=collection, plan=form.plan, by=request.user):
            return redirect("pools", collection.slug)
    context = {"collection": collection, "form": form, "adds": adds, "has_runs": collection.runs.exists()}
    return render(request, "pooling/build.html", context)


@require_POST
@in_collection(ADMIN)
def freeze(request: CollectionRequest, collection: Collection, pk: int) -> HttpResponse:
    frozen = building.freeze_pools(collection=collection, pk=pk)
    messages.success(request, f"{frozen.pools.count():,} pools are frozen. Their queries can be opened.")
    return redirect("pools", collection.slug)


@require_POST
@in_collection(ADMIN)
def discard(request: CollectionRequest, collection: Collection, pk: int) -> HttpResponse:
    building.discard_draft(collection=collection, pk=pk)
    messages.success(request, "The draft is discarded.")
    return redirect("pools", collection.slug)


@in_collection(ADMIN)
def pool_set(request: CollectionRequest, collection: Collection, pk: int) -> HttpResponse:
    each = get_object_or_404(collection.pool_sets, pk=pk)
    table = Table(
        request,
        each.pools.select_related("query__document").annotate(
            size=Count("candidates"), cited=Count("candidates", filter=Q(candidates__source=CITED))
        ),
        name="pools",
        row="pooling/_pool_row.html",
        columns=[
            Column("query__name", "Query"),
            Column("size", "Candidates", number=True),
            Column("cited", "Cited", number=True, folded=True),
            Column("short", "Short", sortable=False, folded=True, help="What a source could not contribute"),
        ],
        search=["query__name", "query__document__title", "query__title"],
        filters=[Filter("short", "Shortfall", [("yes", "some")], lambda rows, _: rows.exclude(shortfall={}))],
        default="query__name",
        one="pool",
        many="pools",
    )
    return table.response("pooling/pool_set.html", {"collection": collection, "pool_set": each})


@in_collection(ADMIN)
def manifest(request: CollectionRequest, collection: Collection, pk: int) -> HttpResponse:
    frozen = get_object_or_404(collection.pool_sets.frozen(), pk=pk)
    if not frozen.manifest:
        raise NotFound("These pools were imported, so there is no manifest that draws them.")
    response = HttpResponse(canonical_json(frozen.manifest), content_type="application/json")
    name = f"{collection.slug}-pools-{frozen.pk}.json"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@in_collection(ADMIN)
def pool(request: CollectionRequest, collection: Collection, pk: int) -> HttpResponse:
    """A pool's candidates, with the rank that each run gives them."""
    pools = Pool.objects.select_related("pool_set", "query__document").filter(pool_set__collection=collection)
    each = get_object_or_404(pools, pk=pk)
    stored = stored_pool(each)
    documents = {document.docno: document for document in collection.documents.filter(candidates__pool=each)}
    runs = sorted({run for pooled in stored.documents for run, _, _ in pooled.ranks})
    rows: list[dict[str, Any]] = [
        {
            "position": position,
            "docno": pooled.docno,
            "document": documents[pooled.docno],
            "title": documents[pooled.docno].shown_title,
            "source": pooled.source,
            **{f"rank of {run}": None for run in runs},
            **{f"rank of {run}": rank or "found" for run, rank, _ in pooled.ranks},
        }
        for position, pooled in enumerate(stored.documents, 1)
    ]
    # A run may be called a__b, which would be a path.
    ranks = [
        Column(f"rank of {run}", run, number=True, folded=True, value=itemgetter(f"rank of {run}")) for run in runs
    ]
    table = Table(
        request,
        rows,
        name=f"pool-{each.pk}",
        row="pooling/_candidate_row.html",
        columns=[
            Column("position", "Drawn", number=True),
            Column("docno", "Candidate"),
            Column("source", "By"),
            *ranks,
        ],
        search=["docno", "title", "source"],
        filters=[Filter("source", "By", [(name, name) for name in sorted({row["source"] for row in rows})])],
        one="candidate",
        many="candidates",
    )
    return table.response("pooling/pool.html", {"collection": collection, "pool": each, "ranks": ranks})
