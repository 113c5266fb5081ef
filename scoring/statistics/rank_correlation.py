"""Correlation of two rankings of the same systems. Scores in, a coefficient or a reason out. Pure.

Each coefficient takes two mappings from name to score; a higher score is better. The result is a
`Result`: a number, or None with the reason why it is undefined. A score that is not finite raises
ValueError.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from agreement.coefficients import Result
from scoring.statistics.ranking import Scores, ranked

TOO_FEW = "fewer than two systems"
ALL_TIED = "all scores of a ranking are equal"
EMPTY = "an empty ranking"
PERSISTENCE = 0.9  # the p of RBO


def tau(first: Scores, second: Scores) -> Result:
    """Kendall's τ-b, from -1 to 1 (Kendall 1945, "The treatment of ties in ranking problems").

    Tied pairs count for neither side and shrink the denominator. Undefined for fewer than two
    names, and if all scores of one mapping are equal. Raises ValueError if the names differ.
    """
    _check_same_names(first, second)
    if len(first) < 2:
        return Result(None, TOO_FEW)
    if len(set(first.values())) == 1 or len(set(second.values())) == 1:
        return Result(None, ALL_TIED)
    # `scipy.stats.kendalltau` divides by two square roots, one after the other. So it gives
    # 0.9999999999999999 for equal rankings of some lengths. Whole numbers give 1.
    signs = [_signs_of_pairs([scores[name] for name in first]) for scores in (first, second)]
    agreeing = int((signs[0] * signs[1]).sum())
    untied = [int(np.abs(sign).sum()) for sign in signs]
    return Result(agreeing / math.sqrt(untied[0] * untied[1]))


def _signs_of_pairs(values: list[float]) -> npt.NDArray[np.int8]:
    """At [i, j], whether value i is higher than value j: 1, 0 for a tie, or -1."""
    return np.sign(np.subtract.outer(values, values)).astype(np.int8)


def tau_ap(estimate: Scores, truth: Scores) -> Result:
    """τ_AP, from -1 to 1: τ in which a swap near the top weighs more (Yilmaz et al. 2008, eq. 2).

    It is not symmetric: at each rank of `estimate` from the second on, it takes the share of the
    systems above that `truth` also ranks above. The mean of these shares, from 0 to 1, is scaled
    to [-1, 1]. The coefficient knows no ties, so equal scores are ranked by name, in both.
    Undefined for fewer than two names. Raises ValueError if the names differ.
    """
    _check_same_names(estimate, truth)
    if len(estimate) < 2:
        return Result(None, TOO_FEW)
    true_ranks = {name: rank for rank, name in enumerate(ranked(truth))}
    order = [true_ranks[name] for name in ranked(estimate)]
    shares = [
        sum(above < rank for above in order[:place]) / place
        for place, rank in enumerate(order)
        if place
    ]
    return Result(2 * math.fsum(shares) / len(shares) - 1)


def rbo(first: Scores, second: Scores, p: float = PERSISTENCE) -> Result:
    """Rank-biased overlap, from 0 to 1, extrapolated (RBO_EXT of Webber et al. 2010, eq. 32).

    `p`, between 0 and 1, is the probability that a reader goes on to the next rank. The
    rankings may differ in length and in names. Equal scores are ranked by name. Undefined for an
    empty ranking. Raises ValueError for a `p` outside (0, 1).
    """
    if not 0 < p < 1:
        raise ValueError(f"p must be between 0 and 1, got {p}")
    short, long = sorted((ranked(first), ranked(second)), key=len)
    if not short:
        return Result(None, EMPTY)
    near, far = len(short), len(long)  # s and l of the paper
    overlaps = _overlaps(short, long)  # its X_d
    agreements = [
        Fraction(shared, depth) + Fraction(overlaps[near - 1] * max(0, depth - near), near * depth)
        for depth, shared in enumerate(overlaps, start=1)
    ]
    # Beyond the longer ranking, the last agreement goes on: its weight is that of all that follow.
    weights = [(1 - p) * p**depth for depth in range(far - 1)] + [p ** (far - 1)]
    weighted = (
        weight * float(agreement) for weight, agreement in zip(weights, agreements, strict=True)
    )
    # The weights sum to 1 but for rounding. Divided by their sum, equal rankings have exactly 1.
    return Result(math.fsum(weighted) / math.fsum(weights))


def _overlaps(short: list[str], long: list[str]) -> list[int]:
    """At [d - 1], how many names are in the first d of both; `short` ends earlier."""
    overlaps: list[int] = []
    seen: set[str] = set()
    shared = 0
    for place, name in enumerate(long):
        for new in (name, *short[place : place + 1]):
            shared += new in seen  # A name that comes for the second time is in both.
            seen.add(new)
        overlaps.append(shared)
    return overlaps


def _check_same_names(first: Scores, second: Scores) -> None:
    different = sorted(first.keys() ^ second.keys())
    if different:
        raise ValueError(f"both rankings must have the same systems; only one has {different}")
    ranked(first)
    ranked(second)
