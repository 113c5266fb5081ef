"""The table of the page about all pools: its numbers, and the rows of one page."""

from __future__ import annotations

from collections.abc import Collection as Group
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from django.db.models import Count, F, OuterRef, PositiveIntegerField, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from accounts.models import Collection
from corpus.models import Query, QueryPaper
from pooling.models import Candidate, Pool
from pooling.strategies import BUDGET
from pooling.tables.names import breakable_parts


class PoolNumbers(NamedTuple):
    """The numbers of all pools of a collection. `pairs` are those to judge, over all queries."""

    papers: int
    pools: int
    frozen: int
    candidates: int
    draft_candidates: int
    pairs: int

    @property
    def missing(self) -> int:
        return self.papers - self.pools

    @property
    def drafts(self) -> int:
        return self.pools - self.frozen

    @property
    def all_frozen(self) -> bool:
        return self.frozen == self.papers


def pool_numbers(collection: Collection) -> PoolNumbers:
    """Two queries, which read a row for each query paper and query."""
    frozen = Q(pool__frozen_at__isnull=False)
    numbers = collection.query_papers.order_by().aggregate(
        papers=Count("pk"),
        pools=Count("pool"),
        frozen=Count("pool", filter=frozen),
        candidates=Coalesce(Sum("pool__size"), 0),
        draft_candidates=Coalesce(Sum("pool__size", filter=~frozen), 0),
    )
    pairs = collection.queries.order_by().aggregate(
        pairs=Coalesce(Sum("query_paper__pool__to_judge"), 0)
    )
    return PoolNumbers(**numbers, **pairs)


class RetrieverDraw(NamedTuple):
    """The documents that one retriever drew; `depth` is its deepest rank, None if unknown."""

    source: str
    documents: int
    depth: int | None
    shortfall: int


@dataclass(frozen=True)
class PoolRow:
    """A query paper and its pool, if built; `cells` has one cell per retriever."""

    docno: str
    title: str
    queries: int
    pool: Pool | None = None
    size: int = 0
    forced: int = 0
    draws: tuple[RetrieverDraw, ...] = ()
    pool_shortfall: int = 0  # documents missing from the size of the whole pool
    excluded: int = 0
    without_text: int = 0
    warnings: tuple[str, ...] = ()
    cells: tuple[RetrieverDraw | None, ...] = ()
    is_topic: bool = False
    first_query: str = ""

    @property
    def shortfall(self) -> int:
        return self.pool_shortfall + sum(draw.shortfall for draw in self.draws)

    @property
    def deepest(self) -> int | None:
        return max((draw.depth for draw in self.draws if draw.depth), default=None)


@dataclass(frozen=True)
class PoolTable:
    """Rows of the table; `sources` are the columns of the retrievers that drew for these rows."""

    rows: list[PoolRow]
    sources: list[str]

    @classmethod
    def of(cls, rows: Iterable[PoolRow]) -> PoolTable:
        rows = list(rows)
        sources = sorted({draw.source for row in rows for draw in row.draws})
        return cls([replace(row, cells=_cells(row, sources)) for row in rows], sources)

    @property
    def heads(self) -> list[list[str]]:
        """The sources' names in parts; a narrow column may break between them."""
        return [breakable_parts(source) for source in self.sources]

    @property
    def has_depths(self) -> bool:
        return any(row.deepest for row in self.rows)


def _cells(row: PoolRow, sources: Iterable[str]) -> tuple[RetrieverDraw | None, ...]:
    draws = {draw.source: draw for draw in row.draws}
    return tuple(draws.get(source) for source in sources)


POOL_SORTS = {
    "docno": "",
    "queries": "query_count",
    "size": "pool__size",
    "forced": "pool__forced",
    "shortfall": "pool__shortfall_sum",
    "excluded": "excluded_count",
    "deepest": "pool__deepest",
}


UNREAD_COLUMNS = (
    *("document__sentences", "document__labels", "document__references"),
    *("topic__sentences", "topic__description", "topic__narrative"),
)


def pool_papers(collection: Collection, words: str = "") -> QuerySet[QueryPaper]:
    """The query papers with every word in their docno or title, ready to sort and for `pool_rows`.

    SQLite ignores the case of ASCII letters only.
    """
    papers = (
        collection.query_papers.select_related("document", "topic", "pool")
        .defer(*UNREAD_COLUMNS)
        .annotate(
            query_count=Coalesce(_number_of_queries(), 0),
            first_query=Subquery(_queries().order_by("name_order").values("name")[:1]),
            excluded_count=F("pool__size") - F("pool__to_judge"),
        )
    )
    for word in words.split():
        papers = papers.filter(
            Q(name__icontains=word)
            | Q(document__title__icontains=word)
            | Q(topic__title__icontains=word)
        )
    return papers


def _queries() -> QuerySet[Query]:
    # Of the rows of a page only, where a join would count the queries of all papers.
    return Query.objects.filter(query_paper=OuterRef("pk")).order_by()


def _number_of_queries() -> Subquery:
    queries = _queries().values("query_paper")
    return Subquery(queries.annotate(n=Count("pk")).values("n"), PositiveIntegerField())


def pool_rows(collection: Collection, papers: Sequence[QueryPaper]) -> list[PoolRow]:
    """The rows of these papers, from `pool_papers`, in three database queries."""
    pools = [paper.pool for paper in papers if hasattr(paper, "pool")]
    without_text = Candidate.objects.filter(pool__in=pools, document__sentences=[]).order_by()
    counts = dict(without_text.values_list("pool").annotate(Count("pk")))
    papers_without_text = set(
        QueryPaper.objects.filter(pk__in=[paper.pk for paper in papers], document__sentences=[])
        .order_by()
        .values_list("pk", flat=True)
    )
    forced = forced_sources(collection)
    return [_pool_row(paper, counts, forced, paper.pk in papers_without_text) for paper in papers]


def _pool_row(
    paper: Any,
    without_text: Mapping[int, int],
    forced: Mapping[int, Group[str]],
    paper_without_text: bool,
) -> PoolRow:
    warnings = ("the query paper has no text",) if paper_without_text else ()
    pool = getattr(paper, "pool", None)
    if pool is None:
        return PoolRow(
            *(paper.name, paper.title, paper.query_count),
            warnings=warnings,
            is_topic=paper.is_topic,
            first_query=paper.first_query or "",
        )
    return PoolRow(
        docno=paper.name,
        title=paper.title,
        queries=paper.query_count,
        pool=pool,
        size=pool.size,
        forced=pool.forced,
        draws=tuple(_draws(pool, forced.get(pool.build_id, ()))),
        pool_shortfall=pool.shortfall.get(BUDGET, 0),
        excluded=pool.size - pool.to_judge,
        without_text=without_text.get(pool.pk, 0),
        warnings=warnings,
        is_topic=paper.is_topic,
        first_query=paper.first_query or "",
    )


def forced_sources(collection: Collection) -> dict[int, list[str]]:
    """The forced sources of each build."""
    builds = collection.pool_builds.order_by().values_list("pk", "manifest__forced")
    return {build: forced or [] for build, forced in builds}


def _draws(pool: Pool, forced: Group[str]) -> Iterator[RetrieverDraw]:
    names = {*pool.drawn, *pool.retriever_order, *pool.shortfall}
    for name in sorted(names - {*forced, BUDGET}):
        yield RetrieverDraw(
            name, pool.drawn.get(name, 0), pool.depth.get(name), pool.shortfall.get(name, 0)
        )
