"""Pages on the corpus that also say what the apps above it make of a document or a query."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from accounts.access import in_collection
from accounts.models import Collection, Role
from corpus.models import NAME_ORDER, Document, Facet, FullText, QueryPaper
from corpus.text.query_facts import QueryFacts, facts_of
from curation.checking.queue import ShownSentence, shown_abstract
from dashboard.board.query_table import (
    QUERIES,
    queries_of,
    query_filters,
    query_rows,
    unknown_facts,
    unused_columns,
)
from pooling.models import Candidate, Pool
from web.requests.answers import wants_part
from web.tables.columns import csv_file, in_batches, wants_csv
from web.tables.filters import filter_bar, filter_queryset
from web.tables.paging import page_of, typed

BATCH = 500  # rows of a CSV file that are read together


@in_collection(Role.ADMIN)
@require_safe
@vary_on_headers("HX-Request")
def queries(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    words = typed(request.GET, "q")
    facets = list(collection.facets.all())
    filters = query_filters(facets)
    matches = filter_queryset(queries_of(collection).matching(words), filters, request.GET)
    numbers = collection.queries.aggregate(
        total=Count("pk"), by_sentences=Count("sentence_numbers")
    )
    unused = unused_columns(facets) | unknown_facts(collection)
    unused |= set() if numbers["by_sentences"] else {"sentences"}
    columns = QUERIES.shown(request, unused)
    if wants_csv(request):
        lines = matches.order_by("name_order").iterator(chunk_size=BATCH)
        name = f"{collection.slug}-queries"
        return csv_file(name, columns, in_batches(lines, query_rows, BATCH))
    page = page_of(matches, "name", request.GET, order=NAME_ORDER)
    template = "corpus/_queries.html" if wants_part(request) else "corpus/queries.html"
    return render(
        request,
        template,
        {
            "page": page,
            "rows": query_rows(page.rows),
            "columns": columns,
            "bar": filter_bar(
                request, filters, caption="Find by id or title", button="Find queries", kept=()
            ),
            "words": words,
            "facets": facets,
            "total": numbers["total"],
            "found": matches.count(),
        },
    )


@in_collection(Role.ADMIN)
@require_safe
def query(request: HttpRequest, collection: Collection, name: str) -> HttpResponse:
    query = get_object_or_404(collection.queries.select_related("query_paper"), name=name)
    return redirect(query.query_paper.page, collection.slug, query.query_paper.name)


@dataclass(frozen=True)
class ReadSentence:
    shown: ShownSentence
    facet: Facet | None


@in_collection(Role.ADMIN)
@require_safe
def document(request: HttpRequest, collection: Collection, docno: str) -> HttpResponse:
    document = collection.documents.filter(docno=docno).first()
    if document is None:
        raise Http404(f"no document {docno!r} here")
    facets = list(collection.facets.all())
    in_corpus = {
        cited.docno: cited
        for cited in collection.documents.filter(docno__in=document.references).only(
            "collection", "docno", "title"
        )
    }
    shown = shown_abstract(collection, document)
    pools = Candidate.objects.filter(document=document, pool__query_paper__isnull=False).aggregate(
        total=Count("pk"), judged=Count("pk", filter=Q(excluded=""))
    )
    return render(
        request,
        "corpus/document.html",
        {
            "document": document,
            "has_facets": not unused_columns(facets),
            "sentences": _read_sentences(shown.sentences, facets),
            "shown": shown,
            "queries": list(
                collection.queries.filter(query_paper__document=document).order_by("name_order")
            ),
            "cited": [in_corpus[docno] for docno in document.references if docno in in_corpus],
            "unresolved": [docno for docno in document.references if docno not in in_corpus],
            "pools": pools,
            "facts": _facts(document),
            "full_text": FullText.objects.filter(document=document).defer("sections").first(),
        },
    )


@in_collection(Role.ADMIN)
@require_safe
def topic(request: HttpRequest, collection: Collection, topic: str) -> HttpResponse:
    found = collection.topics.filter(name=topic).first()
    if found is None:
        raise Http404(f"no topic {topic!r} here")
    queries = collection.queries.filter(query_paper__topic=found).order_by("name_order")
    pools = Pool.objects.filter(query_paper__topic=found)
    return render(
        request,
        "corpus/topic.html",
        {"topic": found, "queries": list(queries), "pool": pools.first()},
    )


def _facts(document: Document) -> QueryFacts | None:
    """The reasons why the document is a query paper, if it is one and they are recorded."""
    metadata = QueryPaper.objects.filter(document=document).values_list("metadata", flat=True)
    facts = facts_of(metadata[0]) if metadata else QueryFacts()
    return facts if any(facts) else None


def _read_sentences(sentences: list[ShownSentence], facets: list[Facet]) -> list[ReadSentence]:
    facet_of = {label: facet for facet in facets for label in facet.labels}
    return [ReadSentence(sentence, facet_of.get(sentence.label)) for sentence in sentences]
