"""Documents and queries of a collection, and how they come in."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from django.contrib import messages
from django.db.models import Count, Max, Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import CollectionRequest, in_collection
from accounts.models import ADMIN, Collection
from corpus import importing, queries
from corpus.forms import DocumentOptionsForm, QueryPapersForm, SkipForm, TopicsForm, UploadForm
from corpus.models import Document
from corpus.uploads import find_upload, keep_upload
from jobs.models import State
from jobs.work import start_once
from web.errors import BadInput, attempt
from web.tables import Column, Filter, Table
from web.templatetags.ui import plural

LABELS = [("given", "given or checked"), ("predicted", "predicted"), ("none", "none")]


def with_labels(documents: QuerySet[Document], chosen: str) -> QuerySet[Document]:
    if chosen == "none":
        return documents.filter(labels=[])
    return documents.exclude(labels=[]).filter(labels_predicted=chosen == "predicted")


def document_table(request: CollectionRequest, collection: Collection, *, row: str) -> Table:
    years = collection.documents.exclude(year=None).values_list("year", flat=True).distinct().order_by("-year")
    return Table(
        request,
        collection.documents.defer("cites", "authors", "extra").order_by("pk"),
        name="documents",
        row=row,
        columns=[
            Column("docno", "Id"),
            Column("title", "Title"),
            Column("year", "Year", number=True),
            Column(
                "sentences", "Sentences", number=True, sortable=False, folded=True, value=lambda d: len(d.sentences)
            ),
            Column("labels", "Labels", sortable=False, folded=True, value=lambda d: " ".join(d.labels)),
        ],
        search=["docno", "title"],
        filters=[
            Filter("year", "Year", [(year, str(year)) for year in years]),
            Filter("labels", "Labels", LABELS, with_labels),
        ],
        one="document",
        many="documents",
    )


@in_collection(ADMIN)
def documents(request: CollectionRequest, collection: Collection) -> HttpResponse:
    running = collection.jobs.unfinished().filter(kind="import_documents").first()
    table = document_table(request, collection, row="corpus/_document_row.html")
    return table.response("corpus/documents.html", {"collection": collection, "job": running})


@require_http_methods(["GET", "POST"])
@in_collection(ADMIN)
def import_documents(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """Choose a file; with `?upload=`, look at its first rows and start the job."""
    if upload := request.GET.get("upload"):
        return _import_upload(request, collection, upload)
    form = UploadForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        return redirect(f"{request.path}?upload={keep_upload(collection, form.cleaned_data['file'])}")
    return render(request, "corpus/import_documents.html", {"collection": collection, "form": form})


def _import_upload(request: CollectionRequest, collection: Collection, upload: str) -> HttpResponse:
    job = collection.jobs.filter(kind="import_documents", parameters__files__0__startswith=f"uploads/{upload}/").first()
    context: dict[str, Any] = {"collection": collection, "job": job}
    if job is None or job.state in (State.FAILED, State.CANCELLED):
        path = find_upload(collection, upload)
        form = DocumentOptionsForm(request.POST or None)
        if form.is_valid():
            start_once("import_documents", collection=collection, by=request.user, files=[path], **form.cleaned_data)
            return redirect(request.get_full_path())
        context |= {"form": form, "name": path.rpartition("/")[2]}
        try:
            context["preview"] = importing.preview(path)
        except BadInput as error:
            context["error"] = error
    return render(request, "corpus/import_upload.html", context)


@in_collection(ADMIN)
def show_queries(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """Every query, and how far it has come: pooled, frozen, open, closed."""
    rows = (
        collection.queries.select_related("document")
        .defer("document__cites", "document__extra")
        .annotate(
            pooled=Count("pools", distinct=True),
            frozen=Max("pools__pool_set__frozen_at"),
            opened=Count("openings", filter=Q(openings__practice=None), distinct=True),
            still_open=Count("openings", filter=Q(openings__practice=None, openings__closed_at=None), distinct=True),
        )
    )
    candidates = dict(collection.queries.order_by().values_list("pk").annotate(Count("pools__candidates")))
    pairs: dict[int, Counter[str]] = defaultdict(Counter)
    counted = collection.queries.filter(pairs__counts=True).order_by().values_list("pk", "pairs__state")
    for pk, state, number in counted.annotate(number=Count("pairs")):
        pairs[pk][state] = number
    table = Table(
        request,
        rows,
        name="queries",
        row="corpus/_query_row.html",
        columns=[
            Column("name", "Id"),
            Column("title", "Title", sortable=False, value=lambda query: query.shown_title),
            Column("facet", "Facet", folded=True),
            Column(
                "candidates",
                "Candidates",
                number=True,
                sortable=False,
                folded=True,
                value=lambda query: candidates[query.pk],
            ),
            Column("state", "State", sortable=False, folded=True, value=lambda query: state_of(query, pairs[query.pk])),
        ],
        search=["name", "title", "document__title"],
        filters=[Filter("facet", "Facet", [(facet, facet) for facet in collection.facets])],
        default="name",
        one="query",
        many="queries",
    )
    for query in table.page.object_list:
        query.state, query.candidates = state_of(query, pairs[query.pk]), candidates[query.pk]
    return table.response("corpus/queries.html", {"collection": collection})


def state_of(query: Any, pairs: Counter[str]) -> str:
    """Of a query with the annotations of the list, and its pairs that count by their state."""
    if query.opened:
        judged = f"{pairs.total() - pairs['open']} of {pairs.total()} judged"
        work = judged if pairs["open"] else plural(pairs["case"], "case,cases") if pairs["case"] else "done"
        return work if query.still_open else f"{work}, closed"
    if query.frozen:
        return "pool frozen"
    return "draft pool" if query.pooled else "no pool"


@require_http_methods(["GET", "POST"])
@in_collection(ADMIN)
def add_queries(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """Make documents query papers: pasted docnos, or rows ticked in the table below."""
    form = QueryPapersForm(request.POST or None, collection=collection)
    if form.is_valid():
        made = attempt(form, queries.add_query_papers, collection=collection, wanted=form.wanted)
        if made:
            new, known = made
            messages.success(
                request, f"{plural(new, 'query,queries')} added." + (f" {known:,} were there already." if known else "")
            )
            return redirect("queries", collection.slug)
    table = document_table(request, collection, row="corpus/_choice_row.html")
    return table.response("corpus/add_queries.html", {"collection": collection, "form": form})


@require_http_methods(["GET", "POST"])
@in_collection(ADMIN)
def import_topics(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """Choose a file or paste topics; with `?upload=`, look at the first ones and save them."""
    if upload := request.GET.get("upload"):
        return _save_topics(request, collection, upload)
    form = TopicsForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        return redirect(f"{request.path}?upload={keep_upload(collection, form.cleaned_data['file'])}")
    return render(request, "corpus/import_topics.html", {"collection": collection, "form": form})


def _save_topics(request: CollectionRequest, collection: Collection, upload: str) -> HttpResponse:
    path = find_upload(collection, upload)
    form = SkipForm(request.POST or None)
    context: dict[str, Any] = {"collection": collection, "form": form, "name": path.rpartition("/")[2]}
    if form.is_valid():
        result = attempt(form, queries.import_topics, collection=collection, path=path, **form.cleaned_data)
        if result:
            messages.success(request, f"{result['added']:,} added, {result['unchanged']:,} unchanged.")
            if result["skipped"]:
                messages.warning(request, f"{result['skipped']:,} skipped. {' '.join(result['reasons'])}")
            return redirect("queries", collection.slug)
    try:
        context["preview"] = queries.preview_topics(path)
    except BadInput as error:
        context["error"] = error
    return render(request, "corpus/import_topics_upload.html", context)


@require_POST
@in_collection(ADMIN)
def delete_query(request: CollectionRequest, collection: Collection, pk: int) -> HttpResponse:
    query = get_object_or_404(collection.queries, pk=pk)
    queries.delete_query(query=query)
    messages.success(request, f"{query} is deleted.")
    return redirect("queries", collection.slug)
