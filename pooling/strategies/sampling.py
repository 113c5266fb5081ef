"""Samples of a deep pool, with each document's inclusion probability.

A sample is the first documents of its frame in sha256 order: a simple random sample without
replacement, the same on every machine. With the probabilities π, Σ y/π over the sample is an
unbiased estimate of a total over the deep pool (Horvitz & Thompson, 1952). Precision and the
number of relevant documents are estimated so (Yilmaz, Kanoulas & Aslam, 2008).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from corpus.ordering import shuffled
from pooling.strategies.definition import Parameter, Strategy, by_docno
from pooling.strategies.drawn_pool import (
    BestRank,
    DrawnPool,
    Ranking,
    assemble_pool,
    begin_pool,
    budget_shortfall,
    by_best_rank,
)


class Stratum(NamedTuple):
    """The documents of a deep pool whose best rank is from `first` to `last`, drawn or not."""

    first: int
    last: int
    docnos: tuple[str, ...]


def deep_pool(
    rankings: Mapping[str, Ranking], bounds: Sequence[int], skipped_docnos: Collection[str]
) -> tuple[Stratum, ...]:
    """The documents that a sample is drawn from, by stratum; stratum i ends at best rank bounds[i].

    `skipped_docnos` are in no stratum: the query paper, the forced and the excluded documents.
    """
    tops = {name: ranking[: bounds[-1]] for name, ranking in rankings.items()}
    strata = _strata_of(dict(by_best_rank(tops, sorted(tops), skipped_docnos)), bounds)
    firsts = (1, *(bound + 1 for bound in bounds))
    return tuple(
        Stratum(first, last, tuple(docnos))
        for first, last, docnos in zip(firsts, bounds, strata, strict=False)
    )


def uniform(
    rankings: Mapping[str, Ranking],
    forced: Mapping[str, Ranking],
    size: int,
    depth: int,
    seed: str,
    query_paper: str,
    excluded: Collection[str] = (),
    *,
    is_topic: bool = False,
) -> DrawnPool:
    """`size` documents of the depth-`depth` pool, each with probability size/|deep pool|.

    In sha256 order, so a larger sample with the same seed contains the smaller one. Forced
    documents have probability 1 and are not part of the deep pool. Raises ValueError for a
    size or a depth < 1.
    """
    if min(size, depth) < 1:
        raise ValueError(f"size and depth must be at least 1, got {size} and {depth}")
    sample = _SampleBuilder(rankings, forced, depth, seed, query_paper, excluded, is_topic)
    sample.add(sample.frame, size, purpose="uniform")
    return sample.pool(budget_shortfall(size, len(sample.docnos)))


def stratified(
    rankings: Mapping[str, Ranking],
    forced: Mapping[str, Ranking],
    bounds: Sequence[int],
    rates: Sequence[float],
    seed: str,
    query_paper: str,
    excluded: Collection[str] = (),
    *,
    is_topic: bool = False,
) -> DrawnPool:
    """A sample from each stratum of best ranks: stratum i ends at rank bounds[i].

    Of N documents in a stratum ⌈rate·N⌉ are drawn, each with probability ⌈rate·N⌉/N. So every
    stratum with documents gives at least 1. The order is by stratum, then sha256. Forced documents
    have probability 1 and are in no stratum. There is no shortfall, because a rate is a share of
    the documents there are.

    Raises ValueError for bounds that do not ascend from 1, for rates outside (0, 1], and if there
    are not as many rates as bounds.
    """
    _check_strata(bounds, rates)
    sample = _SampleBuilder(rankings, forced, bounds[-1], seed, query_paper, excluded, is_topic)
    strata = _strata_of(sample.frame, bounds)
    for number, (stratum, rate) in enumerate(zip(strata, rates, strict=True), start=1):
        sample.add(stratum, stratum_size(rate, len(stratum)), purpose=f"stratum-{number}")
    return sample.pool({})


def stratum_size(rate: float, documents: int) -> int:
    """⌈rate · documents⌉."""
    # A fraction, because 0.07 * 100 is a little more than 7 in binary.
    return math.ceil(Fraction(str(rate)) * documents)


class _SampleBuilder:
    """Collects a sample of one query paper's deep pool."""

    def __init__(
        self,
        rankings: Mapping[str, Ranking],
        forced: Mapping[str, Ranking],
        depth: int,
        seed: str,
        query_paper: str,
        excluded: Collection[str],
        is_topic: bool,
    ) -> None:
        self.seed, self.query_paper = seed, query_paper
        self.order, self.first, skipped = begin_pool(
            rankings, forced, seed, query_paper, excluded, is_topic
        )
        tops = {name: rankings[name][:depth] for name in self.order}
        self.frame: dict[str, BestRank] = dict(by_best_rank(tops, self.order, skipped))
        self.docnos: list[str] = []
        self.inclusion: dict[str, float] = {entry.docno: 1.0 for entry in self.first}

    def add(self, docnos: Iterable[str], size: int, *, purpose: str) -> None:
        """Add `size` of the documents, or all of them if there are fewer."""
        ordered_docnos = shuffled(docnos, seed=self.seed, purpose=purpose, query=self.query_paper)
        sample = ordered_docnos[:size]
        self.docnos += sample
        self.inclusion |= {docno: len(sample) / len(ordered_docnos) for docno in sample}

    def pool(self, shortfall: Mapping[str, int]) -> DrawnPool:
        documents = [(docno, self.frame[docno]) for docno in self.docnos]
        return assemble_pool(self.order, self.first, documents, shortfall, self.inclusion)


def _strata_of(frame: Mapping[str, BestRank], bounds: Sequence[int]) -> list[list[str]]:
    strata: list[list[str]] = [[] for _ in bounds]
    for docno, best in frame.items():
        strata[bisect_left(bounds, best.rank)].append(docno)
    return strata


def _check_strata(bounds: Sequence[int], rates: Sequence[float]) -> None:
    if not bounds or len(bounds) != len(rates):
        raise ValueError(
            "bounds and rates must be equally many and at least 1, "
            f"got {len(bounds)} bounds and {len(rates)} rates"
        )
    if bounds[0] < 1 or any(b <= a for a, b in pairwise(bounds)):
        bounds_text = ", ".join(map(str, bounds))
        raise ValueError(f"bounds must be ascending ranks, at least 1, got {bounds_text}")
    if invalid := [rate for rate in rates if not 0 < rate <= 1]:
        raise ValueError(f"every rate must be above 0 and at most 1, got {invalid[0]}")


UNIFORM = Strategy(
    "uniform",
    "Uniform sample",
    "A random sample of the deep pool; every document is equally likely.",
    (
        Parameter("size", "whole", 60, "Documents to draw, in addition to the forced ones."),
        Parameter("depth", "whole", 100, "The last rank of the deep pool."),
    ),
    by_docno(uniform),
    depth_parameter="depth",
    bounds=lambda values: (values["depth"],),
)
STRATIFIED = Strategy(
    "stratified",
    "Stratified sample",
    "A random sample of the deep pool, with higher rates for better ranks.",
    (
        Parameter("bounds", "wholes", (10, 30, 100), "The last best rank of each stratum."),
        Parameter("rates", "numbers", (1.0, 0.3, 0.1), "The share drawn of each stratum.", 0, 1),
    ),
    by_docno(stratified),
    depth_parameter="bounds",
    bounds=lambda values: tuple(values["bounds"]),
)
