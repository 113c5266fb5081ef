"""The page of a query, with its pool; and the pool of a query paper without a query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from accounts.access import in_collection
from accounts.models import Collection, Role
from annotation.models import Pair
from annotation.services import shown_query
from corpus.models import SOURCES, Query, QueryPaper, Topic
from corpus.text.query_facts import facts_of
from dashboard.board.query_table import unused_columns
from dashboard.query_page.aspects import aspects_context
from dashboard.query_page.candidate_table import CandidateTable
from dashboard.query_page.candidates import CandidateRow
from dashboard.query_page.grades_file import grades_file, wants_grades
from dashboard.query_page.history import events_of
from dashboard.query_page.progress import NextAction, QueryStanding, next_action, progress_of
from dashboard.query_page.results import query_agreement, query_scores
from planning.yields.report import shown_advice
from pooling import tables
from pooling.models import Pool
from web.downloads import name_in_file
from web.tables.cells import numbered_page
from web.tables.columns import csv_file, wants_csv


@in_collection(Role.ADMIN)
@require_safe
def query(request: HttpRequest, collection: Collection, name: str) -> HttpResponseBase:
    query = get_object_or_404(collection.queries.select_related("facet", *SOURCES), name=name)
    if wants_grades(request):
        pairs = Pair.objects.filter(query=query)
        return grades_file(request, collection, pairs, f"{collection.slug}-{name_in_file(name)}")
    return _page(request, collection, query.query_paper, query)


@in_collection(Role.ADMIN)
@require_safe
def pool(request: HttpRequest, collection: Collection, docno: str) -> HttpResponseBase:
    """The first query of the paper. A paper whose queries were removed has a page of its pool."""
    paper = get_object_or_404(collection.query_papers.with_source(), name=docno)
    return _first_query(request, collection, paper) or _page(request, collection, paper)


@in_collection(Role.ADMIN)
@require_safe
def topic(request: HttpRequest, collection: Collection, topic: str) -> HttpResponseBase:
    papers = collection.query_papers.with_source()
    paper = get_object_or_404(papers, topic__name=topic)
    return _first_query(request, collection, paper) or _page(request, collection, paper)


def _first_query(
    request: HttpRequest, collection: Collection, paper: QueryPaper
) -> HttpResponse | None:
    first = paper.queries.order_by("facet__position", "name_order").first()
    if first is None:
        return None
    parameters = f"?{request.GET.urlencode()}" if request.GET else ""
    page = reverse("query", args=[collection.slug, first.name])
    # Not for ever, because the first query may be removed.
    return redirect(f"{page}{parameters}")


def _page(
    request: HttpRequest, collection: Collection, paper: QueryPaper, query: Query | None = None
) -> HttpResponseBase:
    pools = Pool.objects.select_related("build__built_by").defer("build__manifest")
    pool = pools.filter(query_paper=paper).first()
    progress = progress_of(collection, query, pool) if query else None
    is_open = progress is not None and progress.opening is not None
    table = CandidateTable.of(request, collection, pool, query, is_open=is_open)
    if wants_csv(request):
        name = f"{collection.slug}-candidates-{name_in_file(query.name if query else paper.name)}"
        return csv_file(name, table.columns, table.rows)
    context: dict[str, Any] = {
        "collection": collection,
        "paper": paper,
        "query": query,
        "pool": pool,
        "has_facets": not unused_columns(list(collection.facets.all())),
        **table.context(request, collection, query),
    }
    if pool:
        context |= {"how": tables.how_drawn(pool), "shortfalls": tables.shortfalls(pool)}
    if query and progress:
        context |= _about_query(request, collection, query, progress, table.all_rows)
    elif isinstance(paper.source, Topic):
        context["topic"] = paper.source
    return render(request, "dashboard/query.html", context)


def _about_query(
    request: HttpRequest,
    collection: Collection,
    query: Query,
    progress: QueryStanding,
    rows: Sequence[CandidateRow],
) -> dict[str, Any]:
    action = next_action(query, progress)
    events = events_of(query, progress.pool, progress.opening)
    before, after = collection.queries.names_beside(query)
    text = shown_query(query)
    return {
        "advice": shown_advice(collection).get(query.name) if progress.pairs.remaining else None,
        "text": text,
        **aspects_context(collection, query, text),
        "facts": facts_of(query.query_paper.metadata),
        "progress": progress,
        "next": action,
        "next_url": _address_of(action, collection, query),
        "tabs": _siblings(collection, query),
        "agreement": query_agreement(query, [row.pair for row in rows if row.pair]),
        "scores": query_scores(collection, query, request.GET),
        "events": numbered_page(events, request, name="history", anchor="#history"),
        "before": before,
        "after": after,
    }


def _siblings(collection: Collection, query: Query) -> list[dict[str, object]]:
    """Links to the queries of the same paper; none if there is one only."""
    queries = collection.queries.filter(query_paper=query.query_paper_id).select_related("facet")
    queries = queries.order_by("facet__position", "name_order")
    links = [
        {
            "url": reverse("query", args=[collection.slug, each.name]),
            "caption": f"{each.facet.name}, sentences {each.sentences_text}"
            if each.is_by_sentences
            else each.facet.name,
            "current": each.pk == query.pk,
            "aria_current": "page",
        }
        for each in queries
    ]
    return links if len(links) > 1 else []


def _address_of(action: NextAction, collection: Collection, query: Query) -> str:
    names = {"query": [query.name], "document": [query.query_paper.name]}
    page = reverse(action.place, args=[collection.slug, *names.get(action.place, [])])
    return f"{page}?{urlencode(action.parameters)}" if action.parameters else page
