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
- Bpref: the same; the best numbers elsewhere are found by the shape of the measure. All open
  documents are judged, so one that is not relevant counts as such.
- R-precision: all numbers of relevant open documents are tried.
- RR, Success: only the first relevant document counts.

The lists of many systems for a query are computed together, because they share its labels.

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
Flags = npt.NDArray[np.bool_]

FAMILIES = ("AP", "Bpref", "P", "R", "RBP", "RR", "Rprec", "Success", "nDCG")
ADDITIVE = ("P", "R", "RBP", "nDCG")  # the difference of two systems has exact bounds
PARAMETERS = {"cutoff", "rel", "p", "dcg"}
NOT_OPEN = -1  # in place of a rank
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
        at = np.arange(1, max(int(ranks.max(initial=0)), 1) + 1)
        weights: npt.NDArray[Any]
        if self.family == "nDCG":
            weights = 1 / np.log2(at + 1)
        elif self.family == "RBP":
            weights = (1 - self.persistence) * self.persistence ** (at - 1.0)
        else:
            weights = np.ones(len(at)) / (self.cutoff if self.family == "P" and self.cutoff else 1)
        by_rank = np.concatenate([[0.0], np.where(self.counts(at), weights, 0.0)])
        found: Floats = by_rank[np.maximum(ranks, 0)]
        return found

    def counts(self, ranks: Ints) -> Flags:
        within = ranks > 0
        return within if self.cutoff is None else within & (ranks <= self.cutoff)

    def levels(self, top: int) -> list[tuple[int, float]]:
        """The grades that raise the gain of a document, each with how much it does."""
        if self.family != "nDCG":
            return [(self.relevant_from, 1.0)]
        gains = [2**grade - 1 if self.is_exponential else grade for grade in range(top + 1)]
        return [(grade, float(gains[grade] - gains[grade - 1])) for grade in range(1, top + 1)]


class QueryLabels(NamedTuple):
    """The grades of all judged documents of a query, and the highest grade that others can get."""

    judged: Ints
    highest: int

    def has_value(self, measure: BoundedMeasure) -> bool:
        return bool((self.judged >= measure.scored_from).any())


class OpenLists(NamedTuple):
    """The lists of systems for a query, one in a row.

    `judged` (lists, judged documents) has the rank of each document of `QueryLabels.judged`, and
    `open` (lists, open documents) that of each open document; 0 for one that is not in the list.
    Ranks count from 1. NOT_OPEN fills the rows of lists for which fewer documents are open.
    """

    judged: Ints
    open: Ints

    def of(self, rows: Ints | slice) -> OpenLists:
        return OpenLists(self.judged[rows], self.open[rows])

    @property
    def opened(self) -> Ints:
        """The number of open documents of each list."""
        numbers: Ints = (self.open != NOT_OPEN).sum(axis=1)
        return numbers

    @property
    def longest(self) -> int:
        return int(max(self.judged.max(initial=1), self.open.max(initial=1)))


class ScoreRange(NamedTuple):
    """The lowest and the highest value. `is_certain`: the query has a value with every labelling.

    `value` is that with the present labels, in which open documents have none. By Bpref, which
    ignores documents without a label, it can be outside the bounds. It is 0 if it is not certain.
    """

    low: float
    value: float
    high: float
    is_certain: bool = True

    @classmethod
    def of(cls, row: Floats) -> ScoreRange | None:
        """A row of `score_ranges`."""
        low, value, high, is_certain = row.tolist()
        return None if np.isnan(low) else cls(low, value, high, bool(is_certain))


def score_range(measure: BoundedMeasure, labels: QueryLabels, one: OpenLists) -> ScoreRange | None:
    """As `score_ranges`, for a single list."""
    return ScoreRange.of(score_ranges(measure, labels, one)[0])


def score_ranges(measure: BoundedMeasure, labels: QueryLabels, lists: OpenLists) -> Floats:
    """The bounds of each list's value on a query: (lists, 4), in the order of `ScoreRange`.

    A row is nan if no labelling gives the query a value.
    """
    if measure.family in ADDITIVE:
        return _additive(measure, labels, [(1.0, lists)])
    opened, is_certain = lists.opened, labels.has_value(measure)
    value = np.zeros(len(opened))
    if is_certain:
        value = _OTHERS[measure.family](measure, labels, lists._replace(open=lists.open[:, :0]))[0]
    low, high = _OTHERS[measure.family](measure, labels, lists)
    is_open = opened > 0
    return _rows(
        measure,
        labels,
        opened,
        np.where(is_open, low, value),
        value,
        np.where(is_open, high, value),
    )


def difference_ranges(
    measure: BoundedMeasure, labels: QueryLabels, first: OpenLists, second: OpenLists
) -> Floats:
    """The bounds of each first list's value minus the second's, with the same labels for both.

    Exact for the families in `ADDITIVE`. For the others, each system has its own worst labelling,
    so the bounds are at most too far apart. Rows as those of `score_ranges`. The same documents are
    open for both lists.
    """
    if measure.family in ADDITIVE:
        return _additive(measure, labels, [(1.0, first), (-1.0, second)])
    left, right = (score_ranges(measure, labels, lists) for lists in (first, second))
    found: Floats = left - right[:, [2, 1, 0, 3]]
    is_closed = first.opened == 0
    found[is_closed] = found[is_closed][:, [1, 1, 1, 3]]
    found[:, 3] = left[:, 3]
    return found


def _rows(measure: BoundedMeasure, labels: QueryLabels, opened: Ints, *bounds: Floats) -> Floats:
    """The low bounds, values and high bounds of lists as rows."""
    is_certain = labels.has_value(measure)
    rows = np.stack([*bounds, np.full(len(opened), float(is_certain))], axis=1)
    if not is_certain:
        rows[(opened == 0) | (labels.highest < measure.scored_from)] = np.nan
    return rows


def _additive(
    measure: BoundedMeasure, labels: QueryLabels, views: Sequence[tuple[float, OpenLists]]
) -> Floats:
    """The bounds of a sum of lists, each with its sign."""
    is_open = views[0][1].open != NOT_OPEN
    weights = sum(sign * measure.weights(lists.open) for sign, lists in views)
    by_rank = sum(sign * measure.weights(lists.judged) for sign, lists in views)
    levels = measure.levels(max(labels.highest, int(labels.judged.max(initial=0))))
    from_grade = np.array([labels.judged >= grade for grade, _ in levels], dtype=np.float64)
    known: Floats = by_rank @ from_grade.T
    is_certain = labels.has_value(measure)
    quotients = []
    for sign in (-1.0, 1.0):
        signed = np.where(is_open, sign * weights, -np.inf)
        numbers = _numbers_to_try(signed, is_open)
        sums = np.concatenate(
            [np.zeros((len(signed), 1)), np.cumsum(-np.sort(-signed, axis=1), axis=1)], axis=1
        )[:, numbers]
        above, below = [], []
        for place, (grade, step) in enumerate(levels):
            # No open document has a grade above the highest of the collection.
            tried = numbers[: None if grade <= labels.highest else 1]
            above.append(step * (sign * known[:, place, None] + sums[:, : len(tried)]))
            judged = int(from_grade[place].sum())
            below.append(step * _divisors(measure, judged, tried))
            if not is_certain and grade <= measure.scored_from:
                above[-1][:, 0] = -np.inf
        quotients.append(sign * _largest_quotients(above, below) + 0.0)
    low, high = quotients
    value = np.zeros(len(low))
    if is_certain:
        value = known @ [step for _, step in levels] / sum(row[0] for row in below)
    return _rows(measure, labels, views[0][1].opened, low, value, high)


def _numbers_to_try(weights: Floats, is_open: Flags) -> Ints:
    """The numbers of documents among which the largest quotient is, the documents with the largest
    weights first.

    Documents without a weight change the denominator alone, so either none or all of them count;
    one, if at least one document has to.
    """
    number = weights.shape[1]
    if not is_open.all():
        return np.arange(number + 1)
    positive, negative = (int(flags.sum(axis=1).max()) for flags in (weights > 0, weights < 0))
    ends = [np.arange(min(max(positive, 1), number) + 1), np.arange(number - negative, number + 1)]
    return np.unique(np.concatenate(ends))


def _divisors(measure: BoundedMeasure, judged: int, numbers: Ints) -> Floats:
    """The divisors of the sum of weights, for these numbers of open documents from a grade on."""
    if measure.family in ("P", "RBP"):
        return np.ones(len(numbers))
    if measure.family == "R":
        return (judged + numbers).astype(np.float64)
    ideal = 1 / np.log2(np.arange(2, judged + int(numbers[-1]) + 2, dtype=np.float64))
    if measure.cutoff is not None:
        ideal[measure.cutoff :] = 0.0
    sums: Floats = np.concatenate([[0.0], np.cumsum(ideal)])[judged + numbers]
    return sums


def _largest_quotients(numerators: Sequence[Floats], denominators: Sequence[Floats]) -> Floats:
    """For each list, max Σ numerators[l][n_l] / Σ denominators[l][n_l] over n_1 >= n_2 >= …

    A numerator can be negative; -inf is a number that is not allowed. The sum of the denominators
    is above 0 for all numbers that are allowed. -inf where none is.
    """
    if len(numerators) == 1:
        above, below = numerators[0], denominators[0]
        quotients = np.full(above.shape, -np.inf)
        np.divide(above, below, out=quotients, where=above > -np.inf)
        largest: Floats = quotients.max(axis=1)
        return largest
    found = np.full(len(numerators[0]), -np.inf)
    rows, left = numerators, np.arange(len(found))
    while True:
        places = _best_places(rows)
        top = sum(row[left, place] for row, place in zip(numerators, places, strict=True))
        bottom = sum(row[place] for row, place in zip(denominators, places, strict=True))
        reached = np.full(len(left), -np.inf)
        np.divide(top, bottom, out=reached, where=top > -np.inf)
        is_better = reached > found[left] + CLOSE
        left = left[is_better]
        if not len(left):
            return found
        found[left] = reached[is_better]
        rows = [
            above[left] - found[left, None] * below
            for above, below in zip(numerators, denominators, strict=True)
        ]


def _best_places(rows: Sequence[Floats]) -> list[Ints]:
    """Of each list, the places n_1 >= n_2 >= … with the largest sum of rows[l][list][n_l]; the
    first of equal ones."""
    best_until: list[Ints] = []  # by row from the last: the best place up to n
    above = np.zeros((len(rows[0]), 1))
    for row in reversed(rows):
        at = np.arange(row.shape[1])
        total = row + above[:, np.minimum(at, above.shape[1] - 1)]
        best = np.maximum.accumulate(total, axis=1)
        is_new = np.ones(total.shape, dtype=bool)
        is_new[:, 1:] = total[:, 1:] > best[:, :-1]
        best_until.append(np.maximum.accumulate(np.where(is_new, at, 0), axis=1))
        above = best
    places: list[Ints] = []
    limit = np.full(len(rows[0]), rows[0].shape[1] - 1)
    each = np.arange(len(limit))
    for best_places in reversed(best_until):
        limit = best_places[each, np.minimum(limit, best_places.shape[1] - 1)]
        places.append(limit)
    return places


Bounds = tuple[Floats, Floats]  # the lowest and the highest value of each list


class _Ranks(NamedTuple):
    """Documents of lists by rank. `upto` has the number of those at each rank or above it."""

    is_at: Flags
    upto: Ints

    @classmethod
    def of(cls, ranks: Ints, chosen: Flags, longest: int) -> _Ranks:
        is_at = np.zeros((len(ranks), longest + 1), dtype=bool)
        rows, columns = chosen.nonzero()
        is_at[rows, ranks[rows, columns]] = True
        return cls(is_at, is_at.cumsum(axis=1))


def _first_ranks(ranks: Ints, chosen: Flags, missing: int) -> Ints:
    """The chosen ranks of each list, the first rank first, with `missing` after the last."""
    found: Ints = np.sort(np.where(chosen, ranks, missing), axis=1)
    return found[:, : int(chosen.sum(axis=1).max(initial=0))]


def _average_precision(measure: BoundedMeasure, labels: QueryLabels, lists: OpenLists) -> Bounds:
    """To make a document relevant adds its own precision, and 1/s for each relevant rank s below.

    For the highest value the documents become relevant from the top down, and for the lowest from
    the bottom up.
    """
    longest = lists.longest
    is_relevant = measure.counts(lists.judged) & (labels.judged >= measure.relevant_from)
    found = _Ranks.of(lists.judged, is_relevant, longest)
    inverse = np.zeros(longest + 1)
    inverse[1:] = 1 / np.arange(1, longest + 1)
    inverses = found.is_at * inverse
    standard = (inverses * found.upto).sum(axis=1, keepdims=True)
    below = np.cumsum(inverses[:, ::-1], axis=1)[:, ::-1]
    is_place = measure.counts(lists.open)
    placed = is_place.sum(axis=1)
    down = -_first_ranks(-lists.open, is_place, 0)  # the last rank first
    upwards = inverse[down]
    at_place = np.arange(down.shape[1]) < placed[:, None]
    own = (np.take_along_axis(found.upto, down, 1) + 1) * upwards
    own += np.take_along_axis(below, down, 1)
    from_bottom = np.where(at_place, own + np.cumsum(upwards, axis=1) - upwards, 0.0)
    up = np.minimum(_first_ranks(lists.open, is_place, longest + 1), longest)
    made = np.arange(1, up.shape[1] + 1)
    own = (np.take_along_axis(found.upto, up, 1) + made) * inverse[up]
    from_top = np.where(at_place, own + np.take_along_axis(below, up, 1), 0.0)
    known = int((labels.judged >= measure.relevant_from).sum())
    numbers = np.arange(up.shape[1] + 1)
    is_number = numbers <= placed[:, None]
    elsewhere = (lists.opened - placed)[:, None]
    low = _quotients(standard, from_bottom, known + numbers + elsewhere, is_number, np.inf)
    high = _quotients(standard, from_top, known + numbers + 0 * elsewhere, is_number, 0.0)
    return low.min(axis=1), high.max(axis=1)


def _quotients(
    standard: Floats, gains: Floats, sizes: Ints, is_number: Flags, otherwise: float
) -> Floats:
    """`otherwise` in place of those by 0, which are of a query without a value."""
    sums = np.concatenate([standard, standard + np.cumsum(gains, axis=1)], axis=1)
    quotients = np.full(sums.shape, otherwise)
    np.divide(sums, sizes, out=quotients, where=is_number & (sizes > 0))
    return quotients


def _first_relevant(measure: BoundedMeasure, labels: QueryLabels, lists: OpenLists) -> Bounds:
    """Of RR and Success: the value of the first relevant rank."""
    missing = lists.longest + 1
    is_relevant = measure.counts(lists.judged) & (labels.judged >= measure.relevant_from)
    first = np.where(is_relevant, lists.judged, missing).min(axis=1, initial=missing)
    is_place = measure.counts(lists.open)
    first_place = np.where(is_place, lists.open, missing).min(axis=1, initial=missing)
    last_place = np.where(is_place, lists.open, 0).max(axis=1, initial=0)

    def value(ranks: Ints) -> Floats:
        values = np.ones(len(ranks)) if measure.family == "Success" else 1 / ranks
        return np.where(ranks < missing, values, 0.0)

    all_in_list = is_place.sum(axis=1) == lists.opened
    if not labels.has_value(measure):
        is_last = all_in_list & (last_place > 0)
        lowest = value(np.where(is_last, last_place, np.where(all_in_list, missing, first)))
    else:
        lowest = value(first)
    return lowest, value(np.minimum(first, first_place))


def _r_precision(measure: BoundedMeasure, labels: QueryLabels, lists: OpenLists) -> Bounds:
    """Relevant open documents stand above rank R as often as possible, or as rarely."""
    longest = lists.longest
    is_relevant = (lists.judged > 0) & (labels.judged >= measure.relevant_from)
    found = _Ranks.of(lists.judged, is_relevant, longest)
    placed = _Ranks.of(lists.open, lists.open > 0, longest)
    known = int((labels.judged >= measure.relevant_from).sum())
    number = lists.opened[:, None]
    relevant = np.arange(0 if labels.has_value(measure) else 1, lists.open.shape[1] + 1)
    size = known + relevant
    hits, within = (each.upto[:, np.minimum(size, longest)] for each in (found, placed))
    is_number = relevant <= number
    low = (hits + np.maximum(0, relevant - (number - within))) / size
    high = (hits + np.minimum(relevant, within)) / size
    return (
        np.where(is_number, low, np.inf).min(axis=1, initial=np.inf),
        np.where(is_number, high, 0.0).max(axis=1, initial=0.0),
    )


def _bpref(measure: BoundedMeasure, labels: QueryLabels, lists: OpenLists) -> Bounds:
    """All open documents are judged, so one that is not relevant counts against those below it.

    Of each number of relevant open documents in a list, the first ones are relevant or the last.
    """
    least, longest = measure.relevant_from, lists.longest
    in_list, is_place = lists.judged > 0, lists.open > 0
    is_relevant = in_list & (labels.judged >= least)
    is_other = in_list & (labels.judged >= 0) & (labels.judged < least)
    relevant = _first_ranks(lists.judged, is_relevant, longest + 1)
    places = _first_ranks(lists.open, is_place, longest + 1)
    others = _Ranks.of(lists.judged, is_other, longest).upto
    opens = _Ranks.of(lists.open, is_place, longest).upto

    def above(upto: Ints, ranks: Ints) -> Ints:
        found: Ints = np.take_along_axis(upto, np.minimum(ranks, longest), 1)[:, None]
        return found

    placed = is_place.sum(axis=1)[:, None, None]
    numbers, order = np.arange(places.shape[1] + 1)[:, None], np.arange(places.shape[1])
    is_found = np.repeat((relevant <= longest)[:, None], len(numbers), axis=1)
    opens_above, not_made = above(opens, relevant), placed - numbers
    first = (
        (np.maximum(opens_above - numbers, 0), np.zeros_like(not_made)),
        (order < numbers) & (order < placed),
    )
    last = (
        (np.minimum(opens_above, np.maximum(not_made, 0)), np.maximum(not_made, 0)),
        (order >= not_made) & (order < placed),
    )
    low, high = np.full(len(placed), np.inf), np.zeros(len(placed))
    for opens_that_count, is_made in (first, last):
        of_relevant, of_made = opens_that_count
        counts = np.concatenate(
            [above(others, relevant) + of_relevant, above(others, places) + of_made], axis=2
        )
        values = _bpref_values(
            counts,
            np.concatenate([is_found, is_made], axis=2),
            int((labels.judged >= least).sum()) + numbers,
            lists.opened[:, None, None] - placed,
            int((labels.judged >= 0).sum()) + lists.opened[:, None, None],
        )
        values[np.broadcast_to(not_made < 0, values.shape)] = np.nan
        low = np.fmin(low, np.fmin.reduce(values, axis=(1, 2)))
        high = np.fmax(high, np.fmax.reduce(values, axis=(1, 2)))
    return low, high


def _bpref_values(
    above: Ints, is_counted: Flags, fewest: Ints, elsewhere: Ints, judged: Ints
) -> Floats:
    """Values among which the lowest and the highest are: (lists, numbers, values); nan for none.

    `above` (lists, numbers, documents) has, for each relevant document that is counted, the
    documents above it that are not relevant. Of `judged` documents, R are relevant: from `fewest`
    to as many more as are open `elsewhere`. With more relevant ones than `above` says anywhere,
    R·value = c - G / min(R, judged - R) for the number c and the sum G of `above`. Up to half of
    the judged documents, it has its maximum at 2G/c; from there on it falls.
    """
    most = int(above.max(initial=0, where=is_counted))
    shape = (*above.shape[:2], most + 1)
    cells = np.arange(shape[0] * shape[1]).reshape(*shape[:2], 1) * (most + 1) + above
    at = np.bincount(cells[is_counted], minlength=shape[0] * shape[1] * shape[2]).reshape(shape)
    at_least = at[:, :, ::-1].cumsum(axis=2, dtype=np.int32)[:, :, ::-1]
    number = at_least[:, :, :1].copy()
    at_least[:, :, 0] = 0
    sums = at_least.cumsum(
        axis=2, dtype=np.int32
    )  # by R, of what is above each document, and at most R
    peak = 2 * sums[:, :, -1:] // np.maximum(number, 1)
    below_most = max(most - int(fewest.min()), 0)
    tried = fewest + np.arange(min(int(elsewhere.max(initial=0)), below_most) + 1)
    ends = [peak, peak + 1, judged // 2 + 0 * peak, judged // 2 + 1 + 0 * peak, judged + 0 * peak]
    sizes = np.concatenate([np.broadcast_to(tried, (*shape[:2], tried.shape[1])), *ends], axis=2)
    sizes = np.clip(sizes, fewest, fewest + elsewhere)
    counted = np.take_along_axis(sums, np.minimum(sizes, most), 2)
    bound = np.maximum(np.minimum(sizes, judged - sizes), 1)
    values: Floats = np.full(sizes.shape, np.nan)
    np.divide(number - counted / bound, sizes, out=values, where=sizes > 0)
    return values


_OTHERS = {
    "AP": _average_precision,
    "Bpref": _bpref,
    "RR": _first_relevant,
    "Rprec": _r_precision,
    "Success": _first_relevant,
}
