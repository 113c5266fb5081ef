"""Pages to find and import documents, and to add and remove queries."""

from __future__ import annotations

import json

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from corpus.forms import QueryListForm, TopicsForm, UploadForm
from corpus.models import DOCNO_ORDER, Document, DocumentQuerySet
from corpus.queries import (
    BadQueryList,
    add_queries,
    add_query_list,
    facet_choices,
    remove_query,
)
from corpus.services import CorpusError
from corpus.services import label_sentences as write_labels
from corpus.tables import DOCUMENTS, Gaps, document_lines
from corpus.tasks import JOB_KIND, TOPICS_KIND
from corpus.uploads import ImportUnderWay, request_import, request_topics
from web.columns import csv_file, wants_csv
from web.disk import NoRoom
from web.filters import filter_bar, filter_queryset
from web.paging import page_of, typed
from web.requests import wants_part
from web.words import count_noun

COUNTED_UP_TO = 1_000  # matches; above this the page shows "1,000 or more"
FOUND = 20


@in_collection(Role.ADMIN)
@require_safe
@vary_on_headers("HX-Request")
def documents(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    words = typed(request.GET, "q")
    all_documents: DocumentQuerySet = collection.documents.all()
    total = all_documents.count()
    gaps = Gaps.of(all_documents, total)
    matches = filter_queryset(all_documents.matching(words), gaps.filters, request.GET)
    columns = DOCUMENTS.shown(request)
    if wants_csv(request):
        return csv_file(f"{collection.slug}-documents", columns, document_lines(matches))
    bar = filter_bar(
        request, gaps.filters, label="Find by title or docno", button="Find documents", kept=()
    )
    template = "corpus/_documents.html" if wants_part(request) else "corpus/documents.html"
    return render(
        request,
        template,
        {
            "page": page_of(matches, "docno", request.GET, order=DOCNO_ORDER),
            "columns": columns,
            "bar": bar,
            "words": words,
            "total": total,
            "found": matches[:COUNTED_UP_TO].count() if bar.is_active else total,
            "counted_up_to": COUNTED_UP_TO,
            "without_text": gaps.text,
        },
    )


@in_collection(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def import_documents(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = UploadForm(request.POST or None, request.FILES or None)
    status = 200
    if request.method == "POST":
        form = UploadForm(request.POST, request.FILES)
        if form.is_valid():
            try:
                job = request_import(
                    collection=collection,
                    uploads=form.cleaned_data["file"],
                    requested_by=person_of(request),
                    **form.options(),
                )
            except (ImportUnderWay, NoRoom) as error:
                form.add_error("file", str(error))
                status = 507 if isinstance(error, NoRoom) else 422
            else:
                return redirect("job", collection.slug, job.pk)
        else:
            status = 422
    labels = [label for facet in collection.facets.all() for label in facet.labels]
    return render(
        request,
        "corpus/import.html",
        {
            "form": form,
            "labels": labels,
            "example_labels": json.dumps([*labels, "other", "other"][:3], ensure_ascii=False),
            "running": collection.jobs.live().filter(kind=JOB_KIND).first(),
            "command": "import_documents",
            "sample": "documents.jsonl",
            "back": "documents",
        },
        status=status,
    )


@in_collection(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
@vary_on_headers("HX-Request")
def add_query(request: HttpRequest, collection: Collection) -> HttpResponse:
    if request.method == "POST":
        return _add_queries(request, collection)
    words = typed(request.GET, "q")
    if wants_part(request):
        return render(request, "corpus/_found.html", _matches_context(collection, words))
    docno = typed(request.GET, "docno")
    document = collection.documents.filter(docno=docno).first() if docno else None
    if docno and document is None:
        raise Http404(f"no document {docno!r} here")
    return _add_page(request, collection, document=document, words=words)


def _add_queries(request: HttpRequest, collection: Collection) -> HttpResponse:
    docno = typed(request.POST, "docno")
    facet_keys = request.POST.getlist("facet")
    try:
        queries = add_queries(collection=collection, docno=docno, facet_keys=facet_keys)
    except CorpusError as error:
        return _add_page(
            request,
            collection,
            document=collection.documents.filter(docno=docno).first(),
            facet_keys=facet_keys,
            problem=str(error),
        )
    messages.success(request, f"Added {', '.join(query.name for query in queries)}.")
    return redirect("queries", collection.slug)


@in_collection(Role.ADMIN)
@require_POST
def add_list(request: HttpRequest, collection: Collection) -> HttpResponse:
    has_facets = not collection.facets.filter(key="").exists()
    form = QueryListForm(request.POST, has_facets=has_facets)
    if not form.is_valid():
        return _add_page(request, collection, form=form)
    try:
        count = add_query_list(collection=collection, text=form.cleaned_data["lines"])
    except BadQueryList as error:
        return _add_page(request, collection, form=form, bad_list=error)
    if count:
        messages.success(request, f"Added {count_noun(count, 'query', 'queries')}.")
    else:
        messages.info(request, "All of these queries existed already. Nothing changed.")
    return redirect("queries", collection.slug)


@in_collection(Role.ADMIN)
@require_POST
def import_topics(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = TopicsForm(request.POST, request.FILES, collection=collection)
    if form.is_valid():
        try:
            job = request_topics(
                collection=collection,
                uploads=form.cleaned_data["file"],
                facet_key=form.cleaned_data.get("facet", ""),
                topic_prefix=form.cleaned_data["topic_prefix"],
                requested_by=person_of(request),
            )
        except ImportUnderWay as error:
            form.add_error("file", str(error))
        except NoRoom as error:
            form.add_error("file", str(error))
            return _add_page(request, collection, topics=form, status=507)
        else:
            return redirect("job", collection.slug, job.pk)
    return _add_page(request, collection, topics=form)


@in_collection(Role.ADMIN)
@require_POST
def delete_query(request: HttpRequest, collection: Collection, name: str) -> HttpResponse:
    query = collection.queries.select_related("query_paper").filter(name=name).first()
    if query is None:
        raise Http404(f"no query {name!r} here")
    try:
        remove_query(query=query)
    except CorpusError as error:
        messages.error(request, str(error))
    else:
        document_stays = "" if query.query_paper.is_topic else " Its document stays."
        messages.success(request, f"Removed {name}.{document_stays}")
    return redirect("queries", collection.slug)


@in_collection(Role.ADMIN)
@require_POST
def label_sentences(request: HttpRequest, collection: Collection, docno: str) -> HttpResponse:
    document = collection.documents.filter(docno=docno).first()
    if document is None:
        raise Http404(f"no document {docno!r} here")
    try:
        write_labels(document=document, labels=request.POST.getlist("label"))
    except CorpusError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"Saved the labels of {docno}.")
    return redirect("document", collection.slug, docno)


def _matches_context(collection: Collection, words: str) -> dict[str, object]:
    documents: DocumentQuerySet = collection.documents.all()
    matches = documents.matching(words) if words else documents.none()
    rows = list(matches.order_by("docno_order")[: FOUND + 1])
    return {"words": words, "found": rows[:FOUND], "more": len(rows) > FOUND}


def _add_page(
    request: HttpRequest,
    collection: Collection,
    *,
    document: Document | None = None,
    words: str = "",
    facet_keys: list[str] | None = None,
    problem: str = "",
    form: QueryListForm | None = None,
    bad_list: BadQueryList | None = None,
    topics: TopicsForm | None = None,
    status: int = 422,
) -> HttpResponse:
    facets = list(collection.facets.all())
    has_facets = not any(facet.is_whole for facet in facets)
    return render(
        request,
        "corpus/add_query.html",
        {
            "facets": facets,
            "document": document,
            "choices": facet_choices(document, facets) if document else [],
            "facet_keys": facet_keys or [],
            "problem": problem,
            "form": form or QueryListForm(has_facets=has_facets),
            "has_facets": has_facets,
            "bad_list": bad_list,
            "topics": topics or TopicsForm(collection=collection),
            "running": collection.jobs.live().filter(kind=TOPICS_KIND).first(),
            **_matches_context(collection, words),
        },
        status=status if problem or form or topics else 200,
    )
