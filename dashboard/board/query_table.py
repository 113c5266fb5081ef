"""The table of queries: its rows, filters and columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Count, Exists, F, OuterRef, Q, Sum
from django.db.models.functions import Coalesce

from accounts.models import Collection
from adjudication.models import CaseCount
from annotation.models import Opening, PairCount, SlotCount
from corpus.models import Facet, Query, QueryQuerySet
from corpus.text.query_facts import QueryFacts, facts_of
from pooling.models import Pool
from web.tables.columns import Column, Table
from web.tables.filters import Filter, FilterChoice


@dataclass(frozen=True)
class QueryTableRow:
    """A query in the list. `pool` is None without a pool; `slots` is 0 until it is opened.

    `cases` is the number of its cases to decide.
    """

    query: Query
    pool: int | None
    opened: bool
    cases: int
    slots: int
    judged: int

    @property
    def facts(self) -> QueryFacts:
        return facts_of(self.query.query_paper.metadata)

    @property
    def state(self) -> str:
        """In the words of the query's page, except what it says before the opening."""
        if not self.opened:
            return "no pool" if self.pool is None else "not open"
        if self.judged < self.slots:
            return "judging" if self.judged else "open"
        return "to decide" if self.cases else "done"


def query_rows(queries: Sequence[Query]) -> list[QueryTableRow]:
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
        QueryTableRow(
            query,
            pools.get(query.query_paper_id),
            getattr(query, "opened", False),
            getattr(query, "cases_remaining", None) or 0,
            *slots.get(query.pk, (0, 0)),
        )
        for query in queries
    ]


# Of a query; NULL before it is opened.
CASES_REMAINING = F("pair_count__disputed") - Coalesce(F("case_count__settled"), 0)


def queries_of(collection: Collection) -> QueryQuerySet:
    """Ready for `query_rows`."""
    queries: QueryQuerySet = collection.queries.with_titles()
    return queries.annotate(
        opened=Exists(Opening.objects.filter(query=OuterRef("pk"))),
        cases_remaining=CASES_REMAINING,
    )


# Long columns of a query and its document that no table shows.
UNSHOWN_COLUMNS = [
    "query_paper__metadata",
    *(
        f"query_paper__document__{column}"
        for column in ("sentences", "references", "authors", "venue", "fields")
    ),
    *(f"query_paper__topic__{column}" for column in ("sentences", "description", "narrative")),
]

# Of every table whose rows have a query.
QUERY_COLUMNS: tuple[Column[Any], ...] = (
    Column(
        "query",
        "Query",
        {
            "query": lambda row: row.query.name,
            "title": lambda row: row.query.query_paper.title,
        },
    ),
    Column("facet", "Facet", {"facet": lambda row: row.query.facet.key}),
)
QUERIES: Table[QueryTableRow] = Table(
    "queries",
    [
        *QUERY_COLUMNS,
        Column("sentences", "Sentences", {"sentences": lambda row: row.query.sentences_text}),
        Column("type", "Type", {"paper_type": lambda row: row.facts.paper_type}),
        Column("rating", "Rating", {"rating": lambda row: row.facts.rating}),
        Column("candidates", "Candidates", {"candidates": lambda row: row.pool}),
        Column(
            "state",
            "State",
            {
                "state": lambda row: row.state,
                "judgments": lambda row: row.judged,
                "judgments_needed": lambda row: row.slots,
                "cases_to_decide": lambda row: row.cases,
            },
        ),
    ],
)

IS_OPEN = Q(opening__isnull=False)
HAS_POOL = Q(query_paper__pool__isnull=False)
IS_JUDGED = IS_OPEN & Q(pair_count__judged=F("pair_count__total"))
STATE = Filter(
    "state",
    "State",
    [
        FilterChoice("no-pool", "No pool", ~IS_OPEN & ~HAS_POOL),
        FilterChoice("not-open", "Not open", ~IS_OPEN & HAS_POOL),
        FilterChoice("open", "To judge", IS_OPEN & ~IS_JUDGED),
        FilterChoice("to-decide", "To decide", IS_JUDGED & Q(cases_remaining__gt=0)),
        FilterChoice("done", "Done", IS_JUDGED & Q(cases_remaining=0)),
    ],
)


def facet_filter(facets: Sequence[Facet]) -> Filter[Q]:
    """The facets of the collection; no choice if it has only one."""
    choices = [FilterChoice(facet.key, facet.name, Q(facet=facet)) for facet in facets]
    return Filter("facet", "Facet", choices if len(facets) > 1 else [])


def unused_columns(facets: Sequence[Facet]) -> frozenset[str]:
    """The keys of `QUERY_COLUMNS` that mean nothing in a collection with these facets."""
    return frozenset({"facet"} if any(facet.is_whole for facet in facets) else ())


def unknown_facts(collection: Collection) -> frozenset[str]:
    """The keys of the columns of `QUERIES` that are empty for every query paper."""
    known = collection.query_papers.aggregate(
        type=Count("pk", filter=Q(**{"metadata__has_key": "paper type"})),
        rating=Count("pk", filter=Q(metadata__has_key="rating")),
    )
    return frozenset(key for key, number in known.items() if not number)


def query_filters(facets: Sequence[Facet]) -> list[Filter[Q]]:
    return [facet_filter(facets), STATE]


class FacetGrades(NamedTuple):
    """The number of final labels of a facet; of all facets, the key is ""."""

    key: str
    name: str
    labels: int


def facet_grades(collection: Collection, facets: Sequence[Facet]) -> list[FacetGrades]:
    """The facets with final labels, and all together, in two database queries.

    A decision that a pair cannot be judged counts as a label here.
    """
    open_queries = PairCount.objects.filter(query__collection=collection).order_by()
    labels = dict(
        open_queries.values_list("query__facet").annotate(n=Sum(F("judged") - F("disputed")))
    )
    cases = CaseCount.objects.filter(query__collection=collection).order_by()
    for facet, settled in cases.values_list("query__facet").annotate(Sum("settled")):
        labels[facet] += settled
    groups = [
        FacetGrades(facet.key, facet.name, labels[facet.pk])
        for facet in facets
        if labels.get(facet.pk)
    ]
    if len(groups) == 1 and len(facets) == 1:
        return [groups[0]._replace(key="", name="All queries")]
    total = sum(group.labels for group in groups)
    return [*groups, FacetGrades("", "All facets", total)] if groups else []
