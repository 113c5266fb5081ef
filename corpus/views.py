"""Pages to find and import documents, and to add and remove queries."""

from __future__ import annotations

import json

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from accounts.access import in_collection, person_of
from accounts.models import OWNERS, Collection, Role
from corpus.facets import SAMPLE_FACETS
from corpus.formats.full_texts import sections_of
from corpus.formats.sources import AUTO
from corpus.forms import FullTextsForm, QueryListForm, TopicsForm, UploadForm
from corpus.models import Document, DocumentQuerySet, FullText
from corpus.services import CorpusError
from corpus.tasks import FULL_TEXTS_KIND, JOB_KIND, TOPICS_KIND
from corpus.topics.queries import (
    BadQueryList,
    ChosenSentences,
    add_queries,
    add_query_list,
    add_sentence_query,
    facet_choices,
    remove_query,
    sentence_choices,
    sentence_queries,
)
from corpus.uploads import ImportUnderWay, request_full_texts, request_import, request_topics
from web.disk import NoRoom
from web.errors import UserFacingError
from web.file_fields import refuse_upload
from web.requests.answers import wants_part
from web.tables.paging import Order, page_of, typed
from web.words import count_noun

FOUND = 20
LONGEST_NUMBER = 4  # digits of the number of a sentence
IMPORTS_ON_A_PAGE = 20
IMPORT_ORDER = Order("pk", lambda text: int(text) if text.isdecimal() and len(text) < 19 else 0)


@in_collection(*OWNERS)
@require_safe
def document_imports(request: HttpRequest, collection: Collection) -> HttpResponse:
    """The history of the corpus: the imports in their order, with the counts of their steps."""
    rows = collection.document_imports.prefetch_related("steps")
    page = page_of(rows, "pk", request.GET, IMPORTS_ON_A_PAGE, order=IMPORT_ORDER)
    has_documents = not page.rows and collection.documents.exists()
    context = {"page": page, "has_documents": has_documents}
    return render(request, "corpus/document_imports.html", context)


@in_collection(*OWNERS)
@require_http_methods(["GET", "HEAD", "POST"])
def import_documents(request: HttpRequest, collection: Collection) -> HttpResponse:
    if request.method != "POST":
        return _import_page(request, collection, UploadForm())
    form = UploadForm(request.POST, request.FILES)
    if not form.is_valid():
        return _import_page(request, collection, form, status=422)
    try:
        job = request_import(
            collection=collection,
            uploads=form.cleaned_data["file"],
            requested_by=person_of(request),
            options=form.options(dry_run="dry_run" in request.POST),
        )
    except (ImportUnderWay, NoRoom) as error:
        return _import_page(request, collection, form, status=refuse_upload(form, "file", error))
    return redirect("job", collection.slug, job.pk)


def _import_page(
    request: HttpRequest, collection: Collection, form: UploadForm, status: int = 200
) -> HttpResponse:
    labels = [label for facet in collection.facets.all() for label in facet.labels]
    context = {
        "form": form,
        "labels": labels,
        "example_labels": json.dumps([*labels, "other", "other"][:3], ensure_ascii=False),
        "running": collection.jobs.live().filter(kind=JOB_KIND).first(),
        "command": "import_documents",
        "sample": "documents.jsonl",
        "back": "documents",
    }
    return render(request, "corpus/import.html", context, status=status)


@in_collection(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def import_full_texts(request: HttpRequest, collection: Collection) -> HttpResponse:
    if request.method != "POST":
        return _full_texts_page(request, collection, FullTextsForm())
    form = FullTextsForm(request.POST, request.FILES)
    if not form.is_valid():
        return _full_texts_page(request, collection, form, status=422)
    try:
        job = request_full_texts(
            collection=collection,
            uploads=form.cleaned_data["file"],
            format_name=form.cleaned_data["format"] or AUTO,
            prefix=form.cleaned_data["docno_prefix"],
            requested_by=person_of(request),
        )
    except (ImportUnderWay, NoRoom) as error:
        status = refuse_upload(form, "file", error)
        return _full_texts_page(request, collection, form, status=status)
    return redirect("job", collection.slug, job.pk)


def _full_texts_page(
    request: HttpRequest, collection: Collection, form: FullTextsForm, status: int = 200
) -> HttpResponse:
    context = {
        "form": form,
        "attached": FullText.objects.filter(document__collection=collection).count(),
        "running": collection.jobs.live().filter(kind=FULL_TEXTS_KIND).first(),
        "command": "import_full_texts",
        "sample": "full_texts.jsonl",
        "back": "documents",
    }
    return render(request, "corpus/import_full_texts.html", context, status=status)


@in_collection(Role.ADMIN)
@require_safe
def full_text(request: HttpRequest, collection: Collection, docno: str) -> HttpResponse:
    found = (
        FullText.objects.filter(document__collection=collection, document__docno=docno)
        .select_related("document")
        .first()
    )
    if found is None:
        raise Http404(f"no full text of {docno!r} here")
    context = {
        "document": found.document,
        "full_text": found,
        "sections": sections_of(found.sections),
    }
    return render(request, "corpus/full_text.html", context)


@in_collection(*OWNERS)
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
    if "sentences" in request.POST:
        return _add_sentence_query(request, collection)
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


def _add_sentence_query(request: HttpRequest, collection: Collection) -> HttpResponse:
    chosen = ChosenSentences(
        facet_key=typed(request.POST, "facet"),
        numbers=tuple(
            int(text)
            for text in request.POST.getlist("sentence")
            if text.isdecimal() and len(text) <= LONGEST_NUMBER
        ),
        name=typed(request.POST, "name"),
    )
    docno = typed(request.POST, "docno")
    try:
        query = add_sentence_query(
            collection=collection,
            docno=docno,
            facet_key=chosen.facet_key,
            sentences=chosen.numbers,
            name=chosen.name,
        )
    except UserFacingError as error:
        return _add_page(
            request,
            collection,
            document=collection.documents.filter(docno=docno).first(),
            chosen=chosen,
            sentences_problem=str(error),
        )
    messages.success(request, f"Added {query.name} with sentences {query.sentences_text}.")
    return redirect("queries", collection.slug)


@in_collection(*OWNERS)
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


@in_collection(*OWNERS)
@require_POST
def import_topics(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = TopicsForm(request.POST, request.FILES, collection=collection)
    if not form.is_valid():
        return _add_page(request, collection, topics=form)
    try:
        job = request_topics(
            collection=collection,
            uploads=form.cleaned_data["file"],
            facet_key=form.cleaned_data.get("facet", ""),
            topic_prefix=form.cleaned_data["topic_prefix"],
            requested_by=person_of(request),
            dry_run="dry_run" in request.POST,
        )
    except (ImportUnderWay, NoRoom) as error:
        status = refuse_upload(form, "file", error)
        return _add_page(request, collection, topics=form, status=status)
    return redirect("job", collection.slug, job.pk)


@in_collection(*OWNERS)
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
    chosen: ChosenSentences | None = None,
    sentences_problem: str = "",
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
            "sentences": sentence_choices(document, facets) if document else [],
            "sentence_queries": sentence_queries(document) if document else [],
            "chosen": chosen,
            "sentences_problem": sentences_problem,
            "form": form or QueryListForm(has_facets=has_facets),
            "has_facets": has_facets,
            "has_sample_facets": {facet.key for facet in facets} >= SAMPLE_FACETS,
            "bad_list": bad_list,
            "topics": topics or TopicsForm(collection=collection),
            "running": collection.jobs.live().filter(kind=TOPICS_KIND).first(),
            **_matches_context(collection, words),
        },
        status=status if problem or sentences_problem or form or topics else 200,
    )
