"""The result of every strategy: a pool in the order drawn, and every document's sources."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from corpus.ordering import shuffled
from retrieval.formats import Scored, docnos_of

Ranking = Sequence[str]  # docnos, best first
Rankings = Mapping[str, Sequence[Scored]]  # lists of one query paper, by run

BUDGET = "budget"  # the key of a shortfall that belongs to the whole pool, not to a retriever


class Entry(NamedTuple):
    """A pooled document and the source that drew it.

    `sequence` is its position in the pool, from 1. `rank_of_drawer` is its rank in the drawer's
    list, from 1; None for a forced source, which has no ranks.
    """

    docno: str
    drawer: str
    sequence: int
    rank_of_drawer: int | None


class DrawnContribution(NamedTuple):
    """A source that has a pooled document. `sequence` is the document's position in the pool.

    `rank` (from 1) and `score` are the retriever's own; both are None for a forced source.
    """

    docno: str
    source: str
    rank: int | None
    score: float | None
    drawn: bool
    sequence: int


@dataclass(frozen=True)
class DrawnPool:
    """The pool of one query paper, in the order drawn.

    `order`: the retrievers in the order in which they drew, or in which ties were broken.
    `shortfall`: for each retriever, how many documents its list could not give. If the whole pool
    was to have a size, the number of missing documents is under `BUDGET`. `depth`: for each
    retriever, the deepest rank it drew from; 0 if it drew nothing.

    `inclusion`: for a sample, the probability in (0, 1] that each pooled document was drawn (1 for
    forced ones). None for a strategy that does not sample.
    """

    order: tuple[str, ...]
    entries: tuple[Entry, ...]
    shortfall: dict[str, int]
    depth: dict[str, int]
    inclusion: dict[str, float] | None = None


class BestRank(NamedTuple):
    """A document's best rank, from 1, and the retriever that has it there."""

    rank: int
    drawer: str


def contributions(
    pool: DrawnPool,
    rankings: Rankings,
    forced: Mapping[str, Ranking] | None = None,
) -> Iterator[DrawnContribution]:
    """Every source of every pooled document, drawn or not; by sequence, then source name.

    `rankings` are the lists the pool was drawn from, with scores. A docno that is twice in a list
    has its first rank. Forced sources, if given, follow the retrievers.
    """
    pooled_docnos = {entry.docno for entry in pool.entries}
    ranks = {
        name: _first_ranks(ranking, pooled_docnos) for name, ranking in sorted(rankings.items())
    }
    members = {name: frozenset(docnos) for name, docnos in sorted((forced or {}).items())}
    for docno, drawer, sequence, _ in pool.entries:
        for name, rank_and_score in ranks.items():
            if docno in rank_and_score:
                rank, score = rank_and_score[docno]
                yield DrawnContribution(docno, name, rank, score, name == drawer, sequence)
        for name, docnos in members.items():
            if docno in docnos:
                yield DrawnContribution(docno, name, None, None, name == drawer, sequence)


class Beginning(NamedTuple):
    """The start of a pool: the forced entries, and the documents that a strategy skips.

    `order` is the query paper's own random order of the retrievers.
    """

    order: tuple[str, ...]
    entries: list[Entry]
    skipped_docnos: set[str]


def begin_pool(
    rankings: Mapping[str, object],
    forced: Mapping[str, Ranking],
    seed: str,
    query_paper: str,
    excluded: Collection[str],
    is_topic: bool,
) -> Beginning:
    """Raises ValueError for a name that is both a forced source and a retriever."""
    if sources_in_both := sorted(rankings.keys() & forced.keys()):
        raise ValueError(
            f"a source cannot be both forced and a retriever, got {', '.join(sources_in_both)}"
        )
    skipped_docnos = own_docnos(query_paper, is_topic=is_topic)
    entries = list(_forced_entries(forced, skipped_docnos))
    skipped_docnos.update(excluded)
    return Beginning(retriever_order(rankings, seed, query_paper), entries, skipped_docnos)


def retriever_order(names: Iterable[str], seed: str, query_paper: str) -> tuple[str, ...]:
    """The query paper's own random order of the retrievers."""
    return tuple(shuffled(names, seed=seed, purpose="retriever-order", query=query_paper))


def own_docnos(query_paper: str, *, is_topic: bool) -> set[str]:
    """The query paper's own document, which is never pooled. A topic has none.

    The id of a topic may be the docno of a document that has nothing to do with it.
    """
    return set() if is_topic else {query_paper}


def _forced_entries(forced: Mapping[str, Ranking], pooled_docnos: set[str]) -> Iterator[Entry]:
    """All documents of the forced sources, by source name; adds them to `pooled_docnos`."""
    sequence = 0
    for source in sorted(forced):
        for _, docno in unpooled(forced[source], pooled_docnos):
            pooled_docnos.add(docno)
            sequence += 1
            yield Entry(docno, source, sequence, None)


def unpooled(ranking: Ranking, pooled_docnos: Collection[str]) -> Iterator[tuple[int, str]]:
    """(rank, docno) of the documents not in `pooled_docnos`.

    `pooled_docnos` is read anew for every document, so the caller may add to it while iterating.
    """
    for rank, docno in enumerate(ranking, start=1):
        if docno not in pooled_docnos:
            yield rank, docno


def by_best_rank(
    rankings: Mapping[str, Ranking], order: Sequence[str], pooled_docnos: Collection[str]
) -> Iterator[tuple[str, BestRank]]:
    """Every document not in `pooled_docnos`, by best rank; equal ranks go by `order`."""
    lists = [(name, rankings[name]) for name in order]
    seen_docnos = set(pooled_docnos)
    for rank in range(max((len(ranking) for _, ranking in lists), default=0)):
        for name, ranking in lists:
            if rank < len(ranking) and ranking[rank] not in seen_docnos:
                seen_docnos.add(ranking[rank])
                yield ranking[rank], BestRank(rank + 1, name)


def assemble_pool(
    order: Sequence[str],
    forced: Sequence[Entry],
    documents: Iterable[tuple[str, BestRank]],
    shortfall: Mapping[str, int],
    inclusion: dict[str, float] | None = None,
) -> DrawnPool:
    """The forced entries followed by the chosen documents, in the order given."""
    entries = list(forced)
    depth = dict.fromkeys(order, 0)
    for docno, best in documents:
        entries.append(Entry(docno, best.drawer, len(entries) + 1, best.rank))
        depth[best.drawer] = max(depth[best.drawer], best.rank)
    return DrawnPool(tuple(order), tuple(entries), dict(shortfall), depth, inclusion)


def budget_shortfall(size: int, count: int) -> dict[str, int]:
    """The shortfall of a pool that was to have `size` drawn documents and has `count`."""
    return {BUDGET: size - count} if count < size else {}


def _first_ranks(
    ranking: Sequence[Scored], pooled_docnos: Collection[str]
) -> dict[str, tuple[int, float]]:
    """(rank, score) of each pooled document in the list."""
    ranks: dict[str, tuple[int, float]] = {}
    for rank, docno in enumerate(docnos_of(ranking), start=1):
        if docno in pooled_docnos:
            ranks.setdefault(docno, (rank, ranking[rank - 1].score))
    return ranks
