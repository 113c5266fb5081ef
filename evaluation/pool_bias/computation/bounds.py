"""Upper bounds of a measure, whatever the grades of the unjudged documents are. Pure.

The lower bound of every measure here is its standard value, for which an unjudged document is not
relevant. The upper bound is the largest value that any grades of the unjudged documents of the list
give. It is exact, not an estimate:

- P@k, R@k: every unjudged document in the first k is relevant. For R@k they count as found and as
  to be found; (a + 1)/(R + 1) is never below a/R.
- RBP: every unjudged document is relevant. The difference from the standard value is the residual
  of Moffat & Zobel (2008, "Rank-biased precision for measurement of retrieval effectiveness",
  section 3.4), limited to the documents of the list: what stands below its end was not returned.
- AP@k: every further relevant document adds to the sum and to the number R that the sum is divided
  by, so that the largest value is not always at "all are relevant". For a given number m of
  relevant ones, the sum is largest if they are the first m unjudged ones, so that all m are tried.
- nDCG@k: a higher grade raises the DCG and the ideal DCG. The largest quotient is found by
  Dinkelbach's method (1967, "On nonlinear fractional programming"); see `_ndcg`.

The value of the condensed list is not between the bounds: without its unjudged documents a list is
another list, and its relevant documents stand higher.

Unjudged documents that are not in the list, or below the cut-off, can only lower a value. They
count as not relevant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from ir_measures import parse_measure

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Labels = Mapping[str, int]
UNJUDGED = -1

FAMILIES = ("P", "R", "AP", "nDCG", "RBP")
CLOSE = 1e-12  # Dinkelbach's method ends when a step changes the quotient by less


class UnboundedMeasure(ValueError):
    """A measure of which no upper bound is known here."""

    def __init__(self, measure: str) -> None:
        super().__init__(
            f'No upper bound is defined for "{measure}". Use {", ".join(FAMILIES)}, with or '
            "without a cut-off."
        )


class BoundedMeasure(NamedTuple):
    """A measure by its family, cut-off (None: the whole list) and lowest relevant grade."""

    family: str
    cutoff: int | None
    relevant_from: int
    persistence: float = 0.8
    exponential: bool = False

    @classmethod
    def of(cls, name: str) -> BoundedMeasure:
        """The measure of a name as ir-measures writes it. Raises UnboundedMeasure."""
        try:
            measure: Any = parse_measure(name)
        except (ValueError, NameError) as error:
            raise UnboundedMeasure(name) from error
        values = measure.params
        known = {"cutoff", "rel", "p", "dcg"}
        if measure.NAME not in FAMILIES or not values.keys() <= known:
            raise UnboundedMeasure(name)
        return cls(
            family=measure.NAME,
            cutoff=values.get("cutoff"),
            relevant_from=values.get("rel", 1),
            persistence=values.get("p", 0.8),
            exponential=values.get("dcg") == "exp-log2",
        )


def grades_in_list(docnos: Sequence[str], labels: Labels) -> Ints:
    """The grade of each document of a list, best first; UNJUDGED for one without a label."""
    return np.array([labels.get(docno, UNJUDGED) for docno in docnos], dtype=np.int64)


def upper_bound(measure: BoundedMeasure, listed: Ints, judged: Ints, highest: int) -> float:
    """The largest value that any grades from 0 to `highest` of the unjudged documents give.

    `listed` are the grades of a query's list, as `grades_in_list` gives them. `judged` are the
    grades of all documents that were judged for the query.
    """
    grades = listed[: measure.cutoff]
    if measure.family == "nDCG":
        return _ndcg(measure, grades, judged, highest)
    can_be = np.where(grades < 0, highest, grades) >= measure.relevant_from
    relevant = grades >= measure.relevant_from
    known = int((judged >= measure.relevant_from).sum())
    if measure.family == "P":
        return float(can_be.sum()) / (measure.cutoff or max(1, len(listed)))
    if measure.family == "RBP":
        p = measure.persistence
        weights = (1 - p) * p ** np.arange(len(grades), dtype=np.float64)
        return float(weights[can_be].sum())
    unknown = can_be & ~relevant
    if measure.family == "R":
        all_relevant = known + int(unknown.sum())
        return float(can_be.sum()) / all_relevant if all_relevant else 0.0
    return _average_precision(relevant, unknown, known)


def _average_precision(
    relevant: npt.NDArray[np.bool_], unknown: npt.NDArray[np.bool_], known: int
) -> float:
    """The largest AP over the number of unjudged documents that are relevant.

    To make the m-th unjudged document relevant, at rank r, adds its own precision, and 1/s for
    every relevant document at a rank s below it: those are all judged, because the unjudged ones
    become relevant from the top down.
    """
    ranks = np.arange(1, len(relevant) + 1, dtype=np.float64)
    above = np.cumsum(relevant)
    standard = float((above[relevant] / ranks[relevant]).sum())
    places = np.flatnonzero(unknown)
    inverses = np.where(relevant, 1 / ranks, 0.0)
    below = inverses.sum() - np.cumsum(inverses)
    made = np.arange(1, len(places) + 1)
    gains = (above[places] + made) / ranks[places] + below[places]
    sums = np.concatenate([[standard], standard + np.cumsum(gains)])
    sizes = known + np.arange(len(places) + 1)
    return float(np.max(np.divide(sums, sizes, out=np.zeros(len(sums)), where=sizes > 0)))


def _ndcg(measure: BoundedMeasure, grades: Ints, judged: Ints, highest: int) -> float:
    """The largest nDCG over all grades of the unjudged documents.

    With a step for each grade l from 1 on, whose height is gain(l) - gain(l - 1), both the DCG and
    the ideal DCG are sums over l, and a summand depends only on N(l), the number of unjudged
    documents with a grade of at least l. The DCG is largest if these are the first N(l) of the
    list. So the quotient is largest over N(1) >= N(2) >= … >= 0, and Dinkelbach's method turns it
    into sums, of which the largest is found grade by grade.
    """
    discounts = 1 / np.log2(np.arange(2, len(grades) + 2, dtype=np.float64))
    unjudged = np.concatenate([[0.0], np.cumsum(discounts[grades < 0])])
    top = max(highest, int(judged.max(initial=0)))
    most = len(judged) + len(unjudged)
    ideal_size = most if measure.cutoff is None else min(measure.cutoff, most)
    ideal = np.cumsum(1 / np.log2(np.arange(2, ideal_size + 2, dtype=np.float64)))
    # ideal_sum[c]: the discounts of the first c ranks, up to the cut-off.
    ideal_sum = np.concatenate([[0.0], ideal, np.full(most - ideal_size, ideal[-1])])
    numerators, denominators = [], []
    for grade in range(1, top + 1):
        step = _gain(grade, measure) - _gain(grade - 1, measure)
        # Above the highest grade of the collection, no unjudged document counts.
        counts = np.arange(len(unjudged)) if grade <= highest else np.zeros(1, dtype=np.int64)
        numerators.append(step * (discounts[grades >= grade].sum() + unjudged[counts]))
        denominators.append(step * ideal_sum[(judged >= grade).sum() + counts])
    return _largest_quotient(numerators, denominators)


def _gain(grade: int, measure: BoundedMeasure) -> float:
    return float(2**grade - 1) if measure.exponential else float(grade)


def _largest_quotient(numerators: Sequence[Floats], denominators: Sequence[Floats]) -> float:
    """max Σ numerators[l][n_l] / Σ denominators[l][n_l] over n_1 >= n_2 >= …; 0 if undefined."""
    quotient = 0.0
    while True:
        places = _best_places(
            [
                above - quotient * below
                for above, below in zip(numerators, denominators, strict=True)
            ]
        )
        above = sum(row[place] for row, place in zip(numerators, places, strict=True))
        below = sum(row[place] for row, place in zip(denominators, places, strict=True))
        if not below:
            return quotient
        if above / below <= quotient + CLOSE:
            return quotient
        quotient = float(above / below)


def _best_places(rows: Sequence[Floats]) -> list[int]:
    """The places n_1 >= n_2 >= … with the largest sum of rows[l][n_l]; the first of equal ones."""
    best_until: list[npt.NDArray[np.int64]] = []  # by row from the last: the best place up to n
    above = np.zeros(1)
    for row in reversed(rows):
        total = row + above[np.minimum(np.arange(len(row)), len(above) - 1)]
        best = np.maximum.accumulate(total)
        is_new = np.concatenate([[True], total[1:] > best[:-1]])
        best_until.append(np.maximum.accumulate(np.where(is_new, np.arange(len(row)), 0)))
        above = best
    places: list[int] = []
    limit = len(rows[0]) - 1 if rows else 0
    for best_places in reversed(best_until):
        limit = int(best_places[min(limit, len(best_places) - 1)])
        places.append(limit)
    return places
