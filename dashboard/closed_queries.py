"""Queries not open for judging: which of them can be opened, and why not the others."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q, TextField, Value
from django.db.models.functions import Cast, StrIndex
from django.db.models.lookups import GreaterThan

from accounts.models import Collection
from corpus.models import SOURCES, Facet, Query, QueryQuerySet
from dashboard.query_table import UNSHOWN_COLUMNS, facet_filter
from web.filters import Choice, Filter


@dataclass(frozen=True)
class ClosedRow:
    """A query that is not open yet, with the number of pairs that opening it makes."""

    query: Query
    pairs: int
    pool: str  # "none", "draft" or "frozen"
    problem: str = ""

    @property
    def ready(self) -> bool:
        return not self.problem


def closed_queries(collection: Collection) -> QueryQuerySet:
    """The queries that are not open, ready for `closed_rows`."""
    queries: QueryQuerySet = collection.queries.filter(opening=None)
    return queries.select_related("facet", *SOURCES, "query_paper__pool").defer(*UNSHOWN_COLUMNS)


def is_ready(collection: Collection) -> Q:
    """Of a query: it is closed, has a pool to judge, and its paper has a sentence on its facet."""
    labels = Cast("query_paper__document__labels", TextField())
    speaks = Q(query_paper__topic__isnull=False)
    for facet in collection.facets.all():
        if facet.is_whole:
            speaks |= Q(facet=facet)
        for label in facet.labels:
            # As SQLite stores a text in JSON, and as PostgreSQL shows it.
            for text in {json.dumps(label), json.dumps(label, ensure_ascii=False)}:
                speaks |= Q(GreaterThan(StrIndex(labels, Value(text)), 0), facet=facet)
    return speaks & Q(query_paper__pool__to_judge__gt=0, opening=None)


def closed_rows(queries: Sequence[Query]) -> list[ClosedRow]:
    return [_closed_row(query) for query in queries]


def _closed_row(query: Query) -> ClosedRow:
    pool = getattr(query.query_paper, "pool", None)
    if pool is None:
        return ClosedRow(query, 0, "none", problem="no pool yet")
    pool_state = "frozen" if pool.is_frozen else "draft"
    return ClosedRow(query, pool.to_judge, pool_state, problem=_problem(query, pool.to_judge))


def _problem(query: Query, pairs: int) -> str:
    if not pairs:
        return "its pool is empty"
    if not query.query_paper.speaks_of(query.facet):
        return f"its paper has no sentence on {query.facet.name.lower()}"
    return ""


def closed_filters(collection: Collection, facets: Sequence[Facet]) -> list[Filter[Q]]:
    state = Filter(
        "state",
        "State",
        [
            Choice("ready", "Ready", is_ready(collection)),
            Choice("no-pool", "No pool", Q(query_paper__pool=None)),
        ],
    )
    return [facet_filter(facets), state]
