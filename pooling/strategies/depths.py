"""Pools that go down all lists side by side: to a rank, or to a number of documents."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import islice

from pooling.strategies.drawn import (
    Drawn,
    Ranking,
    assembled,
    check_names,
    forced_entries,
    lacking,
    met,
    retriever_order,
)


def depth_k(
    rankings: Mapping[str, Ranking],
    forced: Mapping[str, Ranking],
    k: int,
    seed: str,
    query_paper: str,
    excluded: Collection[str] = (),
) -> Drawn:
    """Every document that some list has at rank k or better (Spärck Jones & van Rijsbergen, 1975).

    By best rank, then by the query paper's order of retrievers. A retriever's shortfall is the
    ranks up to k that its list does not have. Raises ValueError for k < 1.
    """
    if k < 1:
        raise ValueError(f"k is {k}; a pool goes down to rank 1 at least")
    check_names(rankings, forced)
    order = retriever_order(rankings, seed, query_paper)
    pooled = {query_paper}
    first = list(forced_entries(forced, pooled))
    tops = {name: rankings[name][:k] for name in order}
    chosen = met(tops, order, pooled.union(excluded))
    return assembled(order, first, chosen, {name: k - len(tops[name]) for name in order})


def take_b(
    rankings: Mapping[str, Ranking],
    forced: Mapping[str, Ranking],
    size: int,
    seed: str,
    query_paper: str,
    excluded: Collection[str] = (),
) -> Drawn:
    """Rank by rank over all lists until `size` documents are drawn, take@B (Lipani et al., 2017).

    Within a rank the retrievers go in the query paper's order, and the pool ends in the middle of
    a rank if it must. Raises ValueError for a size < 1.
    """
    if size < 1:
        raise ValueError(f"the budget is {size}; it must have room for 1 document at least")
    check_names(rankings, forced)
    order = retriever_order(rankings, seed, query_paper)
    pooled = {query_paper}
    first = list(forced_entries(forced, pooled))
    chosen = list(islice(met(rankings, order, pooled.union(excluded)), size))
    return assembled(order, first, chosen, lacking(size, len(chosen)))
