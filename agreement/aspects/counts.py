"""Count the pairs of each query by the aspects that their judges marked. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from adjudication.standing import LabelledPair, PairWithJudges

GradePairs = Counter[tuple[int, int]]  # the grades of slots 1 and 2


@dataclass
class QueryAspects:
    """The pairs of a query with two grades.

    `same` and `different` are the pairs that both judges marked, by whether they have an aspect in
    common. `disagreements` are all pairs with two different grades, marked or not. `numbers` counts
    the aspects of the disagreements about different ones.
    """

    query: str
    facet: str
    graded: int = 0
    disagreements: int = 0
    same: GradePairs = field(default_factory=Counter)
    different: GradePairs = field(default_factory=Counter)
    numbers: Counter[int] = field(default_factory=Counter)

    def add(self, pair: LabelledPair, first: Iterable[int], second: Iterable[int]) -> None:
        """Count a pair, and the aspects that its judges marked; none of a pair without grades."""
        if pair.first is None or pair.second is None:
            return
        self.graded += 1
        differ = pair.first != pair.second
        self.disagreements += differ
        one, other = set(first), set(second)
        if not one or not other:
            return
        if one & other:
            self.same[pair.first, pair.second] += 1
            return
        self.different[pair.first, pair.second] += 1
        if differ:
            self.numbers.update(one | other)


class AspectCounts:
    """The counts of a collection's queries, in the order in which they were read."""

    def __init__(self) -> None:
        self.queries: dict[str, QueryAspects] = {}

    def reading(self, rows: Iterable[PairWithJudges]) -> Iterator[PairWithJudges]:
        """The same pairs, while they are counted."""
        for row in rows:
            pair = row.pair
            if pair.judged:
                counts = self.queries.get(pair.query)
                if counts is None:
                    counts = self.queries[pair.query] = QueryAspects(pair.query, pair.facet)
                counts.add(pair, row.first_aspects, row.second_aspects)
            yield row


def disagreements(pairs: GradePairs) -> int:
    """The number of these pairs with two different grades."""
    return sum(number for (first, second), number in pairs.items() if first != second)
