"""What to know of pools before they are frozen."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import F, Q

from accounts.models import Collection
from pooling import preview
from pooling.figures.names import in_parts
from pooling.figures.overlap import heat
from pooling.figures.pools import PoolRow, PoolTable, forced_sources
from pooling.models import Candidate, Contribution, Ranking
from pooling.strategies import JaccardMatrix

# The dearest part of a preview grows with the pools; of a very large collection it shows a part.
MOST_POOLS = 200


@dataclass(frozen=True)
class Matrix:
    """Jaccard of every two retrievers, as heat; `depth` is a rank, or 0 for each pool's own."""

    rows: list[tuple[str, list[float | None]]]
    depth: int

    @classmethod
    def of(cls, found: JaccardMatrix, depth: int, order: Sequence[str] = ()) -> Matrix:
        """With the retrievers in this order, or by name."""
        names = order or found.names
        return cls([(one, [found.of(one, other) for other in names]) for one in names], depth)

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.rows]

    @property
    def heads(self) -> list[list[str]]:
        return [in_parts(name) for name in self.names]

    @property
    def cells(self) -> list[tuple[str, list[Any]]]:
        """Every row's name and its cells; None where a retriever meets itself."""
        return [
            (
                name,
                [
                    None if i == j else MatrixCell(self.names[j], value)
                    for j, value in enumerate(values)
                ],
            )
            for i, (name, values) in enumerate(self.rows)
        ]


class MatrixCell(NamedTuple):
    other: str
    share: float | None

    @property
    def percent(self) -> float | None:
        return None if self.share is None else 100 * self.share

    @property
    def heat(self) -> int:
        return heat(self.share or 0.0)


class Named(NamedTuple):
    """A document to look at: its docno, its title, and what is the matter."""

    docno: str
    title: str
    what: str


class NamedTwins(NamedTuple):
    query_paper: str
    one: Named
    other: Named


@dataclass(frozen=True)
class Preview:
    """All that is worth knowing of pools before they are frozen. `pools` is how many were read."""

    pools: int
    of_pools: int
    shares: list[preview.Share]
    matrices: list[Matrix]
    often: list[Named]
    poor: list[Named]
    twins: list[NamedTwins]
    own_pool: list[Named]

    @property
    def warnings(self) -> int:
        return len(self.often) + len(self.poor) + len(self.twins) + len(self.own_pool)


def preview_of(collection: Collection, table: PoolTable) -> Preview:
    """The pools of the table, in five more queries whatever their number."""
    rows = table.pooled[:MOST_POOLS]
    ids = [row.pool.pk for row in rows if row.pool]
    pools: dict[str, list[str]] = {row.docno: [] for row in rows}
    candidates = Candidate.objects.filter(pool__in=ids).order_by("pool", "position")
    for paper, docno in candidates.values_list(
        "pool__query_paper__document__docno", "document__docno"
    ):
        pools[paper].append(docno)
    documents = collection.documents.filter(
        Q(pk__in=candidates.order_by().values("document")) | Q(query_paper__pool__in=ids)
    ).order_by()
    titles, abstracts = {}, {}
    for docno, title, sentences in documents.values_list("docno", "title", "sentences"):
        titles[docno], abstracts[docno] = title, sentences
    rankings = _rankings(table.sources, ids)
    facts = _facts(collection, rows, pools, ids)

    def named(docno: str, what: str = "") -> Named:
        return Named(docno, titles.get(docno, ""), what)

    return Preview(
        pools=len(rows),
        of_pools=len(table.pooled),
        shares=preview.shares(facts, rankings) if rankings else [],
        matrices=_matrices(rankings, facts),
        often=[named(one.docno, f"in {one.pools} pools") for one in preview.often(pools)],
        poor=[named(one.docno, one.why) for one in preview.poor(abstracts)],
        twins=[
            NamedTwins(pair.query_paper, named(pair.one), named(pair.other))
            for pair in preview.twins(pools, titles)
        ],
        own_pool=[named(docno) for docno in preview.own_pool(pools)],
    )


def _rankings(names: Iterable[str], pools: list[int]) -> dict[str, dict[str, list[str]]]:
    """By run and query paper."""
    rankings: dict[str, dict[str, list[str]]] = defaultdict(dict)
    # Of the runs that the pools were drawn from: a retriever may have run again since.
    rows = Ranking.objects.order_by().filter(
        run__build_runs__build=F("query_paper__pool__build"),
        run__name__in=list(names),
        query_paper__pool__in=pools,
    )
    for run, paper, docnos in rows.values_list(
        "run__name", "query_paper__document__docno", "docnos"
    ):
        rankings[run][paper] = docnos
    return dict(rankings)


def _facts(
    collection: Collection, rows: Iterable[PoolRow], pools: Mapping[str, list[str]], ids: list[int]
) -> list[preview.PoolFacts]:
    by_build = forced_sources(collection)
    sources = {source for forced in by_build.values() for source in forced}
    forced: dict[str, set[str]] = defaultdict(set)
    contributed = Contribution.objects.order_by().filter(
        candidate__pool__in=ids, source__in=sources
    )
    for build, source, paper, docno in contributed.values_list(
        "candidate__pool__build",
        "source",
        "candidate__pool__query_paper__document__docno",
        "candidate__document__docno",
    ):
        # What one building took whole, another may have drawn from.
        if source in by_build[build]:
            forced[paper].add(docno)
    return [
        preview.PoolFacts(
            query_paper=row.docno,
            documents=pools[row.docno],
            forced=frozenset(forced[row.docno]),
            depth={draw.source: draw.depth for draw in row.draws if draw.depth},
            drawn={draw.source: draw.documents for draw in row.draws},
            shortfall={draw.source: draw.shortfall for draw in row.draws},
        )
        for row in rows
    ]


def _matrices(
    rankings: Mapping[str, Mapping[str, list[str]]], facts: Iterable[preview.PoolFacts]
) -> list[Matrix]:
    if len(rankings) < 2:
        return []
    deepest = {one.query_paper: max(one.depth.values(), default=0) for one in facts}
    at_pool, at_usual = preview.overlaps(rankings, deepest)
    return [Matrix.of(at_pool, 0), Matrix.of(at_usual, preview.USUAL_DEPTH)]
