"""Pages on the corpus that also say what the apps above it make of a document or a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from accounts.access import in_collection
from accounts.models import Collection, Role
from annotation.models import Opening, Slot
from corpus.models import Document, Facet, Query
from corpus.paging import page_of, typed
from corpus.services import labels_in
from corpus.views import asks_for_part
from pooling.models import Candidate, Pool

QUERIES_ON_A_PAGE = 100


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
    pools = dict(
        Candidate.objects.to_judge()
        .filter(pool__query_paper__in={query.query_paper_id for query in queries})
        .order_by()
        .values_list("pool__query_paper")
        .annotate(Count("pk"))
    )
    slots = {
        pk: (held, judged)
        for pk, held, judged in Slot.objects.filter(pair__query__in=queries)
        .order_by()
        .values_list("pair__query")
        .annotate(Count("pk"), Count("judgment"))
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
    every = collection.queries.select_related("facet", "query_paper__document").annotate(
        opened=Exists(Opening.objects.filter(query=OuterRef("pk")))
    )
    chosen = every
    if words:
        chosen = every.filter(
            Q(name__icontains=words) | Q(query_paper__document__title__icontains=words)
        )
    page = page_of(chosen, "name", request.GET, QUERIES_ON_A_PAGE)
    template = "corpus/_queries.html" if asks_for_part(request) else "corpus/queries.html"
    return render(
        request,
        template,
        {
            "page": page,
            "rows": rows_of(page.rows),
            "words": words,
            "total": collection.queries.count(),
            "found": chosen.count(),
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
    found = collection.documents.filter(docno=docno).first()
    if found is None:
        raise Http404(f"no document {docno!r} here")
    facets = list(collection.facets.all())
    known = {
        cited.docno: cited
        for cited in collection.documents.filter(docno__in=found.references).only("docno", "title")
    }
    pools = Candidate.objects.filter(document=found).aggregate(
        held=Count("pk"), judged=Count("pk", filter=Q(excluded=""))
    )
    return render(
        request,
        "corpus/document.html",
        {
            "document": found,
            "sentences": _read(found, facets),
            "queries": list(collection.queries.filter(query_paper__document=found)),
            "cited": [known[docno] for docno in found.references if docno in known],
            "unresolved": [docno for docno in found.references if docno not in known],
            "pools": pools,
            "labels": labels_in(collection),
            "frozen": Pool.objects.frozen().holding(found).exists(),
        },
    )


def _read(found: Document, facets: list[Facet]) -> list[ReadSentence]:
    facet_of = {label: facet for facet in facets for label in facet.labels}
    padded = [*found.labels, *[""] * (len(found.sentences) - len(found.labels))]
    return [
        ReadSentence(text, label, facet_of.get(label))
        for text, label in zip(found.sentences, padded, strict=False)
    ]
