"""The advice to stop, for each query in judging. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from planning.yields.pairs import PairTable
from planning.yields.stopping import (
    NEXT,
    QueryOutlook,
    evidence,
    evidence_of,
    outlook,
    reason_against,
)
from web.words import count_noun


class QueryAdvice(NamedTuple):
    """The outlook of a query in judging; without one, `reason` says why nothing can be said.

    Both judges were shown `seen` candidates, of which `relevant` count as relevant, and `left` are
    still to be shown to both. They take `hours` of both judges.
    """

    query: str
    seen: int
    relevant: int
    left: int
    hours: float
    outlook: QueryOutlook | None
    reason: str = ""

    @property
    def says_stop(self) -> bool:
        return self.outlook is not None and self.outlook.says_stop

    @property
    def chance(self) -> str:
        """The probability that the next candidates hold nothing, in words."""
        return "cannot be said" if self.outlook is None else chance_text(self.outlook.nothing)

    @property
    def next(self) -> int:
        return min(NEXT, self.left)

    @property
    def sentence(self) -> str:
        """The advice in words."""
        if self.outlook is None:
            return f"Cannot be said: {self.reason}."
        candidates = "candidate" if self.next == 1 else f"{self.next} candidates"
        words = f"The next {candidates} will hold nothing relevant with probability {self.chance}."
        return f"Consider stopping. {words}" if self.says_stop else f"Continue. {words}"

    @property
    def expectation(self) -> str:
        """The number of relevant ones left, in words; "" if it cannot be said."""
        if self.outlook is None:
            return ""
        _, expected, low, high, at_most = self.outlook
        left = count_noun(self.left, "candidate")
        return (
            f"Of {left} left, {expected:.1f} are expected to be relevant ({low} to {high} with "
            f"95 % probability; at most {at_most} whatever the other queries are like)."
        )


def chance_text(chance: float) -> str:
    """In percent, and never rounded up to what it does not reach."""
    return f"{int(1000 * chance + 1e-9) / 10:.1f} %"


def advice_of(
    table: PairTable, without_order: Mapping[str, str] = MappingProxyType({})
) -> list[QueryAdvice]:
    """The advice for every query that was begun and is not finished, in the order of the table.

    The other queries of its facet tell how shares of relevant candidates vary. A candidate that
    waits for its decision, was postponed or opened again may count as relevant, so that the advice
    errs towards judging on. The queries of `without_order` have none, for the reason given there,
    and until they are finished they tell nothing of others.
    """
    size = table.sums(np.ones(len(table.query))).astype(int)
    seen = table.sums(table.seen).astype(int)
    relevant = table.sums(table.relevant_or_maybe).astype(int)
    judged = table.sums(table.judged)
    unordered = np.array([name in without_order for name in table.queries], dtype=np.bool_)
    telling = (seen > 0) & (~unordered | (judged == size))
    advice = []
    for facet in range(len(table.facets)):
        others = np.flatnonzero(telling & (table.facet_of_query == facet))
        prior = evidence_of((seen[query], relevant[query]) for query in others)
        of_facet = table.facet_of_query == facet
        for query in np.flatnonzero(of_facet & (seen > 0) & (seen < size)).tolist():
            sample = int(seen[query]), int(relevant[query])
            number = len(others) - bool(telling[query])
            reason = without_order.get(table.queries[query], "")
            reason = reason or reason_against(queries=number, seen=sample[0])
            left = int(size[query] - seen[query])
            chances = None
            if not reason:
                chances = outlook(prior - evidence(*sample), *sample, left)
            hours = left * 2 * table.seconds_a_judgment / 3600
            advice.append(QueryAdvice(table.queries[query], *sample, left, hours, chances, reason))
    return advice
