"""What every strategy gives: a pool in the order it was drawn, and who has each document."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from corpus.ordering import shuffled
from pooling.formats import Scored, docnos_of

Ranking = Sequence[str]  # docnos, best first

BUDGET = "budget"  # the name under which a whole pool, not a retriever, falls short


class Entry(NamedTuple):
    """One pooled document: who drew it, the how-manieth of the pool it is, from which rank.

    `sequence` counts from 1 over the whole pool, `rank_of_drawer` from 1 in the drawer's list;
    a forced source has no ranks.
    """

    docno: str
    drawer: str
    sequence: int
    rank_of_drawer: int | None


class Contribution(NamedTuple):
    """That a source has a pooled document. `sequence` is the document's place in the pool.

    `rank` (from 1) and `score` are the retriever's own; both are None for a forced source.
    """

    docno: str
    source: str
    rank: int | None
    score: float | None
    drawn: bool
    sequence: int


@dataclass(frozen=True)
class Drawn:
    """A pool of one query paper, in the order it was drawn.

    `order`: the retrievers in the order in which they drew, or in which ties between them were
    broken. `shortfall`: for every retriever, how many documents its list could not give; where
    the pool as a whole was to have a size, how many it lacks, under `BUDGET`. `depth`: for every
    retriever the deepest rank it drew from (0: it drew nothing).

    `inclusion`: for a sample, the probability in (0, 1] with which each pooled document came to
    be in the pool (1 for forced ones); None for a strategy that does not sample.
    """

    order: tuple[str, ...]
    entries: tuple[Entry, ...]
    shortfall: dict[str, int]
    depth: dict[str, int]
    inclusion: dict[str, float] | None = None


class Place(NamedTuple):
    """Where a document stands best: the retriever that drew it, and its rank there, from 1."""

    rank: int
    drawer: str


def contributions(
    drawn: Drawn,
    rankings: Mapping[str, Sequence[Scored]],
    forced: Mapping[str, Ranking] | None = None,
) -> Iterator[Contribution]:
    """Every source of every pooled document, drawn or not; by sequence, then source name.

    `rankings` are the lists the pool was drawn from, with scores. A docno that is twice in a list
    has its first rank, as in `draw`. Forced sources follow the retrievers when they are given.
    """
    pooled = {entry.docno for entry in drawn.entries}
    places = {name: _places(ranking, pooled) for name, ranking in sorted(rankings.items())}
    members = {name: frozenset(docnos) for name, docnos in sorted((forced or {}).items())}
    for docno, drawer, sequence, _ in drawn.entries:
        for name, place in places.items():
            if docno in place:
                rank, score = place[docno]
                yield Contribution(docno, name, rank, score, name == drawer, sequence)
        for name, docnos in members.items():
            if docno in docnos:
                yield Contribution(docno, name, None, None, name == drawer, sequence)


def retriever_order(names: Iterable[str], seed: str, query_paper: str) -> tuple[str, ...]:
    """The query paper's own random order of the retrievers."""
    return tuple(shuffled(names, seed=seed, purpose="retriever-order", query=query_paper))


def forced_entries(forced: Mapping[str, Ranking], pooled: set[str]) -> Iterator[Entry]:
    """The forced sources by name, each whole and in its own order; adds them to `pooled`."""
    sequence = 0
    for source in sorted(forced):
        for _, docno in offers(forced[source], pooled):
            pooled.add(docno)
            sequence += 1
            yield Entry(docno, source, sequence, None)


def offers(ranking: Ranking, pooled: Collection[str]) -> Iterator[tuple[int, str]]:
    """(rank, docno) of what is not pooled yet, looked up only when the next one is asked for."""
    for rank, docno in enumerate(ranking, start=1):
        if docno not in pooled:
            yield rank, docno


def met(
    rankings: Mapping[str, Ranking], order: Sequence[str], pooled: Collection[str]
) -> Iterator[tuple[str, Place]]:
    """Every document that is not pooled, as it is met going down all lists side by side.

    So by best rank, and of equal ranks by `order`; with the retriever that has it there.
    """
    lists = [(name, rankings[name]) for name in order]
    seen = set(pooled)
    for rank in range(max((len(ranking) for _, ranking in lists), default=0)):
        for name, ranking in lists:
            if rank < len(ranking) and ranking[rank] not in seen:
                seen.add(ranking[rank])
                yield ranking[rank], Place(rank + 1, name)


def assembled(
    order: Sequence[str],
    forced: Sequence[Entry],
    chosen: Iterable[tuple[str, Place]],
    shortfall: Mapping[str, int],
    inclusion: dict[str, float] | None = None,
) -> Drawn:
    """The forced entries followed by the chosen documents, in the order given."""
    entries = list(forced)
    depth = dict.fromkeys(order, 0)
    for docno, place in chosen:
        entries.append(Entry(docno, place.drawer, len(entries) + 1, place.rank))
        depth[place.drawer] = max(depth[place.drawer], place.rank)
    return Drawn(tuple(order), tuple(entries), dict(shortfall), depth, inclusion)


def lacking(size: int, found: int) -> dict[str, int]:
    """The shortfall of a pool that was to have `size` drawn documents."""
    return {BUDGET: size - found} if found < size else {}


def check_names(rankings: Mapping[str, object], forced: Mapping[str, object]) -> None:
    """Raises ValueError for a name that is both a forced source and a retriever."""
    if both := sorted(rankings.keys() & forced.keys()):
        raise ValueError(f"both a forced source and a retriever: {', '.join(both)}")


def _places(ranking: Sequence[Scored], pooled: Collection[str]) -> dict[str, tuple[int, float]]:
    places: dict[str, tuple[int, float]] = {}
    for rank, docno in enumerate(docnos_of(ranking), start=1):
        if docno in pooled:
            places.setdefault(docno, (rank, ranking[rank - 1].score))
    return places
