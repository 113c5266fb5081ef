"""Pools that read all lists in parallel: down to a rank, or up to a number of documents."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import islice

from pooling.strategies.definition import Parameter, Strategy, by_docno
from pooling.strategies.drawn_pool import (
    DrawnPool,
    Ranking,
    assemble_pool,
    begin_pool,
    budget_shortfall,
    by_best_rank,
)


def depth_k(
    rankings: Mapping[str, Ranking],
    forced: Mapping[str, Ranking],
    k: int,
    seed: str,
    query_paper: str,
    excluded: Collection[str] = (),
    *,
    is_topic: bool = False,
) -> DrawnPool:
    """Every document that some list has at rank k or better (Spärck Jones & van Rijsbergen, 1975).

    By best rank, then by the query paper's order of retrievers. A retriever's shortfall is the
    number of ranks up to k that its list does not have. Raises ValueError for k < 1.
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    order, first, skipped = begin_pool(rankings, forced, seed, query_paper, excluded, is_topic)
    tops = {name: rankings[name][:k] for name in order}
    documents = by_best_rank(tops, order, skipped)
    return assemble_pool(order, first, documents, {name: k - len(tops[name]) for name in order})


def take_b(
    rankings: Mapping[str, Ranking],
    forced: Mapping[str, Ranking],
    size: int,
    seed: str,
    query_paper: str,
    excluded: Collection[str] = (),
    *,
    is_topic: bool = False,
) -> DrawnPool:
    """Rank by rank over all lists until `size` documents are drawn, take@B (Lipani et al., 2017).

    Within a rank the retrievers go in the query paper's order. The pool may end in the middle of a
    rank. Raises ValueError for a size < 1.
    """
    if size < 1:
        raise ValueError(f"size must be at least 1, got {size}")
    order, first, skipped = begin_pool(rankings, forced, seed, query_paper, excluded, is_topic)
    documents = list(islice(by_best_rank(rankings, order, skipped), size))
    return assemble_pool(order, first, documents, budget_shortfall(size, len(documents)))


DEPTH_K = Strategy(
    "depth_k",
    "Depth k",
    "Every document that some retriever has at rank k or better.",
    (Parameter("k", "whole", 25, "The last rank that is pooled."),),
    by_docno(depth_k),
    depth_parameter="k",
)
TAKE_B = Strategy(
    "take_b",
    "Fixed budget",
    "Rank by rank over all lists until the budget is used up (take@B).",
    (Parameter("size", "whole", 60, "Documents to draw, in addition to the forced ones."),),
    by_docno(take_b),
)
