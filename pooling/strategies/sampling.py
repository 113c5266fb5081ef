"""Samples of a deep pool, with the probability by which each document came in.

A sample is the first so many of its frame in sha256 order: a simple random sample without
replacement, the same on every machine. With the probabilities π a total over the whole deep pool
is estimated without bias as Σ y/π over the sample (Horvitz & Thompson, 1952), which is how
precision or the number of relevant documents are estimated (Yilmaz, Kanoulas & Aslam, 2008).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from corpus.ordering import shuffled
from pooling.strategies.drawn import (
    Drawn,
    Place,
    Ranking,
    assembled,
    check_names,
    forced_entries,
    lacking,
    met,
    retriever_order,
)


class Stratum(NamedTuple):
    """The documents of a deep pool whose best rank is from `first` to `last`, drawn or not."""

    first: int
    last: int
    docnos: tuple[str, ...]


def deep_pool(
    rankings: Mapping[str, Ranking], bounds: Sequence[int], out: Collection[str]
) -> tuple[Stratum, ...]:
    """What a sample is drawn from, by strata of best rank; stratum i ends at rank bounds[i].

    `out` is in none: the query paper, the forced documents and the excluded ones.
    """
    tops = {name: ranking[: bounds[-1]] for name, ranking in rankings.items()}
    strata = _by_best_rank(dict(met(tops, sorted(tops), out)), bounds)
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
) -> Drawn:
    """`size` documents of the depth-`depth` pool, each with probability size/|deep pool|.

    In sha256 order, so a larger sample with the same seed holds the smaller one. Forced documents
    are in for certain and not part of the deep pool. Raises ValueError for a size or a depth < 1.
    """
    if min(size, depth) < 1:
        raise ValueError(f"size {size}, depth {depth}: both must be at least 1")
    sample = _Sample(rankings, forced, depth, seed, query_paper, excluded)
    sample.take(sample.frame, size, purpose="uniform")
    return sample.drawn(lacking(size, len(sample.chosen)))


def stratified(
    rankings: Mapping[str, Ranking],
    forced: Mapping[str, Ranking],
    bounds: Sequence[int],
    rates: Sequence[float],
    seed: str,
    query_paper: str,
    excluded: Collection[str] = (),
) -> Drawn:
    """A sample from each stratum of best ranks: stratum i ends at rank bounds[i].

    Of N documents in a stratum ⌈rate·N⌉ are drawn, each with probability ⌈rate·N⌉/N, so that no
    stratum that has documents stays empty. Stratum by stratum, in sha256 order within. Forced
    documents are in for certain and in no stratum. Nothing falls short: a rate is of what there
    is. Raises ValueError for bounds that do not ascend from 1 up, for rates outside (0, 1], and
    when there are not as many of these as of those.
    """
    _check_strata(bounds, rates)
    sample = _Sample(rankings, forced, bounds[-1], seed, query_paper, excluded)
    strata = _by_best_rank(sample.frame, bounds)
    for number, (stratum, rate) in enumerate(zip(strata, rates, strict=True), start=1):
        # Exact, for 0.07 * 100 is a little more than 7 in binary.
        size = math.ceil(Fraction(str(rate)) * len(stratum))
        sample.take(stratum, size, purpose=f"stratum-{number}")
    return sample.drawn({})


class _Sample:
    """A sample being drawn from the deep pool of one query paper."""

    def __init__(
        self,
        rankings: Mapping[str, Ranking],
        forced: Mapping[str, Ranking],
        depth: int,
        seed: str,
        query_paper: str,
        excluded: Collection[str],
    ) -> None:
        check_names(rankings, forced)
        self.seed, self.query_paper = seed, query_paper
        self.order = retriever_order(rankings, seed, query_paper)
        pooled = {query_paper}
        self.first = list(forced_entries(forced, pooled))
        tops = {name: rankings[name][:depth] for name in self.order}
        self.frame: dict[str, Place] = dict(met(tops, self.order, pooled.union(excluded)))
        self.chosen: list[str] = []
        self.inclusion: dict[str, float] = {entry.docno: 1.0 for entry in self.first}

    def take(self, docnos: Iterable[str], size: int, *, purpose: str) -> None:
        """Choose `size` of the documents, or all of them if there are fewer."""
        ordered = shuffled(docnos, seed=self.seed, purpose=purpose, query=self.query_paper)
        taken = ordered[:size]
        self.chosen += taken
        self.inclusion |= {docno: len(taken) / len(ordered) for docno in taken}

    def drawn(self, shortfall: Mapping[str, int]) -> Drawn:
        chosen = [(docno, self.frame[docno]) for docno in self.chosen]
        return assembled(self.order, self.first, chosen, shortfall, self.inclusion)


def _by_best_rank(frame: Mapping[str, Place], bounds: Sequence[int]) -> list[list[str]]:
    strata: list[list[str]] = [[] for _ in bounds]
    for docno, place in frame.items():
        strata[bisect_left(bounds, place.rank)].append(docno)
    return strata


def _check_strata(bounds: Sequence[int], rates: Sequence[float]) -> None:
    if not bounds or len(bounds) != len(rates):
        raise ValueError(
            f"{len(bounds)} bounds and {len(rates)} rates; every stratum has one of each"
        )
    if bounds[0] < 1 or any(b <= a for a, b in pairwise(bounds)):
        listed = ", ".join(map(str, bounds))
        raise ValueError(f"the bounds are {listed}; they must be ranks that ascend from 1 up")
    if wrong := [rate for rate in rates if not 0 < rate <= 1]:
        raise ValueError(f"a rate is {wrong[0]}; a stratum is sampled at more than 0, at most 1")
