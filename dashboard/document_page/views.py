"""The page of a document."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from accounts.access import in_collection
from accounts.models import Collection, Role
from corpus.models import Document, Facet, FullText, QueryPaper
from corpus.text.query_facts import QueryFacts, facts_of
from curation.checking.queue import ShownSentence, shown_abstract
from dashboard.board.query_table import unused_columns
from dashboard.document_page.appearances import (
    APPEARANCES,
    appearances,
    candidates_of,
    counts_of,
)
from dashboard.document_page.relations import neighbourhood, releases_of, titles_of
from dashboard.query_page.candidates import systems_with_pages
from web.downloads import name_in_file
from web.tables.cells import numbered_page
from web.tables.columns import csv_file, rows_of_file, wants_csv
from web.tables.filters import filter_bar
from web.tables.paging import typed


@dataclass(frozen=True)
class ReadSentence:
    shown: ShownSentence
    facet: Facet | None


@in_collection(Role.ADMIN)
@require_safe
def document(request: HttpRequest, collection: Collection, docno: str) -> HttpResponseBase:
    document = get_object_or_404(collection.documents, docno=docno)
    facets = list(collection.facets.all())
    unused = unused_columns(facets)
    columns = APPEARANCES.shown(request, unused)
    words = typed(request.GET, "q")
    candidates = candidates_of(document, words)
    if wants_csv(request):
        rows = rows_of_file(candidates, partial(appearances, collection))
        name = f"{collection.slug}-document-{name_in_file(docno)}"
        return csv_file(name, columns, rows)
    pools = numbered_page(candidates, request, anchor="#pools")
    near = neighbourhood(collection, document, ask="related" in request.GET)
    cites = numbered_page(near.cited, request, name="cites", anchor="#citations")
    shown = shown_abstract(collection, document)
    context = {
        "document": document,
        "has_facets": not unused,
        "sentences": _read_sentences(shown.sentences, facets),
        "shown": shown,
        "queries": list(
            collection.queries.filter(query_paper__document=document).order_by("name_order")
        ),
        "facts": _facts(document),
        "full_text": FullText.objects.filter(document=document).defer("sections").first(),
        "counts": counts_of(document),
        "pools": pools,
        "rows": appearances(collection, pools.rows),
        "columns": columns,
        "systems": systems_with_pages(collection),
        "bar": filter_bar(
            request, [], caption="Id or title of the query", button="Find", anchor="#pools"
        ),
        "near": near,
        "cites": cites._replace(rows=titles_of(collection, cites.rows)),
        "cited_by": numbered_page(near.citing, request, name="cited-by", anchor="#citations"),
        "releases": releases_of(collection, document),
    }
    return render(request, "corpus/document.html", context)


def _facts(document: Document) -> QueryFacts | None:
    """The reasons why the document is a query paper, if it is one and they are recorded."""
    metadata = QueryPaper.objects.filter(document=document).values_list("metadata", flat=True)
    facts = facts_of(metadata[0]) if metadata else QueryFacts()
    return facts if any(facts) else None


def _read_sentences(sentences: list[ShownSentence], facets: list[Facet]) -> list[ReadSentence]:
    facet_of = {label: facet for facet in facets for label in facet.labels}
    return [ReadSentence(sentence, facet_of.get(sentence.label)) for sentence in sentences]
