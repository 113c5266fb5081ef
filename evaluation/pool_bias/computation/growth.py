"""Relevant documents found against the size of the pool, and what more documents would find. Pure.

The expected number assumes that the next documents are as often relevant as the last `WINDOW` that
were drawn. Retrievers give their best documents first, so the share of relevant ones falls and the
expected number is rather too high than too low. In a pool that was drawn source after source, the
last documents are those of one source, so only the sum over many queries says much.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from evaluation.pool_bias.computation.sourced_pools import Qrels, SourcedPool
from web.lazy import stats

WINDOW = 20  # the last judged documents of a pool that were drawn, not forced
NEXT = 10
CONFIDENCE = 0.95


class Expected(NamedTuple):
    """The relevant documents expected among `NEXT` more, with an interval."""

    value: float
    low: float
    high: float


class QueryGrowth(NamedTuple):
    """A query's pool in the order drawn.

    `relevant_at`: the positions, from 1, of the relevant documents. `forced`: how many of them a
    forced source gave. `window`: of how many judged documents the expected number comes;
    `in_window`: how many of these are relevant.
    """

    query: str
    size: int
    judged: int
    relevant_at: tuple[int, ...]
    forced: int
    window: int
    in_window: int

    @property
    def relevant(self) -> int:
        return len(self.relevant_at)

    @property
    def expected(self) -> Expected | None:
        """For this query; None if no judged document was drawn.

        The interval is that of the number among the next ten, under Jeffreys' prior Beta(½, ½) for
        the share (beta-binomial, 95 %, equal tails; Brown, Cai & DasGupta 2001 for the prior).
        """
        if not self.window:
            return None
        tail = (1 - CONFIDENCE) / 2
        future = stats.betabinom(NEXT, self.in_window + 0.5, self.window - self.in_window + 0.5)
        low, high = future.ppf([tail, 1 - tail])
        return Expected(NEXT * self.in_window / self.window, float(low), float(high))


def growth_of(pools: Sequence[SourcedPool], qrels: Qrels, relevant_from: int) -> list[QueryGrowth]:
    """Every query with labels, by name."""
    rows = [
        _growth(query, pool, qrels[query], relevant_from)
        for pool in pools
        for query in pool.queries
        if qrels.get(query)
    ]
    return sorted(rows, key=lambda row: row.query)


def _growth(
    query: str, pool: SourcedPool, labels: Mapping[str, int], relevant_from: int
) -> QueryGrowth:
    relevant = {docno for docno, grade in labels.items() if grade >= relevant_from}
    drawn = [
        document.docno in relevant
        for document in pool.documents
        if not document.is_forced and document.docno in labels
    ]
    last = drawn[-WINDOW:]
    return QueryGrowth(
        query=query,
        size=len(pool.documents),
        judged=sum(docno in labels for docno in pool.docnos),
        relevant_at=tuple(
            place for place, docno in enumerate(pool.docnos, start=1) if docno in relevant
        ),
        forced=sum(
            document.is_forced and document.docno in relevant for document in pool.documents
        ),
        window=len(last),
        in_window=sum(last),
    )


def expected_in_all(rows: Sequence[QueryGrowth]) -> Expected | None:
    """The sum over the queries that have an expected number; None if there is none.

    The interval is Student's t interval of the mean over these queries, times their number; it is
    no narrower than what queries of this kind vary by, and not below 0. With one query it is that
    of the query.
    """
    queries = [row.expected for row in rows if row.expected is not None]
    if len(queries) < 2:
        return queries[0] if queries else None
    values = np.array([expected.value for expected in queries])
    half = stats.t.ppf((1 + CONFIDENCE) / 2, len(values) - 1) * stats.sem(values)
    low, high = (len(values) * max(0.0, values.mean() + sign * half) for sign in (-1, 1))
    return Expected(float(values.sum()), float(low), float(high))


def found_by_size(rows: Sequence[QueryGrowth]) -> list[int]:
    """At [n - 1], the relevant documents in the first n of every pool, over all queries.

    A pool that ends before n counts with all that it has.
    """
    deepest = max((row.size for row in rows), default=0)
    found = np.zeros(deepest + 1, dtype=np.int64)
    for row in rows:
        np.add.at(found, list(row.relevant_at), 1)
    return [int(number) for number in np.cumsum(found)[1:]]
