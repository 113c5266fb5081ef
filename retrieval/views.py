"""The pages of runs, for admins."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db.models import Count
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import CollectionRequest, in_collection
from accounts.models import ADMIN, Collection
from jobs.models import State
from jobs.work import start_once
from retrieval import building
from retrieval.forms import RunFileForm, VectorsForm
from retrieval.given_vectors import start_ranking
from retrieval.models import ArrayLength, RankedList
from retrieval.retrievers import RETRIEVERS, USUAL, find_retriever
from retrieval.run_files import import_run, run_lines
from web.errors import BadInput, attempt
from web.tables import Column, Table


@require_GET
@in_collection(ADMIN)
def runs(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """All runs. The last build is shown while it runs and where it failed."""
    context = page_context(collection)
    made = list(collection.runs.annotate(ranked_queries=Count("lists")))
    built_in = [run for run in made if run.kind in RETRIEVERS]
    free = set(collection.runs.filter(contributions=None))
    lacking = [run.name for run in built_in if run.ranked_queries < context["queries"]]
    outdated = [run.name for run in built_in if run in free and run.settings.get("corpus") != context["documents"]]
    last = collection.jobs.filter(kind__in=["build_runs", "rank_vectors"]).first()
    context |= {
        "has_runs": bool(made),
        "usual": [name for name in USUAL if name not in {run.name for run in made}],
        "lacking": lacking,
        "behind": sorted({*lacking, *outdated}),
        "job": last if last and (last.state == State.FAILED or not last.is_finished) else None,
    }
    table = Table(
        request,
        collection.runs.with_sizes(),
        name="runs",
        row="retrieval/_run_row.html",
        columns=[
            Column("name", "Name"),
            Column("kind", "Kind", folded=True),
            Column("ranked_queries", "Queries", number=True),
            Column("mean_length", "Mean length", number=True),
            Column("created_at", "Made", number=True, folded=True),
        ],
        default="name",
        one="run",
        many="runs",
    )
    return table.response("retrieval/runs.html", context)


def page_context(collection: Collection) -> dict[str, Any]:
    return {
        "collection": collection,
        "retrievers": RETRIEVERS,
        "queries": collection.queries.count(),
        "documents": collection.documents.count(),
    }


@require_http_methods(["GET", "POST"])
@in_collection(ADMIN)
def add_run(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """Import a run file, or build a run by a retriever that has none yet."""
    form = RunFileForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        file = form.cleaned_data.pop("file")
        values = {"file": file, "filename": file.name, **form.cleaned_data}
        if made := attempt(form, import_run, collection=collection, **values):
            messages.success(request, f"Imported {file.name} as {made}.")
            return redirect("run", collection.slug, made.pk)
    names = set(collection.runs.values_list("name", flat=True))
    unused = [(name, each) for name, each in RETRIEVERS.items() if name not in names]
    context = {"collection": collection, "form": form, "unused": unused}
    return render(request, "retrieval/add_run.html", context)


@require_http_methods(["GET", "POST"])
@in_collection(ADMIN)
def add_vectors(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """Rank by vectors that were computed elsewhere."""
    form = VectorsForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        if attempt(form, start_ranking, collection=collection, by=request.user, **form.cleaned_data):
            return redirect("runs", collection.slug)
    return render(request, "retrieval/add_vectors.html", {"collection": collection, "form": form})


@require_POST
@in_collection(ADMIN)
def build(request: CollectionRequest, collection: Collection) -> HttpResponse:
    names = request.POST.getlist("name")
    if not names:
        raise BadInput("Choose at least one retriever.")
    for name in names:
        find_retriever(name)
    start_once("build_runs", collection=collection, by=request.user, names=names)
    return redirect("runs", collection.slug)


@require_GET
@in_collection(ADMIN)
def run(request: CollectionRequest, collection: Collection, pk: int) -> HttpResponse:
    """What a run was made from, what was left out, and its list of each query."""
    shown = get_object_or_404(collection.runs.with_sizes(), pk=pk)
    table = Table(
        request,
        shown.lists.annotate(length=ArrayLength("docnos")).select_related("query__document").defer("docnos", "scores"),
        name="lists",
        row="retrieval/_list_row.html",
        columns=[
            Column("query__name", "Query"),
            Column("length", "Documents", number=True),
        ],
        search=["query__name", "query__title", "query__document__title"],
        default="query__name",
        one="list",
        many="lists",
    )
    return table.response("retrieval/run.html", page_context(collection) | {"run": shown})


@require_GET
@in_collection(ADMIN)
def run_file(request: CollectionRequest, collection: Collection, pk: int) -> HttpResponse:
    shown = get_object_or_404(collection.runs, pk=pk)
    response = StreamingHttpResponse(run_lines(shown), content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{collection.slug}-{shown.name}.run"'
    return response  # type: ignore[return-value]


@require_POST
@in_collection(ADMIN)
def delete(request: CollectionRequest, collection: Collection, pk: int) -> HttpResponse:
    deleted = get_object_or_404(collection.runs, pk=pk)
    building.delete_run(run=deleted)
    messages.success(request, f"Deleted {deleted}.")
    return redirect("runs", collection.slug)


@require_GET
@in_collection(ADMIN)
def run_list(request: CollectionRequest, collection: Collection, pk: int, query_pk: int) -> HttpResponse:
    """The ranked documents of a run for a query."""
    lists = RankedList.objects.select_related("run", "query__document")
    of = {"run__in": collection.runs.filter(pk=pk), "query__in": collection.queries.filter(pk=query_pk)}
    ranked = get_object_or_404(lists, **of)
    documents = {each.docno: each for each in collection.documents.for_lists().filter(docno__in=ranked.docnos)}
    rows = [
        {"rank": rank, "docno": docno, "score": float(score), "document": documents.get(docno)}
        for rank, (docno, score) in enumerate(zip(ranked.docnos, ranked.scores, strict=True), 1)
    ]
    for row in rows:
        row["title"] = row["document"].title if row["document"] else ""
    table = Table(
        request,
        rows,
        name="ranked",
        row="retrieval/_ranked_row.html",
        columns=[
            Column("rank", "Rank", number=True),
            Column("title", "Document"),
            Column("docno", "Id", folded=True),
            Column("score", "Score", number=True),
        ],
        search=["docno", "title"],
        default="rank",
        one="document",
        many="documents",
    )
    context = {"collection": collection, "run": ranked.run, "query": ranked.query}
    return table.response("retrieval/run_list.html", context)
