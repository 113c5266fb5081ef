"""The choice of pairs for a training set: spread over the grades. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from corpus.ordering import order_key

PairKey = tuple[str, str]  # query and docno


def spread_over_grades(
    pairs: Iterable[tuple[PairKey, int]], number: int, *, seed: str
) -> list[PairKey]:
    """As many pairs as `number`, as equally of each grade as there are; all, if not more.

    Low grades are most pairs of a pool, and a person who gives nothing else would agree with most.
    """
    of_grade: dict[int, list[PairKey]] = defaultdict(list)
    for pair, grade in pairs:
        of_grade[grade].append(pair)
    for grade in of_grade:
        of_grade[grade].sort(key=lambda pair: (order_key(seed, "training", *pair), pair))
    # The highest grade first, because it is the rarest.
    grades = sorted(of_grade, reverse=True)
    chosen: list[PairKey] = []
    while len(chosen) < number and any(of_grade.values()):
        for grade in grades:
            if of_grade[grade] and len(chosen) < number:
                chosen.append(of_grade[grade].pop(0))
    return chosen
