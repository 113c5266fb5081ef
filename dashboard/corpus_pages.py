"""Pages on the corpus that also say what the apps above it make of a document or a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q, Sum
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from accounts.access import in_collection
from accounts.models import Collection, Role
from annotation.models import Opening, SlotCount
from corpus.models import Document, Facet, Query
from corpus.services import labels_in
from corpus.views import asks_for_part
from pooling.models import Candidate, Pool
from web.paging import page_of, typed


@dataclass(frozen=True)
class QueryRow:
    """A query in the list. `pool` is None without a pool; `slots` is 0 until it is opened."""

    query: Query
    pool: int | None
    opened: bool
    slots: int
    judged: int

    @property
    def finished(self) -> bool:
        return self.opened and self.judged == self.slots


def rows_of(queries: Sequence[Query]) -> list[QueryRow]:
    """The queries with their pools and progress, in two more questions to the database."""
    papers = {query.query_paper_id for query in queries}
    pools = dict(
        Pool.objects.filter(query_paper__in=papers)
        .order_by()
        .values_list("query_paper", "to_judge")
    )
    slot_counts = SlotCount.objects.filter(query__in=queries).order_by().values_list("query")
    slots = {
        query: (total, judged)
        for query, total, judged in slot_counts.annotate(Sum("total"), Sum("judged"))
    }
    return [
        QueryRow(
            query,
            pools.get(query.query_paper_id),
            getattr(query, "opened", False),
            *slots.get(query.pk, (0, 0)),
        )
        for query in queries
    ]


@in_collection(Role.ADMIN)
@require_safe
@vary_on_headers("HX-Request")
def queries(request: HttpRequest, collection: Collection) -> HttpResponse:
    words = typed(request.GET, "q")
    all_queries = collection.queries.with_titles().annotate(
        opened=Exists(Opening.objects.filter(query=OuterRef("pk")))
    )
    matches = all_queries
    if words:
        matches = all_queries.filter(
            Q(name__icontains=words) | Q(query_paper__document__title__icontains=words)
        )
    page = page_of(matches, "name", request.GET)
    template = "corpus/_queries.html" if asks_for_part(request) else "corpus/queries.html"
    return render(
        request,
        template,
        {
            "page": page,
            "rows": rows_of(page.rows),
            "words": words,
            "total": collection.queries.count(),
            "found": matches.count(),
        },
    )


@dataclass(frozen=True)
class ReadSentence:
    text: str
    label: str
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
    pools = Candidate.objects.filter(document=document, pool__query_paper__isnull=False).aggregate(
        total=Count("pk"), judged=Count("pk", filter=Q(excluded=""))
    )
    return render(
        request,
        "corpus/document.html",
        {
            "document": document,
            "sentences": _read_sentences(document, facets),
            "queries": list(collection.queries.filter(query_paper__document=document)),
            "cited": [in_corpus[docno] for docno in document.references if docno in in_corpus],
            "unresolved": [docno for docno in document.references if docno not in in_corpus],
            "pools": pools,
            "labels": labels_in(collection),
            "frozen": Pool.objects.frozen().holding(document).exists(),
        },
    )


def _read_sentences(document: Document, facets: list[Facet]) -> list[ReadSentence]:
    facet_of = {label: facet for facet in facets for label in facet.labels}
    padded_labels = [*document.labels, *[""] * (len(document.sentences) - len(document.labels))]
    return [
        ReadSentence(text, label, facet_of.get(label))
        for text, label in zip(document.sentences, padded_labels, strict=False)
    ]
