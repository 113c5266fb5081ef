"""Take-n: every retriever gives n new documents (Mysore et al., 2021)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

from pooling.strategies.definition import Parameter, Strategy, by_docno
from pooling.strategies.drawn_pool import (
    DrawnPool,
    Entry,
    Ranking,
    begin_pool,
    unpooled,
)

# For each mode, the turns: the retrievers' names, each n times.
DRAW_ORDERS: dict[str, Callable[[Sequence[str], int], list[str]]] = {
    "interleaved": lambda order, n: list(order) * n,
    "sequential": lambda order, n: [name for name in order for _ in range(n)],
}


def draw(
    mode: str,
    rankings: Mapping[str, Ranking],
    forced: Mapping[str, Ranking],
    n: int,
    seed: str,
    query_paper: str,
    excluded: Collection[str] = (),
    *,
    is_topic: bool = False,
) -> DrawnPool:
    """Draw a pool: all documents of the forced sources, then n new ones from every retriever.

    Forced sources go first, by name, each in its own order. The retrievers' order is random by
    (seed, query paper); the order of the mappings never matters. "interleaved" draws one document
    per retriever and round. "sequential" draws all n of a retriever before the next one's, as in
    the released CSFCube pools (Mysore et al., 2021). A retriever whose next document is already
    pooled draws from further down its list. The query paper is never pooled, no document is pooled
    twice, and no retriever draws an `excluded` one.

    Raises ValueError for an unknown mode, for n < 1, and for a name that is both a forced source
    and a retriever.
    """
    if mode not in DRAW_ORDERS:
        raise ValueError(f"unknown mode {mode!r}; use {' or '.join(sorted(DRAW_ORDERS))}")
    if n < 1:
        raise ValueError(f"n must be at least 1, got {n}")
    order, entries, skipped = begin_pool(rankings, forced, seed, query_paper, excluded, is_topic)
    candidates = {name: unpooled(rankings[name], skipped) for name in order}
    shortfall, depth = dict.fromkeys(order, 0), dict.fromkeys(order, 0)
    for name in DRAW_ORDERS[mode](order, n):
        ranked = next(candidates[name], None)
        if ranked is None:
            shortfall[name] += 1
            continue
        depth[name], docno = ranked
        skipped.add(docno)
        entries.append(Entry(docno, name, len(entries) + 1, depth[name]))
    return DrawnPool(order, tuple(entries), shortfall, depth)


_N = Parameter("n", "whole", 12, "New documents from every retriever.")

INTERLEAVED = Strategy(
    "interleaved",
    "Take n, interleaved",
    "Every retriever draws one new document per round, for n rounds.",
    (_N,),
    by_docno(partial(draw, "interleaved")),
    depth_parameter="n",
    one_per_round=True,
)
SEQUENTIAL = Strategy(
    "sequential",
    "Take n, one after another",
    "Every retriever draws all its n before the next one starts, as in CSFCube.",
    (_N,),
    by_docno(partial(draw, "sequential")),
    depth_parameter="n",
)
