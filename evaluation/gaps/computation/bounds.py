"""The lowest and the highest value of a measure, over all grades of some unjudged documents. Pure.

The *open* documents of a query are unjudged documents that could be judged: each can get any grade
from 0 to the highest. Every other unjudged document stays unjudged and counts as not relevant. A
bound is the value of a labelling, so it is exact. An open document can be in the list of a system
or elsewhere, such as in the list of another one. A relevant document elsewhere lowers a measure
that divides by all relevant documents or by an ideal ranking.

- P@k, R@k, RBP and nDCG are quotients of sums. The numerator adds a weight for every document from
  a grade on, and the denominator depends on the numbers of documents alone. For given numbers the
  numerator is largest if they are the documents with the largest weights. Dinkelbach's method
  (1967, "On nonlinear fractional programming") finds the best numbers. So it does for the
  difference between two systems, whose weights are differences (`difference_range`).
- AP: for a given number of relevant open documents in the list, its sum is largest if they are the
  first ones, and smallest if they are the last ones. All numbers are tried.
- Bpref: the same, for all numbers in the list and elsewhere. All open documents are judged, so one
  that is not relevant counts as such.
- R-precision: all numbers of relevant open documents are tried.
- RR, Success: only the first relevant document counts.

A query without a relevant document has no value. If a label can give it one, its bounds are over
the labellings that do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from ir_measures import parse_measure

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

FAMILIES = ("AP", "Bpref", "P", "R", "RBP", "RR", "Rprec", "Success", "nDCG")
ADDITIVE = ("P", "R", "RBP", "nDCG")  # the difference of two systems has exact bounds
PARAMETERS = {"cutoff", "rel", "p", "dcg"}
CLOSE = 1e-12  # Dinkelbach's method ends when a step changes the quotient by less


class UnboundedMeasure(ValueError):
    """A measure whose bounds are not known here."""

    def __init__(self, measure: str, families: Sequence[str] = FAMILIES) -> None:
        super().__init__(
            f'No bounds are known for "{measure}". Use {", ".join(families)}, with or without a '
            "cut-off."
        )


class BoundedMeasure(NamedTuple):
    """A measure by its family, cut-off (None: the whole list) and lowest relevant grade.

    `scored_from` is the lowest grade that gives a query a value.
    """

    family: str
    cutoff: int | None
    relevant_from: int
    scored_from: int
    persistence: float = 0.8
    is_exponential: bool = False

    @classmethod
    def of(cls, name: str, scored_from: int = 1) -> BoundedMeasure:
        """The measure of a name as ir-measures writes it. Raises UnboundedMeasure."""
        try:
            measure: Any = parse_measure(name)
        except (ValueError, NameError) as error:
            raise UnboundedMeasure(name) from error
        values = measure.params
        if measure.NAME not in FAMILIES or not values.keys() <= PARAMETERS:
            raise UnboundedMeasure(name)
        if measure.NAME == "nDCG" and "rel" in values:
            raise UnboundedMeasure(name)
        relevant_from = values.get("rel", 1)
        return cls(
            measure.NAME,
            values.get("cutoff"),
            relevant_from,
            max(relevant_from, scored_from),
            values.get("p", 0.8),
            values.get("dcg") == "exp-log2",
        )

    def weights(self, ranks: Ints) -> Floats:
        """The weight of a document at each rank, for an additive measure; 0 below the cut-off.

        Rank 0 is that of a document that is not in the list.
        """
        at = np.maximum(ranks, 1).astype(np.float64)
        if self.family == "nDCG":
            weights = 1 / np.log2(at + 1)
        elif self.family == "RBP":
            weights = (1 - self.persistence) * self.persistence ** (at - 1)
        else:
            weights = np.ones(len(at)) / (self.cutoff if self.family == "P" and self.cutoff else 1)
        return np.where(self.counts(ranks), weights, 0.0)

    def counts(self, ranks: Ints) -> npt.NDArray[np.bool_]:
        within = ranks > 0
        return within if self.cutoff is None else within & (ranks <= self.cutoff)

    def levels(self, top: int) -> list[tuple[int, float]]:
        """The grades that raise the gain of a document, each with how much it does."""
        if self.family != "nDCG":
            return [(self.relevant_from, 1.0)]
        gains = [2**grade - 1 if self.is_exponential else grade for grade in range(top + 1)]
        return [(grade, float(gains[grade] - gains[grade - 1])) for grade in range(1, top + 1)]


class OpenList(NamedTuple):
    """A system's list for a query.

    `rank` and `grade` are those of the judged documents of the list, best rank first. `open` has
    the rank of every open document of the query; 0 for one that is not in the list. Ranks count
    from 1.
    """

    rank: Ints
    grade: Ints
    open: Ints


class QueryLabels(NamedTuple):
    """The grades of all judged documents of a query, and the highest grade that others can get."""

    judged: Ints
    highest: int

    def has_value(self, measure: BoundedMeasure) -> bool:
        return bool((self.judged >= measure.scored_from).any())


class ScoreRange(NamedTuple):
    """The lowest and the highest value. `is_certain`: the query has a value with every labelling.

    `value` is that with the present labels, in which open documents have none. By Bpref, which
    ignores documents without a label, it can be outside the bounds. It is 0 if it is not certain.
    """

    low: float
    value: float
    high: float
    is_certain: bool = True


def score_range(measure: BoundedMeasure, labels: QueryLabels, view: OpenList) -> ScoreRange | None:
    """The bounds of a system's value on a query; None if no labelling gives the query a value."""
    is_certain = labels.has_value(measure)
    if not is_certain and (not len(view.open) or labels.highest < measure.scored_from):
        return None
    if measure.family in ADDITIVE:
        return _additive(measure, labels, [(1.0, view)])
    bounds = _OTHERS[measure.family]
    value = bounds(measure, labels, view._replace(open=view.open[:0]))[0] if is_certain else 0.0
    low, high = bounds(measure, labels, view) if len(view.open) else (value, value)
    return ScoreRange(low, value, high, is_certain)


def difference_range(
    measure: BoundedMeasure, labels: QueryLabels, first: OpenList, second: OpenList
) -> ScoreRange | None:
    """The bounds of the first system's value minus the second's, with the same labels for both.

    Exact for the families in `ADDITIVE`. For the others, each system has its own worst labelling,
    so the bounds are at most too far apart.
    """
    if measure.family in ADDITIVE:
        is_certain = labels.has_value(measure)
        if not is_certain and (not len(first.open) or labels.highest < measure.scored_from):
            return None
        return _additive(measure, labels, [(1.0, first), (-1.0, second)])
    left, right = (score_range(measure, labels, view) for view in (first, second))
    if left is None or right is None:
        return None
    if not len(first.open):
        difference = left.value - right.value
        return ScoreRange(difference, difference, difference)
    return ScoreRange(
        left.low - right.high, left.value - right.value, left.high - right.low, left.is_certain
    )


def share_with_elsewhere(measure: BoundedMeasure, labels: QueryLabels, number: int) -> float | None:
    """The lowest value as a share of the present one, for lists without any open document.

    `number` open documents are elsewhere. It is the same for all such lists. None for the families
    of which the share depends on the list; those only have `score_range`.
    """
    if measure.family in ("P", "RBP", "RR", "Success") or not labels.has_value(measure):
        return 1.0
    if measure.family in ("AP", "R"):
        known = int((labels.judged >= measure.relevant_from).sum())
        return known / (known + number)
    if measure.family != "nDCG":
        return None
    now = most = 0.0
    for grade, step in measure.levels(max(labels.highest, int(labels.judged.max(initial=0)))):
        more = number if grade <= labels.highest else 0
        divisors = _divisors(measure, int((labels.judged >= grade).sum()), more + 1)
        now, most = now + step * divisors[0], most + step * divisors[-1]
    return float(now / most)


def _additive(
    measure: BoundedMeasure, labels: QueryLabels, views: Sequence[tuple[float, OpenList]]
) -> ScoreRange:
    """The bounds of a sum of lists, each with its sign."""
    weights = np.sort(sum(sign * measure.weights(view.open) for sign, view in views))
    by_rank = [
        (view.grade, sign * measure.weights(view.rank)) for sign, view in views if len(view.rank)
    ]
    rising = np.concatenate([[0.0], np.cumsum(weights)])
    falling = np.concatenate([[0.0], np.cumsum(weights[::-1])])
    is_certain = labels.has_value(measure)
    lowest, highest, below = [], [], []
    for grade, step in measure.levels(max(labels.highest, int(labels.judged.max(initial=0)))):
        # No open document has a grade above the highest of the collection.
        most = len(rising) if grade <= labels.highest else 1
        known = sum(float(weight[grades >= grade].sum()) for grades, weight in by_rank)
        lowest.append(-step * (known + rising[:most]))
        highest.append(step * (known + falling[:most]))
        below.append(step * _divisors(measure, int((labels.judged >= grade).sum()), most))
        if not is_certain and grade <= measure.scored_from:
            lowest[-1][0] = highest[-1][0] = -np.inf
    value = 0.0
    if is_certain:
        value = float(sum(row[0] for row in highest) / sum(row[0] for row in below))
    low = 0.0 - _largest_quotient(lowest, below)
    return ScoreRange(low, value, _largest_quotient(highest, below), is_certain)


def _divisors(measure: BoundedMeasure, judged: int, numbers: int) -> Floats:
    """The divisors of the sum of weights, for 0, 1, … open documents from a grade on."""
    if measure.family in ("P", "RBP"):
        return np.ones(numbers)
    if measure.family == "R":
        return np.arange(judged, judged + numbers, dtype=np.float64)
    ideal = 1 / np.log2(np.arange(2, judged + numbers + 1, dtype=np.float64))
    if measure.cutoff is not None:
        ideal[measure.cutoff :] = 0.0
    return np.concatenate([[0.0], np.cumsum(ideal)])[judged:]


def _largest_quotient(numerators: Sequence[Floats], denominators: Sequence[Floats]) -> float:
    """max Σ numerators[l][n_l] / Σ denominators[l][n_l] over n_1 >= n_2 >= …

    A numerator can be negative; -inf is a number that is not allowed. The sum of the denominators
    is above 0 for all numbers that are allowed.
    """
    if len(numerators) == 1:
        above, below = numerators[0], denominators[0]
        allowed = above > -np.inf
        return float((above[allowed] / below[allowed]).max())
    quotient = -np.inf
    rows = numerators
    while True:
        places = _best_places(rows)
        above = sum(row[place] for row, place in zip(numerators, places, strict=True))
        below = sum(row[place] for row, place in zip(denominators, places, strict=True))
        if above / below <= quotient + CLOSE:
            return quotient
        quotient = float(above / below)
        rows = [
            above - quotient * below for above, below in zip(numerators, denominators, strict=True)
        ]


def _best_places(rows: Sequence[Floats]) -> list[int]:
    """The places n_1 >= n_2 >= … with the largest sum of rows[l][n_l]; the first of equal ones."""
    best_until: list[Ints] = []  # by row from the last: the best place up to n
    above = np.zeros(1)
    for row in reversed(rows):
        total = row + above[np.minimum(np.arange(len(row)), len(above) - 1)]
        best = np.maximum.accumulate(total)
        is_new = np.concatenate([[True], total[1:] > best[:-1]])
        best_until.append(np.maximum.accumulate(np.where(is_new, np.arange(len(row)), 0)))
        above = best
    places: list[int] = []
    limit = len(rows[0]) - 1
    for best_places in reversed(best_until):
        limit = int(best_places[min(limit, len(best_places) - 1)])
        places.append(limit)
    return places


Bounds = tuple[float, float]


def _average_precision(measure: BoundedMeasure, labels: QueryLabels, view: OpenList) -> Bounds:
    """To make a document relevant adds its own precision, and 1/s for each relevant rank s below.

    For the highest value the documents become relevant from the top down, and for the lowest from
    the bottom up.
    """
    places = _open_places(measure, view)
    found = view.rank[measure.counts(view.rank) & (view.grade >= measure.relevant_from)]
    standard = float((np.arange(1, len(found) + 1) / found).sum())
    above = np.searchsorted(found, places)
    inverses = np.concatenate([np.cumsum((1 / found)[::-1])[::-1], [0.0]])
    made = np.arange(1, len(places) + 1)
    from_top = (above + made) / places + inverses[above]
    upwards = (1 / places)[::-1]
    from_bottom = ((above + 1) / places + inverses[above])[::-1] + np.cumsum(upwards) - upwards
    known = int((labels.judged >= measure.relevant_from).sum())
    elsewhere = len(view.open) - len(places)
    numbers = np.arange(len(places) + 1)
    low = _quotients(standard, from_bottom, known + numbers + elsewhere).min(initial=np.inf)
    high = _quotients(standard, from_top, known + numbers).max(initial=0.0)
    return float(low), float(high)


def _quotients(standard: float, gains: Floats, sizes: Ints) -> Floats:
    """Without those by 0, which are of a query without a value."""
    sums = standard + np.concatenate([[0.0], np.cumsum(gains)])
    quotients: Floats = sums[sizes > 0] / sizes[sizes > 0]
    return quotients


def _first_relevant(measure: BoundedMeasure, labels: QueryLabels, view: OpenList) -> Bounds:
    """Of RR and Success: the value of the first relevant rank."""
    places = _open_places(measure, view)
    found = view.rank[measure.counts(view.rank) & (view.grade >= measure.relevant_from)]

    def value(ranks: Ints) -> float:
        if not len(ranks):
            return 0.0
        return 1.0 if measure.family == "Success" else 1 / int(ranks.min())

    all_in_list = len(places) == len(view.open)
    lowest = places[-1:] if all_in_list and not labels.has_value(measure) else found
    return value(lowest), value(np.concatenate([found, places]))


def _r_precision(measure: BoundedMeasure, labels: QueryLabels, view: OpenList) -> Bounds:
    """Relevant open documents stand above rank R as often as possible, or as rarely."""
    found = view.rank[view.grade >= measure.relevant_from]
    places = np.sort(view.open[view.open > 0])
    known = int((labels.judged >= measure.relevant_from).sum())
    number = len(view.open)
    relevant = np.arange(0 if labels.has_value(measure) else 1, number + 1)
    size = known + relevant
    hits = np.searchsorted(found, size, side="right")
    within = np.searchsorted(places, size, side="right")
    low = (hits + np.maximum(0, relevant - (number - within))) / size
    high = (hits + np.minimum(relevant, within)) / size
    return float(low.min()), float(high.max())


def _bpref(measure: BoundedMeasure, labels: QueryLabels, view: OpenList) -> Bounds:
    """All open documents are judged, so one that is not relevant counts against those below it."""
    least = measure.relevant_from
    places = np.sort(view.open[view.open > 0])
    elsewhere = len(view.open) - len(places)
    known = int((labels.judged >= least).sum())
    judged = int((labels.judged >= 0).sum()) + len(view.open)
    low, high = np.inf, 0.0
    for number in range(len(places) + 1):
        sizes = known + number + np.arange(elsewhere + 1)
        sizes = sizes[sizes > 0]
        if not len(sizes):
            continue
        for is_first in (True, False):
            made = np.zeros(len(places), dtype=bool)
            made[: number if is_first else 0] = True
            made[len(places) - (0 if is_first else number) :] = True
            values = _bpref_values(view, places, made, least, sizes, judged)
            low, high = min(low, values.min()), max(high, values.max())
    return float(low), float(high)


def _bpref_values(
    view: OpenList,
    places: Ints,
    made: npt.NDArray[np.bool_],
    least: int,
    sizes: Ints,
    judged: int,
) -> Floats:
    """By the number of relevant documents. `made`: the open documents that are relevant."""
    relevant = np.concatenate([view.rank[view.grade >= least], places[made]])
    others = np.sort(
        np.concatenate([view.rank[(view.grade >= 0) & (view.grade < least)], places[~made]])
    )
    above = np.searchsorted(others, relevant)[:, None]
    bound = np.maximum(np.minimum(sizes, judged - sizes), 1)
    values: Floats = (1 - np.minimum(above, sizes) / bound).sum(axis=0) / sizes
    return values


def _open_places(measure: BoundedMeasure, view: OpenList) -> Ints:
    """The ranks of the open documents that the measure counts, the first rank first."""
    return np.sort(view.open[measure.counts(view.open)])


_OTHERS = {
    "AP": _average_precision,
    "Bpref": _bpref,
    "RR": _first_relevant,
    "Rprec": _r_precision,
    "Success": _first_relevant,
}
