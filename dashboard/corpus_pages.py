"""Pages on the corpus that also say what the apps above it make of a document or a query."""

from __future__ import annotations

from django.db.models import Count
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from accounts.access import in_collection
from accounts.models import Collection, Role
from annotation.models import Pair
from corpus.models import NAME_ORDER
from dashboard.board.query_table import (
    QUERIES,
    facet_grades,
    queries_of,
    query_filters,
    query_rows,
    unknown_facts,
    unused_columns,
)
from dashboard.query_page.grades_file import grades_file, wants_grades
from web.requests.answers import wants_part
from web.tables.columns import csv_file, rows_of_file, wants_csv
from web.tables.filters import filter_bar, filter_queryset
from web.tables.paging import page_of, typed


@in_collection(Role.ADMIN, owner_annotators_to="set-up")
@require_safe
@vary_on_headers("HX-Request")
def queries(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    words = typed(request.GET, "q")
    facets = list(collection.facets.all())
    filters = query_filters(facets)
    matches = filter_queryset(queries_of(collection).matching(words), filters, request.GET)
    if wants_grades(request):
        facet = next(
            (f"-{each.key}" for each in facets if each.key == request.GET.get("facet")), ""
        )
        pairs = Pair.objects.filter(query__in=matches.order_by().values("pk"))
        return grades_file(request, collection, pairs, f"{collection.slug}{facet}")
    numbers = collection.queries.aggregate(
        total=Count("pk"), by_sentences=Count("sentence_numbers")
    )
    unused = unused_columns(facets) | unknown_facts(collection)
    unused |= set() if numbers["by_sentences"] else {"sentences"}
    columns = QUERIES.shown(request, unused)
    if wants_csv(request):
        rows = rows_of_file(matches.order_by("name_order"), query_rows)
        return csv_file(f"{collection.slug}-queries", columns, rows)
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
            "grades": facet_grades(collection, facets),
            "total": numbers["total"],
            "found": matches.count(),
        },
    )
