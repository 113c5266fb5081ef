"""Queries not open for judging: which of them can be opened, and why not the others."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q, TextField, Value
from django.db.models.functions import Cast, StrIndex
from django.db.models.lookups import GreaterThan

from accounts.models import Collection
from annotation.unchecked_labels import has_unchecked_labels
from corpus.models import SOURCES, Query, QueryQuerySet
from dashboard.board.query_table import UNSHOWN_COLUMNS


@dataclass(frozen=True)
class ClosedRow:
    """A query that is not open yet, with the number of pairs that opening it makes."""

    query: Query
    pairs: int
    pool: str  # "none", "draft" or "frozen"
    problem: str = ""
    labels_unchecked: bool = False  # it can open only if the admin says so

    @property
    def ready(self) -> bool:
        return not self.problem


def closed_queries(collection: Collection) -> QueryQuerySet:
    """The queries that are not open, ready for `closed_rows`."""
    queries: QueryQuerySet = collection.queries.filter(opening=None)
    queries = queries.annotate(labels_unchecked=has_unchecked_labels())
    return queries.select_related("facet", *SOURCES, "query_paper__pool").defer(*UNSHOWN_COLUMNS)


def is_ready(collection: Collection, *, unchecked_labels: bool = False) -> Q:
    """Of a query: it is closed, has a pool to judge, and its paper has a sentence on its facet.

    A query by sentences has its own. Its labels are not unchecked predicted ones either, unless
    `unchecked_labels` is true.
    """
    labels = Cast("query_paper__document__labels", TextField())
    speaks = Q(query_paper__topic__isnull=False) | Q(sentence_numbers__isnull=False)
    for facet in collection.facets.all():
        if facet.is_whole:
            speaks |= Q(facet=facet)
        for label in facet.labels:
            # As SQLite stores a text in JSON, and as PostgreSQL shows it.
            for text in {json.dumps(label), json.dumps(label, ensure_ascii=False)}:
                speaks |= Q(GreaterThan(StrIndex(labels, Value(text)), 0), facet=facet)
    ready = speaks & Q(query_paper__pool__to_judge__gt=0, opening=None)
    return ready if unchecked_labels else ready & ~has_unchecked_labels()


def closed_rows(queries: Sequence[Query]) -> list[ClosedRow]:
    return [_closed_row(query) for query in queries]


def _closed_row(query: Query) -> ClosedRow:
    pool = getattr(query.query_paper, "pool", None)
    if pool is None:
        return ClosedRow(query, 0, "none", problem="no pool yet")
    pool_state = "frozen" if pool.is_frozen else "draft"
    return ClosedRow(
        query,
        pool.to_judge,
        pool_state,
        problem=_problem(query, pool.to_judge),
        labels_unchecked=getattr(query, "labels_unchecked", False),
    )


def _problem(query: Query, pairs: int) -> str:
    if not pairs:
        return "its pool is empty"
    if not query.has_text_to_compare:
        return f"its paper has no sentence on {query.facet.name.lower()}"
    return ""
