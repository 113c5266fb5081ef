"""Conclusions from the judged part of a query about the rest. Pure.

Each annotator judges a query's candidates in a random order of their own. So the candidates that
both have been shown are a simple random sample of the pool, and everything here follows from that:
no rank, score or source takes part. `seen` candidates have `relevant` relevant ones among them, and
`left` are still to be shown to both.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from web.lazy import special

Array = npt.NDArray[np.float64]

NEXT = 10  # candidates that the advice is about
SURE = 0.95  # the probability from which on the advice is to stop
FEWEST_SEEN = 10  # candidates of the query
FEWEST_QUERIES = 10  # of the facet, with candidates that both judges have seen

# The grid of the prior: the mean share of relevant candidates, and how alike the queries are.
SHARES = 1 / (1 + np.exp(-np.linspace(-7, 2, 37)))
LIKENESS = np.geomspace(0.5, 200, 16)
ALPHA = (SHARES[:, None] * LIKENESS).ravel()
BETA = ((1 - SHARES)[:, None] * LIKENESS).ravel()


class QueryOutlook(NamedTuple):
    """Expectations of the candidates left.

    `nothing` is the probability that the next NEXT of them, or all if fewer are left, hold no
    relevant one. `expected` are relevant, with 95 % probability from `low` to `high`. At most
    `at_most` are relevant by a bound that needs no prior.
    """

    nothing: float
    expected: float
    low: int
    high: int
    at_most: int

    @property
    def says_stop(self) -> bool:
        return self.nothing >= SURE


def evidence(seen: int, relevant: int) -> Array:
    """The log-likelihood of a query's sample at each point of the grid.

    The share of relevant candidates varies between queries as a beta distribution, so their number
    in a sample is beta-binomial (Skellam 1948).
    """
    likelihood: Array = special.betaln(ALPHA + relevant, BETA + seen - relevant) - _log_beta()
    return likelihood


@cache
def _log_beta() -> Array:  # computed when it is first used, because scipy is imported then
    logs: Array = special.betaln(ALPHA, BETA)
    return logs


def evidence_of(samples: Iterable[tuple[int, int]]) -> Array:
    """The sum over queries, each as (seen, relevant). All points of the grid are alike before."""
    return sum((evidence(*sample) for sample in samples), np.zeros(len(ALPHA)))


def chance_of_nothing(prior: Array, seen: int, relevant: int, among: int) -> float:
    """The probability that `among` more candidates hold no relevant one.

    `prior` is the evidence of the other queries. If the share varies between queries as the grid
    allows, this is the probability given everything seen. So the tower property holds at any time
    of stopping: of queries that stop when it first reaches 95 %, at least 95 % hold nothing in the
    next candidates, however often the admin looks.
    """
    after = special.betaln(ALPHA + relevant, BETA + seen - relevant + among)
    return float(np.exp(after + _log_weights(prior, seen, relevant)).sum())


def outlook(prior: Array, seen: int, relevant: int, left: int) -> QueryOutlook:
    """The outlook for a query. Raises ValueError for counts that no sample can have."""
    if not 0 <= relevant <= seen or left < 0:
        raise ValueError(f"{relevant} of {seen} are relevant and {left} left: no sample has these")
    chances = chances_of_left(prior, seen, relevant, left)
    below = np.cumsum(chances)
    return QueryOutlook(
        chance_of_nothing(prior, seen, relevant, min(NEXT, left)),
        float(chances @ np.arange(left + 1)),
        int(np.searchsorted(below, 0.025)),
        min(left, int(np.searchsorted(below, 0.975))),
        most_left(seen, relevant, left),
    )


def chances_of_left(prior: Array, seen: int, relevant: int, left: int) -> Array:
    """The probabilities that 0, 1, … and all of the `left` candidates are relevant."""
    numbers = np.arange(left + 1)
    alpha, beta = ALPHA[:, None] + relevant, BETA[:, None] + seen - relevant
    after = special.betaln(alpha + numbers, beta + left - numbers)
    weights = _log_weights(prior, seen, relevant)[:, None]
    chances: Array = np.exp(_log_choices(left) + after + weights).sum(axis=0)
    return chances


def _log_weights(prior: Array, seen: int, relevant: int) -> Array:
    """The posterior weight of each point of the grid, over B of its posterior beta distribution.

    With B of the beta distribution after more candidates, it is the chance of these.
    """
    before: Array = special.betaln(ALPHA + relevant, BETA + seen - relevant)
    logs = prior + before - _log_beta()
    top = logs.max()
    weights: Array = logs - top - math.log(np.exp(logs - top).sum()) - before
    return weights


def most_left(seen: int, relevant: int, left: int) -> int:
    """The largest number of relevant candidates left that the sample does not exclude.

    With a probability of at least 95 % the true number is never excluded, at no time of judging and
    whatever the pool is like. A number R in a pool of N is excluded if the sample is less than 0.05
    times as likely under R as under a uniform choice of R, which is 1 / (seen + 1). That ratio is a
    martingale of mean 1 while candidates are shown in random order, so Ville's inequality gives
    the bound (Waudby-Smith and Ramdas 2020, "Confidence sequences for sampling without
    replacement").
    """
    total = seen + left
    relevant_in_pool = relevant + np.arange(left + 1)
    others = total - relevant_in_pool
    logs = (
        special.gammaln(relevant_in_pool + 1) - special.gammaln(relevant_in_pool - relevant + 1)
    ) + (special.gammaln(others + 1) - special.gammaln(others - (seen - relevant) + 1))
    logs += _log_choice(seen, relevant) - (math.lgamma(total + 1) - math.lgamma(left + 1))
    allowed = np.flatnonzero(logs >= math.log((1 - SURE) / (seen + 1)))
    return int(allowed[-1])


def _log_choice(total: int, part: int) -> float:
    return math.lgamma(total + 1) - math.lgamma(part + 1) - math.lgamma(total - part + 1)


@cache
def _log_choices(total: int) -> Array:
    return np.array([_log_choice(total, part) for part in range(total + 1)])


def reason_against(*, queries: int, seen: int) -> str:
    """The reason why nothing can be said; "" if enough is judged."""
    if seen < FEWEST_SEEN:
        return f"fewer than {FEWEST_SEEN} pairs that both judged"
    if queries < FEWEST_QUERIES:
        return f"fewer than {FEWEST_QUERIES} queries with pairs that both judged"
    return ""
