"""Measures over all queries at once. Pure.

Each function takes a system's judged ranks and gives one value for each query, as trec_eval 9 does
for a query that it scores: grades below 0 count as 0, and unjudged documents as not relevant.
A query without relevant documents gives NaN. `least` is the lowest grade that counts as relevant.
"""

from __future__ import annotations

import numpy as np

from scoring.measures.judged_ranks import Floats, Ints, JudgedRanks, count


def precision(ranks: JudgedRanks, cutoff: int, least: int) -> Floats:
    """Relevant documents among the first `cutoff`, divided by `cutoff` also in a short list."""
    hits = ranks.sum((ranks.rank <= cutoff) & (ranks.grade >= least)) / cutoff
    return _where_relevant(hits, ranks, least)


def recall(ranks: JudgedRanks, cutoff: int, least: int) -> Floats:
    """Relevant documents among the first `cutoff`, divided by all relevant ones."""
    hits = ranks.sum((ranks.rank <= cutoff) & (ranks.grade >= least))
    return _divided(hits, ranks.judged.relevant(least))


def average_precision(ranks: JudgedRanks, cutoff: int | None, least: int) -> Floats:
    """The sum of the precisions at the relevant documents found, divided by all relevant ones."""
    relevant = ranks.grade >= least
    found = relevant if cutoff is None else relevant & (ranks.rank <= cutoff)
    precisions = ranks.running(relevant) / ranks.rank
    return _divided(ranks.sum(found, precisions), ranks.judged.relevant(least))


def reciprocal_rank(ranks: JudgedRanks, cutoff: int | None, least: int) -> Floats:
    """1 / the rank of the first relevant document; 0 if none is found."""
    relevant = ranks.grade >= least
    first = relevant & (ranks.running(relevant) == 1)
    if cutoff is not None:
        first &= ranks.rank <= cutoff
    return _where_relevant(ranks.sum(first, 1 / ranks.rank), ranks, least)


def success(ranks: JudgedRanks, cutoff: int, least: int) -> Floats:
    """1 if a relevant document is among the first `cutoff`, else 0."""
    hits = ranks.sum((ranks.rank <= cutoff) & (ranks.grade >= least))
    return _where_relevant((hits > 0).astype(np.float64), ranks, least)


def r_precision(ranks: JudgedRanks, least: int) -> Floats:
    """Precision at R, the number of the query's relevant documents."""
    relevant = ranks.judged.relevant(least)
    hits = ranks.sum((ranks.rank <= relevant[ranks.query]) & (ranks.grade >= least))
    return _divided(hits, relevant)


def ndcg(ranks: JudgedRanks, cutoff: int | None) -> Floats:
    """Gain = grade, discount log2(rank + 1), relative to the ideal ranking of the judged ones."""
    judged = ranks.judged
    gains = np.maximum(ranks.grade, 0) / np.log2(ranks.rank + 1)
    ideal_gains = np.maximum(judged.grade, 0) / np.log2(judged.ideal_rank + 1)
    counted = ranks.rank > 0 if cutoff is None else ranks.rank <= cutoff
    ideal_counted = judged.ideal_rank > 0 if cutoff is None else judged.ideal_rank <= cutoff
    ideal = np.bincount(
        judged.query[ideal_counted], ideal_gains[ideal_counted], len(judged.queries)
    )
    return _divided(ranks.sum(counted, gains), ideal)


def rbp(ranks: JudgedRanks, persistence: float, cutoff: int | None, least: int) -> Floats:
    """(1 − p) Σ p^(rank − 1) over the relevant documents (Moffat & Zobel, TOIS 2008, eq. 4)."""
    counted = ranks.grade >= least
    if cutoff is not None:
        counted &= ranks.rank <= cutoff
    weights = (1 - persistence) * persistence ** (ranks.rank - 1.0)
    return _where_relevant(ranks.sum(counted, weights), ranks, least)


def bpref(ranks: JudgedRanks, least: int) -> Floats:
    """Buckley & Voorhees (SIGIR 2004) as trec_eval 9 has it.

    A relevant document counts 1 − min(non-relevant above it, R) / min(R, N); R and N are the
    numbers of judged documents that are and are not relevant.
    """
    judged = ranks.judged
    relevant = judged.relevant(least)
    others = count(judged.query[judged.grade >= 0], len(judged.queries)) - relevant
    found = ranks.grade >= least
    above = ranks.running((ranks.grade < least) & (ranks.grade >= 0))
    bound = np.minimum(relevant, others)[ranks.query]
    lost = np.minimum(above, relevant[ranks.query]) / np.maximum(bound, 1)
    return _divided(ranks.sum(found, 1 - lost), relevant)


def judged_share(ranks: JudgedRanks, cutoff: int | None) -> Floats:
    """The share of judged documents among the first `cutoff`, or those there are in a short list.

    An empty list has none. This does not depend on which documents are relevant.
    """
    seen = ranks.lengths if cutoff is None else np.minimum(ranks.lengths, cutoff)
    counted = ranks.rank > 0 if cutoff is None else ranks.rank <= cutoff
    return ranks.sum(counted) / np.maximum(seen, 1)


# CSFCube's own measures (see docs/evaluation.md). Its lists are re-rankings of the whole pool.


def precision_at_last_relevant(ranks: JudgedRanks, least: int) -> Floats:
    """ "RP" of CSFCube's scripts: the precision at the rank of the last relevant document found.

    It is not R-precision. A list that leaves relevant documents out is cut at the last one it has.
    """
    relevant = ranks.grade >= least
    hits = ranks.sum(relevant)
    last = np.zeros(ranks.queries)
    np.maximum.at(last, ranks.query[relevant], ranks.rank[relevant])
    return _where_relevant(hits / np.maximum(last, 1), ranks, least)


def pool_ndcg(ranks: JudgedRanks, percent: int, least: int) -> Floats:
    """NDCG% of CSFCube: DCG = g₁ + Σ gᵢ/log₂ i, at int(percent of the judged pool's size).

    The ideal ranking is that of the query's judged documents, and the gain is the grade. A pool
    so small that the cut-off is 0 has the value 0, as in CSFCube's script.
    """
    judged = ranks.judged
    cutoff = judged.pool_sizes * percent // 100
    ideal_counted = judged.ideal_rank <= cutoff[judged.query]
    ideal_gains = np.maximum(judged.grade, 0) / _late_discount(judged.ideal_rank)
    ideal = np.bincount(
        judged.query[ideal_counted], ideal_gains[ideal_counted], len(judged.queries)
    )
    gains = np.maximum(ranks.grade, 0) / _late_discount(ranks.rank)
    values = _divided(ranks.sum(ranks.rank <= cutoff[ranks.query], gains), ideal)
    return np.where(np.isnan(values) & (judged.relevant(least) > 0), 0.0, values)


def _late_discount(rank: Ints) -> Floats:
    """Järvelin & Kekäläinen (TOIS 2002) with base 2: no discount before rank 2."""
    discount: Floats = np.log2(np.maximum(rank, 2))
    return discount


def _divided(values: Floats, by: Floats | Ints) -> Floats:
    """NaN where the divisor is 0: a query without relevant documents."""
    quotient: Floats = np.divide(
        values, by, out=np.full(len(values), np.nan), where=np.asarray(by) > 0
    )
    return quotient


def _where_relevant(values: Floats, ranks: JudgedRanks, least: int) -> Floats:
    result: Floats = np.where(ranks.judged.relevant(least) > 0, values, np.nan)
    return result
