"""The admin's pages about runs and pools."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import messages
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    StreamingHttpResponse,
)
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import content_disposition_header, urlencode
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection
from accounts.models import Collection, Role, User
from jobs.showing import jobs_to_show
from pooling import figures, services
from pooling.forms import CostForm
from pooling.import_forms import EmbeddingsForm, RunImportForm
from pooling.models import Pool
from pooling.planning import PoolPlanForm
from pooling.services import PoolingError
from pooling.uploads import EMBEDDINGS_KIND, RUN_KIND

RUN_JOBS = ("retrieve", RUN_KIND, EMBEDDINGS_KIND)
POOL_JOBS = ("build_pools", "retrieve")


def answers(request: HttpRequest) -> list[tuple[str, str]]:
    """What a form sent, for the page that asks whether to go on."""
    left_out = {"csrfmiddlewaretoken", "confirmed"}
    return [
        (name, value)
        for name, values in request.POST.lists()
        if name not in left_out
        for value in values
        if isinstance(value, str)
    ]


def sorting_address(path: str, request: HttpRequest, *kept: str) -> str:
    """What the links that sort a table begin with: the page, and what of its address stays."""
    staying = {name: request.GET[name] for name in kept if request.GET.get(name)}
    return f"{path}?{urlencode(staying)}{'&' if staying else ''}"


@in_collection(Role.ADMIN)
@require_safe
def runs(request: HttpRequest, collection: Collection) -> HttpResponse:
    return runs_page(request, collection)


def runs_page(
    request: HttpRequest,
    collection: Collection,
    form: RunImportForm | None = None,
    embeddings: EmbeddingsForm | None = None,
    status: int = 422,
) -> HttpResponse:
    """The page about all runs, with the import that was refused, if one was."""
    rows = figures.run_rows(collection)
    context = {
        "collection": collection,
        "rows": rows,
        "left": figures.built_in_left(row.run for row in rows),
        "catalogue": figures.catalogue_left(row.run for row in rows),
        "documents": collection.documents.papers().count(),
        "query_papers": collection.query_papers.count(),
        "jobs": jobs_to_show(collection, RUN_JOBS),
        "form": form or RunImportForm(),
        "embeddings": embeddings or EmbeddingsForm(),
    }
    return render(
        request, "pooling/runs.html", context, status=status if form or embeddings else 200
    )


@in_collection(Role.ADMIN)
@require_POST
def retrieve(request: HttpRequest, collection: Collection) -> HttpResponse:
    names = request.POST.getlist("name")
    try:
        for name in names:
            services.request_run(collection=collection, name=name, requested_by=_person(request))
    except PoolingError as error:
        messages.error(request, str(error))
    else:
        said = f"{', '.join(names)}: waiting for a worker." if names else "Name a retriever to run."
        messages.info(request, said)
    return redirect("runs", collection.slug)


@in_collection(Role.ADMIN)
@require_POST
def remove_run(request: HttpRequest, collection: Collection, name: str) -> HttpResponse:
    run = get_object_or_404(collection.runs, name=name)
    if "confirmed" not in request.POST:
        context = {"collection": collection, "run": run, "lists": run.rankings.count()}
        return render(request, "pooling/confirm_remove.html", context)
    try:
        services.remove_run(run=run)
    except PoolingError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"The run {name} is removed.")
    return redirect("runs", collection.slug)


@in_collection(Role.ADMIN)
@require_safe
def run_file(request: HttpRequest, collection: Collection, name: str) -> HttpResponseBase:
    run = get_object_or_404(collection.runs, name=name)
    plain = "text/plain; charset=utf-8"
    response = StreamingHttpResponse(services.run_lines(run), content_type=plain)
    filename = f"{collection.slug}-{run.name}.run"
    response["Content-Disposition"] = content_disposition_header(True, filename) or "attachment"
    return response


def pools_page(
    request: HttpRequest, collection: Collection, form: PoolPlanForm | None = None, **more: Any
) -> HttpResponse:
    """The page about all pools; `more` is what apps above this one know of them."""
    form = form or PoolPlanForm.at(request.GET, collection)
    table = figures.pool_table(collection)
    words = request.GET.get("q", "")
    rows, sort = figures.sort_rows(
        figures.matching(table.rows, words, lambda row: f"{row.docno} {row.title}"),
        request.GET.get("sort", ""),
        figures.POOL_SORTS,
        "docno",
    )
    costs = CostForm.of(request.GET, collection)
    preview = figures.preview_of(collection, table) if table.pooled else None
    # Without lists to compare (pools that were imported), the pooled documents have to do.
    overlap = figures.overlap(collection, table.candidates) if _lacks_lists(preview) else []
    # Not the request's path: a form that was wrong is shown again at an address without GET.
    page = reverse("pools", args=[collection.slug])
    context: dict[str, Any] = {
        "collection": collection,
        "table": table,
        "rows": rows,
        "sort": sort,
        "words": words,
        "cost": costs.cost(candidates=table.candidates, pairs=table.pairs, collection=collection),
        "costs": costs,
        "preview": preview,
        "overlap": overlap,
        "builds": figures.build_rows(collection),
        "jobs": jobs_to_show(collection, POOL_JOBS),
        "form": form,
        "row_span": len(table.sources) + 4,
        "page": page,
        "sorted_by": sorting_address(page, request, "q", *costs.fields),
        **more,
    }
    return render(request, "pooling/pools.html", context, status=422 if form.errors else 200)


def _lacks_lists(preview: figures.Preview | None) -> bool:
    return preview is not None and not preview.shares


@in_collection(Role.ADMIN)
@require_safe
def manifest(request: HttpRequest, collection: Collection, build: int) -> HttpResponse:
    found = get_object_or_404(collection.pool_builds, pk=build)
    response = HttpResponse(services.manifest_text(found), content_type="application/json")
    filename = f"{collection.slug}-pools-{found.pk}.json"
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
            collection=collection, plan=form.plan(), requested_by=_person(request)
        )
    except PoolingError as error:
        form.add_error(None, str(error))
        return pools_page(request, collection, form)
    messages.info(request, "The pools are being built.")
    return redirect("pools", collection.slug)


@in_collection(Role.ADMIN)
@require_POST
def freeze_pools(request: HttpRequest, collection: Collection) -> HttpResponse:
    if "confirmed" not in request.POST:
        table = figures.pool_table(collection)
        context = {"collection": collection, "table": table}
        return render(request, "pooling/confirm_freeze.html", context)
    try:
        frozen = services.freeze_pools(collection=collection)
    except PoolingError as error:
        messages.error(request, str(error))
    else:
        pools = "pool is" if frozen == 1 else "pools are"
        messages.success(request, f"{frozen} {pools} frozen now.")
    return redirect("pools", collection.slug)


@in_collection(Role.ADMIN)
@require_safe
def pool(request: HttpRequest, collection: Collection, docno: str) -> HttpResponse:
    found = get_object_or_404(
        Pool.objects.select_related("query_paper__document", "query_paper__collection", "build"),
        query_paper__collection=collection,
        query_paper__document__docno=docno,
    )
    words = request.GET.get("q", "")
    everything = figures.candidate_rows(found)
    rows, sort = figures.sort_rows(
        figures.matching(everything, words, lambda row: row.text),
        request.GET.get("sort", ""),
        figures.CANDIDATE_SORTS,
        "position",
    )
    before, after = figures.neighbours(found.query_paper)
    context = {
        "collection": collection,
        "pool": found,
        "how": figures.HowDrawn.of(found.build.manifest),
        "lacks": figures.lacks(found),
        "queries": list(found.query_paper.queries.select_related("facet")),
        "rows": rows,
        "sampled": any(row.inclusion is not None for row in everything),
        "total": len(everything),
        "excluded": sum(bool(row.excluded) for row in everything),
        "sort": sort,
        "words": words,
        "sorted_by": sorting_address(request.path, request, "q"),
        "before": before,
        "after": after,
    }
    return render(request, "pooling/pool.html", context)


def _person(request: HttpRequest) -> User:
    return cast(User, request.user)
