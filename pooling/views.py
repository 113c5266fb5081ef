"""The admin's pages about pools."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
)
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from corpus.models import NAME_ORDER, QueryPaper
from jobs.listing import jobs_to_show
from jobs.models import Job
from pooling import services, tables
from pooling.checks import PoolChecks
from pooling.figures import pool_figures
from pooling.forms import CostForm
from pooling.plan_page import SAVED, PlanPage, plan_rows, saved_plans
from pooling.plan_steps import PLAN, plan_steps
from reports.services import changed_since, stored_report
from web.downloads import as_download
from web.errors import UserFacingError
from web.figure_files import figure_file, shown
from web.requests.answers import sorting_address, wants_part
from web.tables.columns import ShownColumns, csv_file, rows_of_file
from web.tables.filters import filter_bar, filter_queryset
from web.tables.paging import typed
from web.tables.sorted_paging import SortedRows

POOL_JOBS = ("build_pools", "retrieve", PoolChecks.name)


def _sorted_papers(request: HttpRequest, collection: Collection) -> SortedRows[QueryPaper]:
    papers = tables.pool_papers(collection, typed(request.GET, "q"))
    return SortedRows.of(
        filter_queryset(papers, tables.POOL_FILTERS, request.GET),
        request.GET.get("sort", ""),
        tables.POOL_SORTS,
        key="name",
        key_order=NAME_ORDER,
    )


def _row_span(columns: ShownColumns[Any], sources: int) -> int:
    """Of "no pool yet": the columns after the number of queries, with one for each retriever."""
    widths = {"docno": 0, "queries": 0, "retrievers": sources}
    return max(1, sum(widths.get(column.key, 1) for column in columns.shown))


def pools_file(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    """The table of the page about all pools as a CSV file."""
    papers = _sorted_papers(request, collection).in_order()
    rows = rows_of_file(papers, partial(tables.pool_rows, collection))
    return csv_file(f"{collection.slug}-pools", tables.POOLS.shown(request), rows)


def pools_page(
    request: HttpRequest,
    collection: Collection,
    job_kinds: Iterable[str] = (),
    **more: Any,
) -> HttpResponse:
    """The page about all pools; `job_kinds` and `more` are jobs and context from higher apps."""
    numbers = tables.pool_numbers(collection)
    papers = _sorted_papers(request, collection)
    page = reverse("pools", args=[collection.slug])
    papers_page = papers.page(request, path=page, anchor="#per-query-paper")
    table = tables.PoolTable.of(tables.pool_rows(collection, papers_page.rows))
    columns = tables.POOLS.shown(request)
    costs = CostForm.of(request.GET, collection)
    jobs = jobs_to_show(collection, [*POOL_JOBS, *job_kinds])
    failed = {job.kind for job in jobs if not job.is_live}
    checks = stored_report(PoolChecks(), collection) if numbers.pools else None
    preview = tables.Preview.from_json(checks.payload) if checks else None
    figures = [
        shown(figure, "pool-figure", collection.slug)
        for figure in pool_figures(collection, preview)
    ]
    overlaps = [each for each in figures if each.figure.name.startswith("overlap")]
    context: dict[str, Any] = {
        "collection": collection,
        "numbers": numbers,
        "table": table,
        "rows": papers_page,
        "sort": papers.sort,
        "words": typed(request.GET, "q"),
        "bar": filter_bar(
            request,
            tables.POOL_FILTERS,
            caption="Docno or title",
            button="Filter pools",
            path=page,
            anchor="#per-query-paper",
            kept=("sort", *costs.fields),
        ),
        "columns": columns,
        "row_span": _row_span(columns, len(table.sources)),
        "cost": costs.cost(
            candidates=numbers.candidates, pairs=numbers.pairs, collection=collection
        ),
        "costs": costs,
        "preview": preview,
        "depth": next((each for each in figures if each.figure.name == "depth"), None),
        "overlaps": list(zip(preview.matrices, overlaps, strict=False)) if preview else [],
        "source_overlap": overlaps[-1] if overlaps else None,
        "checks": checks,
        "checks_are_current": checks and not changed_since(checks),
        "checks_failed": PoolChecks.name in failed,
        "yields_failed": failed.intersection(job_kinds),
        "builds": tables.build_rows(collection),
        "jobs": jobs,
        "steps": plan_steps(numbers, is_building=_is_building(jobs)),
        "page": page,
        "sorted_by": sorting_address(
            page, request, "q", *(each.name for each in tables.POOL_FILTERS), *costs.fields
        ),
        **more,
    }
    return render(request, "pooling/pools.html", context)


def _is_building(jobs: Iterable[Job]) -> bool:
    return any(job.kind == "build_pools" and job.is_live for job in jobs)


@in_collection(Role.ADMIN)
@require_safe
def manifest(request: HttpRequest, collection: Collection, build: int) -> HttpResponse:
    pool_build = get_object_or_404(collection.pool_builds, pk=build)
    response = HttpResponse(services.manifest_text(pool_build), content_type="application/json")
    return as_download(response, f"{collection.slug}-pools-{pool_build.pk}.json")


def _plan_page(request: HttpRequest, page: PlanPage) -> HttpResponse:
    numbers = tables.pool_numbers(page.collection)
    jobs = jobs_to_show(page.collection, ["build_pools"])
    context: dict[str, Any] = {
        "collection": page.collection,
        "numbers": numbers,
        "steps": plan_steps(numbers, is_building=_is_building(jobs), current=PLAN),
        "jobs": jobs,
        "form": page.form,
        "costs": page.costs,
        "source": page.source,
        "plan_name": page.name,
        "saved_plans": plan_rows(page.collection),
    }
    if numbers.papers and not numbers.all_frozen:
        context |= page.size()
    return render(request, "pooling/plan.html", context, status=422 if page.form.errors else 200)


@in_collection(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def plan_pools(request: HttpRequest, collection: Collection) -> HttpResponse:
    """The page. A script that sends the form gets the panel alone, and nothing is saved."""
    if request.method != "POST":
        return _plan_page(request, PlanPage.opened(collection, request.GET))
    page = PlanPage.sent(collection, request.POST, request.FILES)
    if wants_part(request):
        return render(request, "pooling/_plan_panel.html", page.size())
    if not page.form.is_valid():
        return _plan_page(request, page)
    services.save_last_plan(collection=collection, fields=page.texts(), saved_by=person_of(request))
    if "compare" in request.POST:
        return redirect("compare-plans", collection.slug)
    return redirect(f"{reverse('plan-pools', args=[collection.slug])}#size")


@in_collection(Role.ADMIN)
@require_POST
def save_plan(request: HttpRequest, collection: Collection) -> HttpResponse:
    page = PlanPage.sent(collection, request.POST, request.FILES)
    form = page.form
    if not form.is_valid():
        return _plan_page(request, page)
    name = form.cleaned_data["plan_name"]
    if not name:
        form.add_error("plan_name", "Enter a name, for example Deep pools.")
        return _plan_page(request, page)
    try:
        plan = services.save_plan(
            collection=collection,
            name=name,
            fields=page.texts() | {"opened": [name]},
            saved_by=person_of(request),
            opened=form.cleaned_data["opened"],
        )
    except UserFacingError as error:
        form.add_error("plan_name", str(error))
        return _plan_page(request, page)
    messages.success(request, f"The plan “{name}” is saved.")
    return redirect(f"{reverse('plan-pools', args=[collection.slug])}?{SAVED}={plan.pk}#saved")


@in_collection(Role.ADMIN)
@require_POST
def delete_plan(request: HttpRequest, collection: Collection, plan: int) -> HttpResponse:
    saved_plan = get_object_or_404(saved_plans(collection), pk=plan)
    if "confirmed" not in request.POST:
        context = {"collection": collection, "plan": saved_plan}
        return render(request, "pooling/confirm_delete_plan.html", context)
    services.delete_plan(plan=saved_plan)
    messages.success(request, f"The plan “{saved_plan.name}” is deleted.")
    return redirect("plan-pools", collection.slug)


@in_collection(Role.ADMIN)
@require_safe
def pool_figure(
    request: HttpRequest, collection: Collection, figure: str, extension: str
) -> HttpResponse:
    checks = stored_report(PoolChecks(), collection)
    preview = tables.Preview.from_json(checks.payload) if checks else None
    return figure_file(pool_figures(collection, preview), figure, extension, collection.slug)


@in_collection(Role.ADMIN)
@require_POST
def build_pools(request: HttpRequest, collection: Collection) -> HttpResponse:
    page = PlanPage.sent(collection, request.POST, request.FILES)
    person = person_of(request)
    if not page.form.is_valid():
        return _plan_page(request, page)
    try:
        services.request_pools(
            collection=collection,
            plan=page.form.plan(),
            requested_by=person,
            docnos=page.form.docnos,
            without_pool=page.form.without_pool,
        )
    except UserFacingError as error:
        page.form.add_error(None, str(error))
        return _plan_page(request, page)
    services.save_last_plan(collection=collection, fields=page.texts(), saved_by=person)
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
