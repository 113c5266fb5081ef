"""The page that lists the documents of a collection."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from accounts.access import in_collection
from accounts.models import Collection, Role
from corpus.documents.columns import SCANNED_UP_TO, Gaps, document_lines
from corpus.models import DOCNO_ORDER, DocumentQuerySet
from curation.labels.document_table import DOCUMENTS, LABELS, SOURCE, labels_from
from web.requests.answers import wants_part
from web.tables.columns import csv_file, wants_csv
from web.tables.filters import filter_bar, filter_queryset
from web.tables.paging import page_of, typed

COUNTED_UP_TO = 1_000  # matches; above this the page shows "1,000 or more"


@in_collection(Role.ADMIN, owner_annotators_to="document-imports")
@require_safe
@vary_on_headers("HX-Request")
def documents(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    words = typed(request.GET, "q")
    all_documents: DocumentQuerySet = collection.documents.all()
    total = all_documents.count()
    gaps = Gaps.of(all_documents, total)
    has_facets = not collection.facets.filter(key="").exists()
    filters = [*gaps.filters, *([SOURCE] if has_facets and total <= SCANNED_UP_TO else [])]
    matches = filter_queryset(all_documents.matching(words), filters, request.GET)
    columns = DOCUMENTS.shown(request, () if has_facets else (LABELS.key,))
    rows = matches.annotate(labels_from=labels_from()) if LABELS.key in columns else matches
    if wants_csv(request):
        return csv_file(f"{collection.slug}-documents", columns, document_lines(rows))
    bar = filter_bar(
        request, filters, caption="Find by title or docno", button="Find documents", kept=()
    )
    found = matches[:COUNTED_UP_TO].count() if bar.is_active else total
    is_counted = not bar.is_active or found < COUNTED_UP_TO
    template = "corpus/_documents.html" if wants_part(request) else "corpus/documents.html"
    return render(
        request,
        template,
        {
            "page": page_of(rows, "docno", request.GET, order=DOCNO_ORDER),
            "columns": columns,
            "bar": bar,
            "words": words,
            "total": total,
            "found": found,
            "of": found if is_counted else None,
            "counted_up_to": COUNTED_UP_TO,
            "without_text": gaps.text,
        },
    )
