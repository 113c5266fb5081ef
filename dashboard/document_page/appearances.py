"""The pools that have a document, with its ranks and its grades."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Count, Prefetch, Q, QuerySet

from accounts.models import Collection
from adjudication.pair_details import PairDetails, pair_details
from annotation.models import Pair
from corpus.models import Document, Query
from dashboard.board.query_table import UNSHOWN_COLUMNS
from dashboard.pair_columns import GRADE_COLUMNS, GradedRow
from pooling.models import Candidate, Contribution
from web.tables.columns import Column, Table


@dataclass(frozen=True)
class Appearance(GradedRow):
    """A document as a candidate of a query; `query` is None for a pool without queries."""

    candidate: Candidate
    query: Query | None
    pair: PairDetails | None

    @property
    def found(self) -> list[Contribution]:
        """The sources, the one that drew it first."""
        return list(self.candidate.contributions.all())

    @property
    def standing(self) -> str:
        return self.standing_unless(self.candidate.excluded)


class AppearanceCounts(NamedTuple):
    """The pools that have the document, and those in which it is judged."""

    pools: int
    judged: int


def counts_of(document: Document) -> AppearanceCounts:
    pools = Candidate.objects.filter(document=document, pool__query_paper__isnull=False)
    return AppearanceCounts(
        **pools.aggregate(pools=Count("pk"), judged=Count("pk", filter=Q(excluded="")))
    )


def candidates_of(document: Document, words: str) -> QuerySet[Candidate]:
    """Its rows in pools, by query paper, ready for `appearances`."""
    candidates = (
        Candidate.objects.filter(document=document, pool__query_paper__isnull=False)
        .select_related("pool__query_paper__document", "pool__query_paper__topic")
        .defer(
            *(f"pool__{column}" for column in UNSHOWN_COLUMNS),
            *("pool__drawn", "pool__depth", "pool__retriever_order", "pool__shortfall"),
        )
        .prefetch_related(
            Prefetch("contributions", Contribution.objects.order_by("-drawn", "source"))
        )
        .order_by("pool__query_paper__name_order")
    )
    for word in words.split():
        candidates = candidates.filter(
            Q(pool__query_paper__name__icontains=word)
            | Q(pool__query_paper__document__title__icontains=word)
            | Q(pool__query_paper__topic__title__icontains=word)
        )
    return candidates


def appearances(collection: Collection, candidates: Sequence[Candidate]) -> list[Appearance]:
    """A row for each query of each pool, in three more database queries."""
    papers = {candidate.pool.query_paper_id for candidate in candidates}
    queries: dict[int | None, list[Query | None]] = defaultdict(list)
    of_papers = collection.queries.filter(query_paper__in=papers).select_related("facet")
    for query in of_papers.order_by("facet__position", "name_order"):
        queries[query.query_paper_id].append(query)
    pairs = Pair.objects.filter(candidate__in=[candidate.pk for candidate in candidates])
    details = {(pair.query, pair.candidate): pair for pair in pair_details(pairs)}
    return [
        Appearance(candidate, query, details.get((query.pk, candidate.pk)) if query else None)
        for candidate in candidates
        for query in queries[candidate.pool.query_paper_id] or [None]
    ]


APPEARANCES: Table[Appearance] = Table(
    "appearances",
    [
        Column(
            "query",
            "Query",
            {
                "query": lambda row: row.query.name if row.query else "",
                "query_paper": lambda row: row.candidate.pool.query_paper.name,
                "title": lambda row: row.candidate.pool.query_paper.title,
                "not_judged": lambda row: row.candidate.exclusion_label,
            },
        ),
        Column("facet", "Facet", {"facet": lambda row: row.query.facet.key if row.query else ""}),
        *GRADE_COLUMNS,
        Column("position", "Drawn", {"position": lambda row: row.candidate.position}),
        Column(
            "found",
            "Found by",
            {
                "drawn_by": lambda row: " ".join(each.source for each in row.found if each.drawn),
                "ranks": lambda row: " ".join(
                    f"{each.source}:{each.rank}" for each in row.found if each.rank
                ),
            },
        ),
    ],
)
