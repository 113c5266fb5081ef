"""What the page about all pools says of each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Collection as Group
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, NamedTuple

from django.db.models import Count, Q

from accounts.models import Collection
from pooling.figures.names import in_parts
from pooling.models import Candidate, Contribution, Pool
from pooling.strategies import BUDGET


class Draw(NamedTuple):
    """What one retriever drew for a pool; `depth` is its deepest rank, None if unknown."""

    source: str
    documents: int
    depth: int | None
    shortfall: int


@dataclass(frozen=True)
class PoolRow:
    """One query paper and its pool, if there is one; `cells` has a place for every retriever."""

    docno: str
    title: str
    queries: int
    pool: Pool | None = None
    size: int = 0
    forced: int = 0
    draws: tuple[Draw, ...] = ()
    lacks: int = 0  # of the size that the pool as a whole was to have
    excluded: int = 0
    without_text: int = 0
    warnings: tuple[str, ...] = ()
    cells: tuple[Draw | None, ...] = ()

    @property
    def shortfall(self) -> int:
        return self.lacks + sum(draw.shortfall for draw in self.draws)

    @property
    def to_judge(self) -> int:
        return self.size - self.excluded

    @property
    def pairs(self) -> int:
        return self.to_judge * self.queries

    @property
    def deepest(self) -> int | None:
        return max((draw.depth for draw in self.draws if draw.depth), default=None)


@dataclass(frozen=True)
class PoolTable:
    """The pools of a collection; `sources` are the retrievers' columns."""

    rows: list[PoolRow]
    sources: list[str]

    @property
    def heads(self) -> list[list[str]]:
        """The sources' names in parts, between which a narrow column may break."""
        return [in_parts(source) for source in self.sources]

    @property
    def has_depths(self) -> bool:
        return any(row.deepest for row in self.rows)

    @property
    def pooled(self) -> list[PoolRow]:
        return [row for row in self.rows if row.pool]

    @property
    def missing(self) -> int:
        return len(self.rows) - len(self.pooled)

    @property
    def frozen(self) -> int:
        return sum(row.pool is not None and row.pool.is_frozen for row in self.rows)

    @property
    def drafts(self) -> int:
        return len(self.pooled) - self.frozen

    @property
    def draft_candidates(self) -> int:
        return sum(row.size for row in self.pooled if row.pool and not row.pool.is_frozen)

    @property
    def candidates(self) -> int:
        return sum(row.size for row in self.rows)

    @property
    def pairs(self) -> int:
        return sum(row.pairs for row in self.rows)


@dataclass
class _Counts:
    """What the database counted of one pool."""

    size: int = 0
    excluded: int = 0
    without_text: int = 0
    drawn: Counter[str] = field(default_factory=Counter)


def pool_table(collection: Collection) -> PoolTable:
    """Every query paper with its pool, in six queries whatever their number."""
    papers = (
        collection.query_papers.select_related("document", "pool")
        .defer("document__sentences", "document__labels", "document__references")
        .annotate(asked=Count("queries"))
    )
    counts = _candidate_counts(collection)
    without_text = set(_papers_without_text(collection))
    forced = forced_sources(collection)
    rows = [_pool_row(paper, counts, forced, paper.pk in without_text) for paper in papers]
    sources = sorted({draw.source for row in rows for draw in row.draws})
    return PoolTable([replace(row, cells=_cells(row, sources)) for row in rows], sources)


def _cells(row: PoolRow, sources: Iterable[str]) -> tuple[Draw | None, ...]:
    draws = {draw.source: draw for draw in row.draws}
    return tuple(draws.get(source) for source in sources)


def _candidate_counts(collection: Collection) -> dict[int, _Counts]:
    counts: dict[int, _Counts] = defaultdict(_Counts)
    candidates = (
        Candidate.objects.filter(pool__query_paper__collection=collection)
        .order_by()
        .values_list("pool")
        .annotate(
            size=Count("pk"),
            not_judged=Count("pk", filter=~Q(excluded="")),
            no_text=Count("pk", filter=Q(document__sentences=[])),
        )
    )
    for pool, size, excluded, without_text in candidates:
        counts[pool] = _Counts(size, excluded, without_text)
    for pool, source, number in _drawn(collection):
        counts[pool].drawn[source] = number
    return counts


def _drawn(collection: Collection) -> Iterable[tuple[int, str, int]]:
    drawn = Contribution.objects.filter(
        candidate__pool__query_paper__collection=collection, drawn=True
    )
    return drawn.order_by().values_list("candidate__pool", "source").annotate(n=Count("pk"))


def _papers_without_text(collection: Collection) -> Iterable[int]:
    return collection.query_papers.filter(document__sentences=[]).values_list("pk", flat=True)


def _pool_row(
    paper: Any,
    counts: Mapping[int, _Counts],
    forced_in: Mapping[int, Group[str]],
    without_text: bool,
) -> PoolRow:
    document = paper.document
    warnings = ("the query paper has no text",) if without_text else ()
    pool = getattr(paper, "pool", None)
    if pool is None:
        return PoolRow(document.docno, document.title, paper.asked, warnings=warnings)
    count = counts.get(pool.pk) or _Counts()
    forced = forced_in.get(pool.build_id, ())
    return PoolRow(
        docno=document.docno,
        title=document.title,
        queries=paper.asked,
        pool=pool,
        size=count.size,
        forced=sum(number for source, number in count.drawn.items() if source in forced),
        draws=tuple(_draws(pool, count.drawn, forced)),
        lacks=pool.shortfall.get(BUDGET, 0),
        excluded=count.excluded,
        without_text=count.without_text,
        warnings=warnings,
    )


def forced_sources(collection: Collection) -> dict[int, list[str]]:
    """By build: the sources that its pools took whole, before any retriever drew."""
    builds = collection.pool_builds.order_by().values_list("pk", "manifest__forced")
    return {build: forced or [] for build, forced in builds}


def _draws(pool: Pool, drawn: Mapping[str, int], forced: Group[str]) -> Iterator[Draw]:
    names = set(drawn) | set(pool.retriever_order) | set(pool.shortfall)
    for name in sorted(names - {*forced, BUDGET}):
        yield Draw(name, drawn.get(name, 0), pool.depth.get(name), pool.shortfall.get(name, 0))


POOL_SORTS: dict[str, Callable[[PoolRow], Any]] = {
    "docno": attrgetter("docno"),
    "queries": attrgetter("queries"),
    "size": lambda row: row.size if row.pool else None,
    "forced": lambda row: row.forced if row.pool else None,
    "shortfall": lambda row: row.shortfall if row.pool else None,
    "excluded": lambda row: row.excluded if row.pool else None,
    "deepest": attrgetter("deepest"),
}
