"""Self-consistency of a model that was asked about pairs several times. Pure.

A model is asked the same again, and with the two papers in the other order. Grades of answers are
compared with each other, so pairs without judgments count, too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from agreement.consistency.estimates import EstimatedValue, undefined
from agreement.consistency.stacked_tables import alphas
from evaluation.shadow_judges.worth.pairs import too_few
from evaluation.shadow_judges.worth.resamples import Array, QueryResamples, interval_of, ratio

NO_REPEATS, NO_SWAPS = "no pair was asked twice", "no pair was asked in both orders"
ALL_IDENTICAL = "all grades identical"


class ModelGrade(NamedTuple):
    """An answer about a pair; `grade` is None for one without a grade, and `problem` says why."""

    query: str
    pair: int
    repetition: int
    swapped: bool
    grade: int | None
    problem: str = ""


class QuerySums:
    """Sums over the answers of a query, from which every figure is computed.

    `coincidences` count each two grades of a pair's repetitions, 1 / (m - 1) for each of the
    m (m - 1) ordered twos of m grades (Krippendorff 2011, section C). `orders` count the grades in
    both orders of the same repetition: rows are the usual order, columns the swapped one.
    """

    def __init__(self, grades: int) -> None:
        self.coincidences = np.zeros((grades, grades))
        self.orders = np.zeros((grades, grades))
        self.repeated = 0  # pairs with at least two grades in the usual order
        self.same = 0  # of them, those with one and the same grade

    def add_pair(self, answers: Iterable[ModelGrade]) -> None:
        grades: dict[bool, dict[int, int]] = {False: {}, True: {}}
        for answer in answers:
            if answer.grade is not None:
                grades[answer.swapped][answer.repetition] = answer.grade
        self._add_repeats(Counter(grades[False].values()))
        for repetition in grades[False].keys() & grades[True].keys():
            self.orders[grades[False][repetition], grades[True][repetition]] += 1

    def _add_repeats(self, counts: Counter[int]) -> None:
        number = counts.total()
        if number < 2:
            return
        self.repeated += 1
        self.same += len(counts) == 1
        for first, of_first in counts.items():
            for second, of_second in counts.items():
                twos = of_first * (of_second - (first == second))
                self.coincidences[first, second] += twos / (number - 1)


def repeated_answers(answers: Iterable[ModelGrade], grades: int, seed: str) -> dict[str, Any]:
    """All figures as JSON types. `answers` come pair by pair; `grades` is how many there are.

    `same_repeated` is the share of pairs whose repetitions, in the usual order, have one grade.
    `alpha_repeated` is Krippendorff's ordinal alpha of the repetitions. `same_swapped` and
    `alpha_swapped` compare the two orders, and `shift` is the mean grade with the order swapped
    minus that without, in grades. Intervals are over queries.
    """
    by_query: defaultdict[str, QuerySums] = defaultdict(lambda: QuerySums(grades))
    number, problems = 0, Counter[str]()
    for _, of_pair in groupby(answers, key=lambda answer: answer.pair):
        rows = list(of_pair)
        number += len(rows)
        problems.update(answer.problem for answer in rows if answer.grade is None)
        by_query[rows[0].query].add_pair(rows)
    sums = [by_query[query] for query in sorted(by_query)]
    return {
        "answers": number,
        "without_grade": problems.total(),
        "problems": dict(sorted(problems.items())),
        "pairs_repeated": sum(each.repeated for each in sums),
        "answers_swapped": int(sum(each.orders.sum() for each in sums)),
        **({name: each.as_json() for name, each in _figures(sums, seed).items()} if sums else {}),
    }


def _figures(sums: Sequence[QuerySums], seed: str) -> dict[str, EstimatedValue]:
    resamples = QueryResamples(len(sums), seed)
    coincidences = np.stack([each.coincidences for each in sums])
    orders = np.stack([each.orders for each in sums])
    repeated = np.array([each.repeated for each in sums], dtype=np.float64)
    same = np.array([each.same for each in sums], dtype=np.float64)
    swapped, scale = orders.sum(axis=(1, 2)), np.arange(orders.shape[1])
    steps = scale[None, :] - scale[:, None]
    return {
        "same_repeated": _share(same, repeated, resamples, NO_REPEATS),
        # Half of the coincidences: `alphas` counts both values of a table's units.
        "alpha_repeated": _alpha(coincidences / 2, repeated, resamples, NO_REPEATS),
        "same_swapped": _share(np.einsum("qgg->q", orders), swapped, resamples, NO_SWAPS),
        "alpha_swapped": _alpha(orders, swapped, resamples, NO_SWAPS),
        "shift": _share((orders * steps).sum(axis=(1, 2)), swapped, resamples, NO_SWAPS),
    }


def _share(above: Array, below: Array, resamples: QueryResamples, none: str) -> EstimatedValue:
    reason = _too_few(below, none)
    queries = int((below > 0).sum())
    return undefined(reason, queries) if reason else ratio(above, below, resamples, none)[0]


def _alpha(tables: Array, numbers: Array, resamples: QueryResamples, none: str) -> EstimatedValue:
    queries = int((numbers > 0).sum())
    reason = _too_few(numbers, none)
    if reason:
        return undefined(reason, queries)
    (value,) = alphas(tables.sum(axis=0)[None])
    if np.isnan(value):
        return undefined(ALL_IDENTICAL, queries)
    return EstimatedValue(
        float(value), interval_of(alphas(resamples.sums(tables)), queries), queries
    )


def _too_few(numbers: Array, none: str) -> str:
    total = int(numbers.sum())
    return too_few(total, int((numbers > 0).sum())) if total else none
