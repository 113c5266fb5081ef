"""The pages of runs, for admins."""

from __future__ import annotations

from collections.abc import Mapping

from django.contrib import messages
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    StreamingHttpResponse,
)
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from jobs.listing import jobs_to_show
from retrieval import services
from retrieval.errors import RetrievalError
from retrieval.forms import QRELS, AnalysisForm, EmbeddingsForm, RunImportForm
from retrieval.retrievers import ANALYSES, METRICS
from retrieval.run_rows import run_rows, unused_catalogue, unused_usual
from retrieval.run_table import RUN_FILTERS, RUNS
from retrieval.services import DEFAULT_DEPTH
from retrieval.uploads import EMBEDDINGS_KIND, RUN_KIND, request_embeddings, request_run_imports
from web.disk import NoRoom
from web.downloads import as_download
from web.file_fields import refuse_upload
from web.tables.cells import matching
from web.tables.columns import csv_file, wants_csv
from web.tables.filters import filter_bar, filter_rows
from web.tables.paging import typed
from web.tables.text_blocks import in_blocks


@in_collection(Role.ADMIN)
@require_POST
def import_run(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = RunImportForm(request.POST, request.FILES)
    if not form.is_valid():
        return add_run_page(request, collection, form=form)
    values = form.cleaned_data
    try:
        jobs = request_run_imports(
            collection=collection,
            files=form.named_files(),
            options=services.RunOptions(
                values["holds"] == QRELS, values["docno_prefix"], values["topic_prefix"]
            ),
            requested_by=person_of(request),
            dry_run="dry_run" in request.POST,
        )
    except (RetrievalError, NoRoom) as error:
        status = refuse_upload(form, "name", error)
        return add_run_page(request, collection, form=form, status=status)
    if "dry_run" in request.POST:
        if len(jobs) == 1:
            return redirect("job", collection.slug, jobs[0].pk)
        return redirect("jobs", collection.slug)
    names = {file.name or "": name for name, file in form.named_files()}
    return _redirect_to_jobs(request, collection, names)


@in_collection(Role.ADMIN)
@require_POST
def import_embeddings(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = EmbeddingsForm(request.POST, request.FILES)
    if not form.is_valid():
        return add_run_page(request, collection, embeddings=form)
    values = form.cleaned_data
    try:
        request_embeddings(
            collection=collection,
            vectors=values["vectors"],
            docnos=values["docnos"],
            name=values["name"],
            metric=values["metric"] or METRICS[0],
            depth=values["depth"] or DEFAULT_DEPTH,
            requested_by=person_of(request),
        )
    except (RetrievalError, NoRoom) as error:
        status = refuse_upload(form, "name", error)
        return add_run_page(request, collection, embeddings=form, status=status)
    return _redirect_to_jobs(request, collection, {values["vectors"].name: values["name"]})


def _redirect_to_jobs(
    request: HttpRequest, collection: Collection, names: Mapping[str, str]
) -> HttpResponse:
    """`names` are those of the runs, by filename."""
    if len(names) > 3:
        messages.info(request, f"Importing {len(names)} files as runs.")
    else:
        for filename, name in names.items():
            messages.info(request, f"Importing {filename} as the run {name}.")
    return redirect("runs", collection.slug)


RUN_JOBS = ("retrieve", RUN_KIND, EMBEDDINGS_KIND)


@in_collection(Role.ADMIN)
@require_safe
def runs(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    rows = run_rows(collection)
    found = matching(
        filter_rows(rows, RUN_FILTERS, request.GET),
        typed(request.GET, "q"),
        lambda row: f"{row.run.name} {row.origin}",
    )
    columns = RUNS.shown(request)
    if wants_csv(request):
        return csv_file(f"{collection.slug}-runs", columns, found)
    context = {
        "collection": collection,
        "rows": rows,
        "found": found,
        "columns": columns,
        "bar": filter_bar(
            request, RUN_FILTERS, caption="Name or origin", button="Find runs", kept=()
        ),
        "names_differ": not collection.facets.filter(key="").exists()
        or collection.queries.filter(sentence_numbers__isnull=False).exists(),
        "unused_retrievers": unused_usual(collection, (row.run for row in rows)),
        "documents": collection.documents.count(),
        "query_papers": collection.query_papers.count(),
        "jobs": jobs_to_show(collection, RUN_JOBS),
    }
    return render(request, "retrieval/runs.html", context)


@in_collection(Role.ADMIN)
@require_safe
def add_run(request: HttpRequest, collection: Collection) -> HttpResponse:
    return add_run_page(request, collection)


def add_run_page(
    request: HttpRequest,
    collection: Collection,
    form: RunImportForm | None = None,
    embeddings: EmbeddingsForm | None = None,
    status: int = 422,
) -> HttpResponse:
    """The three ways to add a run, with the invalid form, if any."""
    analysis = typed(request.GET, "analysis")
    if analysis not in ANALYSES:
        analysis = services.analysis_of(collection)
    context = {
        "collection": collection,
        "analysis": AnalysisForm({"analysis": analysis}),
        "catalogue": unused_catalogue(collection, analysis),
        "form": form or RunImportForm(),
        "embeddings": embeddings or EmbeddingsForm(),
    }
    return render(
        request, "retrieval/add_run.html", context, status=status if form or embeddings else 200
    )


@in_collection(Role.ADMIN)
@require_POST
def retrieve(request: HttpRequest, collection: Collection) -> HttpResponse:
    names = request.POST.getlist("name")
    try:
        for name in names:
            services.request_run(collection=collection, name=name, requested_by=person_of(request))
    except RetrievalError as error:
        messages.error(request, str(error))
    else:
        text = (
            f"{', '.join(names)}: waiting for a worker." if names else "Select a retriever to run."
        )
        messages.info(request, text)
    return redirect("runs", collection.slug)


@in_collection(Role.ADMIN)
@require_POST
def remove_run(request: HttpRequest, collection: Collection, name: str) -> HttpResponse:
    run = get_object_or_404(collection.runs, name=name)
    if "confirmed" not in request.POST:
        context = {"collection": collection, "run": run, "lists": run.rankings.count()}
        return render(request, "retrieval/confirm_remove.html", context)
    try:
        services.remove_run(run=run)
    except RetrievalError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"Removed the run {name}.")
    return redirect("runs", collection.slug)


@in_collection(Role.ADMIN)
@require_safe
def run_file(request: HttpRequest, collection: Collection, name: str) -> HttpResponseBase:
    """With `?ids=queries`, the topics are queries as in qrels, and not query papers."""
    run = get_object_or_404(collection.runs, name=name)
    by_query = request.GET.get("ids") == "queries"
    lines = services.run_lines(run, services.query_names_of(run) if by_query else None)
    response = StreamingHttpResponse(in_blocks(lines), content_type="text/plain; charset=utf-8")
    return as_download(
        response, f"{collection.slug}-{run.name}{'.queries' if by_query else ''}.run"
    )
