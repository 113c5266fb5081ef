"""Lists fused into one, of which the best documents make the pool.

Sums are exact to the last rounding (`math.fsum`) and every other step is a plain IEEE operation,
so a fused score is the same number on every machine. Equal scores go by docno descending, as in
`trec_order`; unlike there, scores are compared in full, because float32 cannot tell the small
ones of RBP apart.
"""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import accumulate, repeat
from operator import mul

from pooling.formats import Scored, docnos_of
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

RRF_K = 60

Votes = Iterator[tuple[str, float]]  # documents of one list, each once, with what the list gives it
Fused = dict[str, float]


def fuse_to_budget(
    fuse: Callable[[Sequence[Sequence[Scored]]], Fused],
    rankings: Mapping[str, Sequence[Scored]],
    forced: Mapping[str, Ranking],
    size: int,
    depth: int,
    seed: str,
    query_paper: str,
    excluded: Collection[str] = (),
) -> Drawn:
    """The `size` documents that `fuse` scores highest over the lists down to `depth`.

    `fuse` gets the lists without the query paper; forced and excluded documents keep their ranks
    in them and are passed over only when the best are taken. The drawer is the retriever that has
    the document highest; of equal ranks the query paper's order decides. Raises ValueError for a
    size or a depth < 1.
    """
    if min(size, depth) < 1:
        raise ValueError(f"size {size}, depth {depth}: both must be at least 1")
    check_names(rankings, forced)
    order = retriever_order(rankings, seed, query_paper)
    pooled = {query_paper}
    first = list(forced_entries(forced, pooled))
    left_out = pooled.union(excluded)
    tops = {name: rankings[name][:depth] for name in order}
    fused = fuse([_distinct(tops[name], query_paper) for name in sorted(order)])
    names = {name: docnos_of(top) for name, top in tops.items()}
    places = dict(met(names, order, left_out))
    best = heapq.nlargest(size, places, key=lambda docno: (fused[docno], docno))
    chosen = [(docno, places[docno]) for docno in best]
    return assembled(order, first, chosen, lacking(size, len(chosen)))


def rrf(lists: Sequence[Sequence[Scored]], k: float = RRF_K) -> Fused:
    """Reciprocal rank fusion: Σ 1/(k + rank) over the lists that have it.

    Cormack, Clarke & Büttcher (SIGIR 2009), who set k = 60. Each list has each document once.
    Scores are in (0, number of lists / (k + 1)]. Raises ValueError for a k < 0.
    """
    if not 0 <= k < math.inf:
        raise ValueError(f"k is {k}; reciprocal rank fusion needs a number from 0 up")
    return _summed(
        ((docno, 1 / (k + rank)) for rank, (docno, _) in enumerate(one, start=1)) for one in lists
    )


def combmnz(lists: Sequence[Sequence[Scored]]) -> Fused:
    """CombMNZ: (Σ normalised scores) × (number of lists that have it), Fox & Shaw (TREC-2, 1994).

    Scores are normalised list by list as (s − min)/(max − min) (Lee, 1997). A list whose scores
    are all equal prefers none of its documents to another: each gets 1. Scores are in
    [0, number of lists²].
    """
    fused = _summed(_normalised(one) for one in lists)
    having: dict[str, int] = defaultdict(int)
    for one in lists:
        for docno, _ in one:
            having[docno] += 1
    return {docno: total * having[docno] for docno, total in fused.items()}


def rbp(lists: Sequence[Sequence[Scored]], p: float) -> Fused:
    """Σ (1 − p)·p^(rank − 1) over the lists that have it: what a judgment of it can matter.

    The weights are those of rank-biased precision (Moffat & Zobel, 2008); that their sum orders
    the judging is method A of Moffat, Webber & Zobel (SIGIR 2007). Scores are in
    [0, number of lists]. Raises ValueError for a p outside (0, 1).
    """
    if not 0 < p < 1:
        raise ValueError(f"p is {p}; a persistence lies between 0 and 1")
    # Multiplied up, because `**` may round differently from one C library to the next.
    longest = max(map(len, lists), default=0)
    weights = list(accumulate(repeat(p, longest), mul, initial=1 - p))
    return _summed(
        ((docno, weight) for (docno, _), weight in zip(one, weights, strict=False)) for one in lists
    )


def _summed(votes: Iterator[Votes]) -> Fused:
    by_docno: dict[str, list[float]] = defaultdict(list)
    for one in votes:
        for docno, weight in one:
            by_docno[docno].append(weight)
    return {docno: math.fsum(weights) for docno, weights in by_docno.items()}


def _normalised(one: Sequence[Scored]) -> Votes:
    scores = [score for _, score in one]
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    for docno, score in one:
        yield docno, (score - low) / (high - low) if high > low else 1.0


def _distinct(ranking: Sequence[Scored], query_paper: str) -> list[Scored]:
    first: dict[str, Scored] = {}
    for one in ranking:
        if one.docno != query_paper:
            first.setdefault(one.docno, one)
    return list(first.values())
