"""Fusion of all lists into one, whose best documents make the pool.

Sums are exact to the last rounding (`math.fsum`) and every other step is a plain IEEE operation,
so a fused score is the same number on every machine. Equal scores go by docno descending, as in
`trec_order`. Unlike there, scores are compared as float64, because in float32 the small scores of
RBP would be equal.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, repeat
from operator import mul

from pooling.strategies.definition import Parameter, Strategy
from pooling.strategies.drawn_pool import (
    DrawnPool,
    Ranking,
    Rankings,
    assemble_pool,
    begin_pool,
    budget_shortfall,
    by_best_rank,
    own_docnos,
)
from retrieval.formats import Scored, docnos_of

RRF_K = 60

Weights = Iterator[tuple[str, float]]  # each document of one list once, with its weight
FusedScores = dict[str, float]  # score by docno


def fuse_to_budget(
    fuse: Callable[..., FusedScores],
    rankings: Rankings,
    forced: Mapping[str, Ranking],
    size: int,
    depth: int,
    seed: str,
    query_paper: str,
    excluded: Collection[str] = (),
    *,
    is_topic: bool = False,
    **parameters: float,
) -> DrawnPool:
    """The `size` documents that `fuse` scores highest over the lists down to `depth`.

    `fuse` gets the lists without the query paper, and `parameters`. Forced and excluded documents
    keep their ranks there and are skipped only when the best are chosen. The drawer is the
    retriever with the document's best rank; the query paper's order breaks ties. Raises ValueError
    for a size or a depth < 1.
    """
    if min(size, depth) < 1:
        raise ValueError(f"size and depth must be at least 1, got {size} and {depth}")
    order, first, skipped = begin_pool(rankings, forced, seed, query_paper, excluded, is_topic)
    tops = {name: rankings[name][:depth] for name in order}
    own = own_docnos(query_paper, is_topic=is_topic)
    scores = fuse([_distinct(tops[name], own) for name in sorted(order)], **parameters)
    names = {name: docnos_of(top) for name, top in tops.items()}
    ranks = dict(by_best_rank(names, order, skipped))
    best = heapq.nlargest(size, ranks, key=lambda docno: (scores[docno], docno))
    documents = [(docno, ranks[docno]) for docno in best]
    return assemble_pool(order, first, documents, budget_shortfall(size, len(documents)))


def rrf(lists: Sequence[Sequence[Scored]], k: float = RRF_K) -> FusedScores:
    """Reciprocal rank fusion: Σ 1/(k + rank) over the lists that have the document.

    Cormack, Clarke & Büttcher (SIGIR 2009), who set k = 60. Each list has each document once.
    Scores are in (0, number of lists / (k + 1)]. Raises ValueError for a k < 0.
    """
    if not 0 <= k < math.inf:
        raise ValueError(f"k must be a finite number, at least 0, got {k}")
    return _sum_weights(
        ((docno, 1 / (k + rank)) for rank, (docno, _) in enumerate(ranking, start=1))
        for ranking in lists
    )


def combmnz(lists: Sequence[Sequence[Scored]]) -> FusedScores:
    """CombMNZ: (Σ normalised scores) × (number of lists with it), Fox & Shaw (TREC-2, 1994).

    Scores are normalised list by list as (s − min)/(max − min) (Lee, 1997). In a list whose
    scores are all equal, each document gets 1. Scores are in [0, number of lists²].
    """
    sums = _sum_weights(_normalise(ranking) for ranking in lists)
    counts = Counter(docno for ranking in lists for docno, _ in ranking)
    return {docno: total * counts[docno] for docno, total in sums.items()}


def rbp(lists: Sequence[Sequence[Scored]], p: float) -> FusedScores:
    """Σ (1 − p)·p^(rank − 1) over the lists that have the document.

    The weights are those of rank-biased precision (Moffat & Zobel, 2008). Judging by their sum is
    method A of Moffat, Webber & Zobel (SIGIR 2007). Scores are in
    [0, number of lists]. Raises ValueError for a p outside (0, 1).
    """
    if not 0 < p < 1:
        raise ValueError(f"p must be above 0 and below 1, got {p}")
    # Multiplied step by step, because `**` may round differently in different C libraries.
    longest = max(map(len, lists), default=0)
    weights = list(accumulate(repeat(p, longest), mul, initial=1 - p))
    return _sum_weights(
        ((docno, weight) for (docno, _), weight in zip(ranking, weights, strict=False))
        for ranking in lists
    )


def _sum_weights(lists: Iterator[Weights]) -> FusedScores:
    by_docno: dict[str, list[float]] = defaultdict(list)
    for weights_of_list in lists:
        for docno, weight in weights_of_list:
            by_docno[docno].append(weight)
    return {docno: math.fsum(weights) for docno, weights in by_docno.items()}


def _normalise(ranking: Sequence[Scored]) -> Weights:
    scores = [score for _, score in ranking]
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    for docno, score in ranking:
        yield docno, (score - low) / (high - low) if high > low else 1.0


def _distinct(ranking: Sequence[Scored], own: Collection[str]) -> list[Scored]:
    """The list without the query paper's own document, each document at its first rank."""
    first: dict[str, Scored] = {}
    for scored in ranking:
        if scored.docno not in own:
            first.setdefault(scored.docno, scored)
    return list(first.values())


_SIZE = Parameter("size", "whole", 60, "Documents to draw, in addition to the forced ones.")
_DEPTH = Parameter("depth", "whole", 500, "The last rank that is read of each list.")

RRF = Strategy(
    "rrf",
    "Reciprocal rank fusion",
    "The documents that rank high in most lists, by the sum of 1/(k + rank).",
    (
        _SIZE,
        _DEPTH,
        Parameter("k", "number", float(RRF_K), "The larger k, the less the top ranks count.", 0),
    ),
    partial(fuse_to_budget, rrf),
    depth_parameter="depth",
)
COMBMNZ = Strategy(
    "combmnz",
    "CombMNZ",
    "The best documents by normalised scores, times the number of lists with the document.",
    (_SIZE, _DEPTH),
    partial(fuse_to_budget, combmnz),
    depth_parameter="depth",
)
RBP = Strategy(
    "rbp",
    "RBP weights",
    "The documents with the most weight in rank-biased precision, summed over the lists.",
    (
        _SIZE,
        _DEPTH,
        Parameter("p", "number", 0.8, "Persistence: the larger, the more deep ranks count.", 0, 1),
    ),
    partial(fuse_to_budget, rbp),
    depth_parameter="depth",
)
