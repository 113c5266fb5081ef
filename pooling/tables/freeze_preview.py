"""Checks of pools before they are frozen: overlap, shares and warnings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from django.db.models import F, Q

from accounts.models import Collection
from pooling import preview
from pooling.models import Candidate, Contribution
from pooling.strategies import JaccardMatrix
from pooling.tables.names import breakable_parts
from pooling.tables.overlap import OverlapCell, OverlapRow, heat, overlap
from pooling.tables.pools import (
    PoolRow,
    PoolTable,
    forced_sources,
    pool_numbers,
    pool_papers,
    pool_rows,
)
from retrieval.models import Ranking

# A preview reads at most this many pools, because its slowest part grows with their number.
MOST_POOLS = 200
MOST_FINDINGS = 200  # of a kind, on the page


class OverlapMatrix(NamedTuple):
    """Jaccard of every two retrievers; `depth` is a rank, or 0 for each pool's own depth."""

    rows: list[tuple[str, list[float | None]]]
    depth: int

    @classmethod
    def of(cls, matrix: JaccardMatrix, depth: int, order: Sequence[str] = ()) -> OverlapMatrix:
        """With the retrievers in this order, or by name."""
        names = order or matrix.names
        rows = [(name, [matrix.of(name, other) for other in names]) for name in names]
        return cls(rows, depth)

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.rows]

    @property
    def heads(self) -> list[list[str]]:
        return [breakable_parts(name) for name in self.names]

    @property
    def cells(self) -> list[tuple[str, list[Any]]]:
        """Every row's name and its cells; None on the diagonal."""
        return [
            (
                name,
                [
                    None if i == j else OverlapMatrixCell(self.names[j], value)
                    for j, value in enumerate(values)
                ],
            )
            for i, (name, values) in enumerate(self.rows)
        ]


class OverlapMatrixCell(NamedTuple):
    other: str
    share: float | None

    @property
    def percent(self) -> float | None:
        return None if self.share is None else 100 * self.share

    @property
    def heat(self) -> int:
        return heat(self.share or 0.0)


class FlaggedDocument(NamedTuple):
    """A document to check before freezing; `what` is the reason."""

    docno: str
    title: str
    what: str


class FlaggedPair(NamedTuple):
    """Two documents of a pool with near-duplicate titles."""

    query_paper: str
    first: FlaggedDocument
    second: FlaggedDocument


Finding = TypeVar("Finding")


class Findings(NamedTuple, Generic[Finding]):
    """The first findings of one kind, and how many there are."""

    total: int
    shown: list[Finding]

    @classmethod
    def of(cls, findings: Iterable[Finding]) -> Findings[Finding]:
        all_findings = list(findings)
        return cls(len(all_findings), all_findings[:MOST_FINDINGS])

    @property
    def more(self) -> bool:
        return self.total > len(self.shown)


@dataclass(frozen=True)
class Preview:
    """The findings about pools before they are frozen. `pools` of `of_pools` were read.

    `overlap` compares the documents of imported pools, which have no lists, without later rounds.
    """

    pools: int
    of_pools: int
    shares: list[preview.RetrieverShare]
    matrices: list[OverlapMatrix]
    frequent_documents: Findings[FlaggedDocument]
    short_abstracts: Findings[FlaggedDocument]
    near_duplicates: Findings[FlaggedPair]
    own_pool: Findings[FlaggedDocument]
    overlap: list[OverlapRow]

    @property
    def warnings(self) -> int:
        kinds = (
            self.frequent_documents,
            self.short_abstracts,
            self.near_duplicates,
            self.own_pool,
        )
        return sum(findings.total for findings in kinds)

    def as_json(self) -> dict[str, Any]:
        """As JSON types; tuples become lists."""
        return dict(vars(self))

    @classmethod
    def from_json(cls, payload: Mapping[str, Any]) -> Preview:
        def documents(name: str) -> Findings[FlaggedDocument]:
            total, rows = payload[name]
            return Findings(total, [FlaggedDocument(*document) for document in rows])

        total, pairs = payload["near_duplicates"]
        return cls(
            pools=payload["pools"],
            of_pools=payload["of_pools"],
            shares=[preview.RetrieverShare(*share) for share in payload["shares"]],
            matrices=[
                OverlapMatrix([(name, values) for name, values in rows], depth)
                for rows, depth in payload["matrices"]
            ],
            frequent_documents=documents("frequent_documents"),
            short_abstracts=documents("short_abstracts"),
            near_duplicates=Findings(
                total,
                [
                    FlaggedPair(paper, FlaggedDocument(*first), FlaggedDocument(*second))
                    for paper, first, second in pairs
                ],
            ),
            own_pool=documents("own_pool"),
            overlap=[
                OverlapRow(
                    source, documents, pooled_count, drawn, [c and OverlapCell(*c) for c in cells]
                )
                for source, documents, pooled_count, drawn, cells in payload["overlap"]
            ],
        )


def preview_of(collection: Collection) -> Preview:
    """The findings about the first pools by docno, and the overlap of all if they have no lists."""
    papers = pool_papers(collection).filter(pool__isnull=False).order_by("name")
    rows = pool_rows(collection, list(papers[:MOST_POOLS]))
    ids = [row.pool.pk for row in rows if row.pool]
    pools: dict[str, list[str]] = {row.docno: [] for row in rows}
    candidates = Candidate.objects.filter(pool__in=ids).order_by("pool", "position")
    for paper, docno in candidates.values_list("pool__query_paper__name", "document__docno"):
        pools[paper].append(docno)
    documents = collection.documents.filter(
        Q(pk__in=candidates.order_by().values("document")) | Q(query_paper__pool__in=ids)
    ).order_by()
    topics = frozenset(row.docno for row in rows if row.is_topic)
    titles, abstracts = {}, {}
    for docno, title, sentences in documents.values_list("docno", "title", "sentences"):
        titles[docno], abstracts[docno] = title, sentences
    rankings = _rankings(PoolTable.of(rows).sources, ids)
    facts = _facts(collection, rows, pools, ids)
    numbers = pool_numbers(collection)

    def flagged(docno: str, reason: str = "") -> FlaggedDocument:
        return FlaggedDocument(docno, titles.get(docno, ""), reason)

    return Preview(
        pools=len(rows),
        of_pools=numbers.pools,
        shares=preview.shares(facts, rankings) if rankings else [],
        matrices=_matrices(rankings, facts),
        frequent_documents=Findings.of(
            flagged(document.docno, f"in {document.pools} pools")
            for document in preview.frequent_documents(pools)
        ),
        short_abstracts=Findings.of(
            flagged(abstract.docno, abstract.why) for abstract in preview.short_abstracts(abstracts)
        ),
        near_duplicates=Findings.of(
            FlaggedPair(pair.query_paper, flagged(pair.docno), flagged(pair.other))
            for pair in preview.near_duplicates(pools, titles, topics=topics)
        ),
        own_pool=Findings.of(
            flagged(docno)
            for docno in preview.own_pool(
                {paper: docnos for paper, docnos in pools.items() if paper not in topics}
            )
        ),
        overlap=[] if rankings else overlap(collection),
    )


def _rankings(names: Iterable[str], pools: list[int]) -> dict[str, dict[str, list[str]]]:
    """The lists by run and query paper."""
    rankings: dict[str, dict[str, list[str]]] = defaultdict(dict)
    # The runs of each pool's build, because a retriever may have run again since.
    rows = Ranking.objects.order_by().filter(
        run__build_runs__build=F("query_paper__pool__build"),
        run__name__in=list(names),
        query_paper__pool__in=pools,
    )
    for run, paper, docnos in rows.values_list("run__name", "query_paper__name", "docnos"):
        rankings[run][paper] = docnos
    return dict(rankings)


def _facts(
    collection: Collection, rows: Iterable[PoolRow], pools: Mapping[str, list[str]], ids: list[int]
) -> list[preview.PoolFacts]:
    by_build = forced_sources(collection)
    sources = {source for forced in by_build.values() for source in forced}
    forced: dict[str, set[str]] = defaultdict(set)
    contributions = Contribution.objects.order_by().filter(
        candidate__pool__in=ids, source__in=sources
    )
    for build, source, paper, docno in contributions.values_list(
        "candidate__pool__build",
        "source",
        "candidate__pool__query_paper__name",
        "candidate__document__docno",
    ):
        # A source can be forced in one build and drawn from in another.
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
) -> list[OverlapMatrix]:
    if len(rankings) < 2:
        return []
    deepest = {pool.query_paper: max(pool.depth.values(), default=0) for pool in facts}
    at_pool, at_usual = preview.overlaps(rankings, deepest)
    return [OverlapMatrix.of(at_pool, 0), OverlapMatrix.of(at_usual, preview.USUAL_DEPTH)]
