"""The admin's pages about pools."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib import messages
from django.http import (
    HttpRequest,
    HttpResponse,
)
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from jobs.listing import jobs_to_show
from pooling import checks, services, tables
from pooling.forms import CostForm
from pooling.models import Pool
from pooling.plan_form import PoolPlanForm
from web.errors import UserFacingError
from web.requests import sorting_address
from web.tables import matching, numbered_page, sort_queryset, sort_rows

POOL_JOBS = ("build_pools", "retrieve", checks.JOB_KIND)


def pools_page(
    request: HttpRequest,
    collection: Collection,
    form: PoolPlanForm | None = None,
    job_kinds: Iterable[str] = (),
    **more: Any,
) -> HttpResponse:
    """The page about all pools; `job_kinds` and `more` are jobs and context from higher apps."""
    form = form or PoolPlanForm.at(request.GET, collection)
    numbers = tables.pool_numbers(collection)
    words = request.GET.get("q", "")
    papers, sort = sort_queryset(
        tables.pool_papers(collection, words),
        request.GET.get("sort", ""),
        tables.POOL_SORTS,
        "docno",
    )
    # Not the request's path, because an invalid form is shown at a URL that allows only POST.
    page = reverse("pools", args=[collection.slug])
    papers_page = numbered_page(papers, request, path=page, anchor="#per-query-paper")
    table = tables.PoolTable.of(tables.pool_rows(collection, papers_page.rows))
    costs = CostForm.of(request.GET, collection)
    jobs = jobs_to_show(collection, [*POOL_JOBS, *job_kinds])
    failed = {job.kind for job in jobs if not job.is_live}
    shown_checks = checks.shown_checks(collection) if numbers.pools else None
    context: dict[str, Any] = {
        "collection": collection,
        "numbers": numbers,
        "table": table,
        "rows": papers_page,
        "sort": sort,
        "words": words,
        "cost": costs.cost(
            candidates=numbers.candidates, pairs=numbers.pairs, collection=collection
        ),
        "costs": costs,
        "preview": shown_checks and shown_checks.preview,
        "checks": shown_checks and shown_checks.report,
        "checks_failed": checks.JOB_KIND in failed,
        "yields_failed": failed.intersection(job_kinds),
        "builds": tables.build_rows(collection),
        "jobs": jobs,
        "form": form,
        "row_span": len(table.sources) + 4,
        "page": page,
        "sorted_by": sorting_address(page, request, "q", *costs.fields),
        **more,
    }
    return render(request, "pooling/pools.html", context, status=422 if form.errors else 200)


@in_collection(Role.ADMIN)
@require_safe
def manifest(request: HttpRequest, collection: Collection, build: int) -> HttpResponse:
    pool_build = get_object_or_404(collection.pool_builds, pk=build)
    response = HttpResponse(services.manifest_text(pool_build), content_type="application/json")
    filename = f"{collection.slug}-pools-{pool_build.pk}.json"
    response["Content-Disposition"] = content_disposition_header(True, filename) or "attachment"
    return response


@in_collection(Role.ADMIN)
@require_POST
def build_pools(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = PoolPlanForm(request.POST, collection=collection)
    if not form.is_valid():
        return pools_page(request, collection, form)
    try:
        services.request_pools(
            collection=collection, plan=form.plan(), requested_by=person_of(request)
        )
    except UserFacingError as error:
        form.add_error(None, str(error))
        return pools_page(request, collection, form)
    messages.info(request, "The pools are being built.")
    return redirect("pools", collection.slug)


@in_collection(Role.ADMIN)
@require_POST
def freeze_pools(request: HttpRequest, collection: Collection) -> HttpResponse:
    if "confirmed" not in request.POST:
        context = {"collection": collection, "numbers": tables.pool_numbers(collection)}
        return render(request, "pooling/confirm_freeze.html", context)
    try:
        frozen = services.freeze_pools(collection=collection)
    except UserFacingError as error:
        messages.error(request, str(error))
    else:
        pools = "pool is" if frozen == 1 else "pools are"
        messages.success(request, f"{frozen} {pools} frozen now.")
    return redirect("pools", collection.slug)


@in_collection(Role.ADMIN)
@require_safe
def pool(request: HttpRequest, collection: Collection, docno: str) -> HttpResponse:
    pool = get_object_or_404(
        Pool.objects.select_related("query_paper__document", "query_paper__collection", "build"),
        query_paper__collection=collection,
        query_paper__document__docno=docno,
    )
    words = request.GET.get("q", "")
    all_rows = tables.candidate_rows(pool)
    rows, sort = sort_rows(
        matching(all_rows, words, lambda row: row.text),
        request.GET.get("sort", ""),
        tables.CANDIDATE_SORTS,
        "position",
    )
    before, after = tables.neighbours(pool.query_paper)
    context = {
        "collection": collection,
        "pool": pool,
        "how": tables.HowDrawn.of(pool.build.manifest),
        "shortfalls": tables.shortfalls(pool),
        "queries": list(pool.query_paper.queries.select_related("facet")),
        "rows": rows,
        "sampled": any(row.inclusion is not None for row in all_rows),
        "total": len(all_rows),
        "excluded": sum(bool(row.excluded) for row in all_rows),
        "sort": sort,
        "words": words,
        "sorted_by": sorting_address(request.path, request, "q"),
        "before": before,
        "after": after,
    }
    return render(request, "pooling/pool.html", context)
