"""Order and drift: how a person's grades and speed change while he or she judges. Pure.

Each annotator gets the pairs of a query in a random order of the own. So within a query the place
of a pair in a sitting says nothing about its candidate, and a change of the grades with the place
is the judge's. Grades are therefore compared within each query only. Pairs that were put off are
left out: the judge chose their place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from statistics import median
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agreement.consistency.estimates import (
    EstimatedValue,
    difference_of_shares,
    normal,
    share,
    undefined,
)
from corpus.proportions import Z
from web.lazy import stats

PAUSE = timedelta(minutes=30)  # without an answer, after which a sitting has ended
QUICK = 2.0  # seconds; an answer that took less was hardly read
FEWEST = 30  # pairs with an estimate of a change
STEPS = 10  # answers that the figure takes together
TOO_FEW = f"fewer than {FEWEST} pairs"
CONSTANT = "all grades are the same"
ONE_PLACE = "one pair in each query"
FARTHEST = 5  # times the longest query, over which a change may be extrapolated
SHORT_QUERIES = "no query takes a fifth of a sitting"

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class TimedAnswer(NamedTuple):
    """An answer of a person. The answers of a person are in the order of their times.

    `grade` is None where it must not be shown, or there is none: of a pair with one judgment, a
    repeat, or "cannot judge". `is_final` says that it is the final label; None without a label.
    `was_postponed` marks a pair that was put off. `pool_round` is that of its candidate.
    """

    query: int
    given_at: datetime
    seconds: float | None
    grade: int | None = None
    is_final: bool | None = None
    was_postponed: bool = False
    pool_round: int = 1

    @property
    def block(self) -> tuple[int, int]:
        """The pairs whose order is random: those of a later pool round come later."""
        return self.pool_round, self.query


class PlacedValues(NamedTuple):
    """Values of answers, all arrays of the same length, in the order of the answers.

    Values are compared within a block. The places are those in the sittings, from 1.
    """

    blocks: Integers
    places: Floats
    values: Floats

    @property
    def size(self) -> int:
        return len(self.values)


def places_of(times: Sequence[datetime]) -> tuple[list[int], list[int]]:
    """The place of each answer in its sitting, from 1, and the lengths of the sittings.

    A sitting ends after PAUSE without an answer. The times are in order.
    """
    places: list[int] = []
    lengths: list[int] = []
    for number, time in enumerate(times):
        if not number or time - times[number - 1] > PAUSE:
            lengths.append(0)
        lengths[-1] += 1
        places.append(lengths[-1])
    return places, lengths


class PersonDrift:
    """The answers of a person, in the order of their times, as the report needs them.

    `equal` says of the grades with a final label, in order, whether they equal it.
    """

    def __init__(self, answers: Iterable[TimedAnswer]) -> None:
        answers = list(answers)
        places, self.lengths = places_of([answer.given_at for answer in answers])
        own_order = [
            (answer, place)
            for answer, place in zip(answers, places, strict=True)
            if not answer.was_postponed
        ]
        self.grades = _placed(
            (answer.block, place, answer.grade)
            for answer, place in own_order
            if answer.grade is not None
        )
        self.times = _placed(
            (answer.block, place, answer.seconds)
            for answer, place in own_order
            if answer.seconds is not None
        )
        seconds = [answer.seconds for answer in answers if answer.seconds is not None]
        self.seconds = np.array(seconds, dtype=float)
        self.equal = np.array(
            [
                answer.is_final
                for answer in answers
                if answer.grade is not None and answer.is_final is not None
            ],
            dtype=bool,
        )


def _placed(rows: Iterable[tuple[tuple[int, int], int, float]]) -> PlacedValues:
    rows = list(rows)
    numbers = {block: number for number, block in enumerate(sorted({row[0] for row in rows}))}
    blocks = np.array([numbers[block] for block, _, _ in rows], dtype=np.int64)
    table = np.array([row[1:] for row in rows], dtype=float).reshape(-1, 2)
    return PlacedValues(blocks, table[:, 0], table[:, 1])


def drift_of(people: Sequence[PersonDrift]) -> dict[str, Any]:
    """The numbers of one person, or of several together, as JSON.

    Of several, blocks are the queries of each, and thirds those of each.
    """
    grades = together([person.grades for person in people])
    times = together([person.times for person in people])
    lengths = [length for person in people for length in person.lengths]
    typical = median(lengths) if lengths else 0
    seconds = np.concatenate([person.seconds for person in people]) if people else np.zeros(0)
    return {
        "answers": sum(lengths),
        "sittings": len(lengths),
        "sitting": typical,
        "spearman": stratified_spearman(grades).as_json(),
        "change": change_over(grades, max(typical - 1, 0)).as_json(),
        "query_thirds": third_difference(grades).as_json(),
        "whole_thirds": _whole_thirds(people),
        "agreement": _final_difference(people).as_json(),
        "seconds": float(np.median(seconds)) if len(seconds) else None,
        "seconds_spearman": stratified_spearman(times).as_json(),
        "quick": share(int((seconds < QUICK).sum()), len(seconds)).as_json(),
        "steps": _steps(grades, times),
    }


def together(parts: Sequence[PlacedValues]) -> PlacedValues:
    """Of several people, each of whom has blocks of the own."""
    blocks, next_block = [], 0
    for part in parts:
        _, numbers = np.unique(part.blocks, return_inverse=True)
        blocks.append(numbers + next_block)
        next_block += int(numbers.max()) + 1 if len(numbers) else 0
    return PlacedValues(
        np.concatenate(blocks) if parts else np.zeros(0, dtype=np.int64),
        *(
            np.concatenate([part[column] for part in parts]) if parts else np.zeros(0)
            for column in (1, 2)
        ),
    )


def _blocks(values: PlacedValues) -> list[tuple[Floats, Floats]]:
    """The places and the values of each block, in the order of the answers."""
    order = np.argsort(values.blocks, kind="stable")
    ends = np.flatnonzero(np.diff(values.blocks[order])) + 1
    return list(
        zip(np.split(values.places[order], ends), np.split(values.values[order], ends), strict=True)
    )


def stratified_spearman(values: PlacedValues) -> EstimatedValue:
    """Spearman's ρ of place and value within the blocks, -1 to 1, with Fisher's interval.

    The mid-ranks within a block, as shares of its size and less their mean, correlated over all
    blocks. For one block it is Spearman's ρ. The standard error of atanh(ρ) is
    sqrt(1.06 / (n - blocks - 2)) (Fieller, Hartley and Pearson, 1957, with a mean for each block).
    """
    if values.size < FEWEST:
        return undefined(TOO_FEW, values.size)
    places, ranks, blocks = [], [], 0
    for of_place, of_value in _blocks(values):
        blocks += 1
        size = len(of_place)
        places.append((stats.rankdata(of_place) - (size + 1) / 2) / size)
        ranks.append((stats.rankdata(of_value) - (size + 1) / 2) / size)
    x, y = np.concatenate(places), np.concatenate(ranks)
    if not (x @ x) or not (y @ y):
        return undefined(ONE_PLACE if not x @ x else CONSTANT, values.size)
    rho = float(np.clip((x @ y) / np.sqrt((x @ x) * (y @ y)), -1, 1))
    freedom = values.size - blocks - 2
    if freedom <= 0 or abs(rho) == 1:
        return EstimatedValue(rho, None, values.size)
    half = Z * np.sqrt(1.06 / freedom)
    low, high = np.tanh(np.arctanh(rho) - half), np.tanh(np.arctanh(rho) + half)
    return EstimatedValue(rho, (float(low), float(high)), values.size)


def change_over(values: PlacedValues, answers: float) -> EstimatedValue:
    """The change of the value over so many answers of a sitting, with its interval.

    The slope of a regression of the value on the place with a mean for each block, times `answers`.
    Its standard error is robust against unequal variances (White, 1980, with the factor n/(n-k)).
    The change is undefined over more than FARTHEST times the answers that a block extends over.
    """
    if values.size < FEWEST:
        return undefined(TOO_FEW, values.size)
    blocks = _blocks(values)
    x = np.concatenate([places - places.mean() for places, _ in blocks])
    y = np.concatenate([of_value - of_value.mean() for _, of_value in blocks])
    n, freedom = values.size, values.size - len(blocks) - 1
    if not (x @ x) or freedom <= 0:
        return undefined(ONE_PLACE, n)
    if answers > FARTHEST * max(np.ptp(places) for places, _ in blocks):
        return undefined(SHORT_QUERIES, n)
    if not (y @ y):
        return undefined(CONSTANT, n)
    slope = (x @ y) / (x @ x)
    rest = y - slope * x
    error = np.sqrt(n / freedom * ((x * rest) @ (x * rest))) / (x @ x)
    return normal(float(slope * answers), float(error * answers), n)


def third_difference(values: PlacedValues) -> EstimatedValue:
    """The mean of the last third of each query minus that of the first third.

    The mean over the queries with six answers or more, weighted by their number of answers, with
    the normal interval of the variances within the thirds.
    """
    weights, differences, variances, n = [], [], [], 0
    for _, of_value in _blocks(values):
        size = len(of_value) // 3
        if size < 2:
            continue
        first, last = of_value[:size], of_value[-size:]
        weights.append(float(len(of_value)))
        differences.append(last.mean() - first.mean())
        variances.append((last.var(ddof=1) + first.var(ddof=1)) / size)
        n += len(of_value)
    if n < FEWEST:
        return undefined(TOO_FEW, n)
    share_of = np.array(weights) / sum(weights)
    variance = float((share_of**2 * np.array(variances)).sum())
    if not variance:
        return undefined(CONSTANT, n)
    return normal(float(share_of @ np.array(differences)), float(np.sqrt(variance)), n)


def _whole_thirds(people: Sequence[PersonDrift]) -> dict[str, Any]:
    """The mean grades in the first and the last third of the whole work of each person.

    The thirds are of different queries, so the difference has no interval.
    """
    first, last = [], []
    for person in people:
        grades = person.grades.values
        size = len(grades) // 3
        first.append(grades[:size])
        last.append(grades[len(grades) - size :])
    count = sum(map(len, first))
    return {
        "first": float(np.concatenate(first).mean()) if count else None,
        "last": float(np.concatenate(last).mean()) if count else None,
        "n": 2 * count,
    }


def _final_difference(people: Sequence[PersonDrift]) -> EstimatedValue:
    """The share of final labels that the grade equals: last third of the work minus the first."""
    counts = [[0, 0], [0, 0]]
    for person in people:
        size = len(person.equal) // 3
        thirds = (person.equal[:size], person.equal[len(person.equal) - size :])
        for count, third in zip(counts, thirds, strict=True):
            count[0] += int(third.sum())
            count[1] += size
    (equal1, total1), (equal2, total2) = counts
    if total1 + total2 < FEWEST:
        return undefined(TOO_FEW, total1 + total2)
    return difference_of_shares((equal1, total1), (equal2, total2))


def _steps(grades: PlacedValues, times: PlacedValues) -> list[dict[str, Any]]:
    """The grades and seconds at each STEPS places of the sittings, for the figure.

    `grade` is the mean of each grade minus the mean of its block, with the interval of a mean.
    """
    _, numbers = np.unique(grades.blocks, return_inverse=True)
    sums = np.bincount(numbers, grades.values)
    differences = grades.values - (sums / np.bincount(numbers))[numbers]
    of_grades, of_times = ((values.places.astype(int) - 1) // STEPS for values in (grades, times))
    found = []
    for step in sorted({*of_grades.tolist(), *of_times.tolist()}):
        seconds = times.values[of_times == step]
        found.append(
            {
                "from": step * STEPS + 1,
                "to": (step + 1) * STEPS,
                "grade": _mean(differences[of_grades == step]).as_json(),
                "seconds": float(np.median(seconds)) if len(seconds) else None,
            }
        )
    return found


def _mean(values: Floats) -> EstimatedValue:
    if not len(values):
        return undefined("no answers")
    if len(values) < 2:
        return EstimatedValue(float(np.mean(values)), None, len(values))
    error = float(np.std(values, ddof=1) / np.sqrt(len(values)))
    return normal(float(np.mean(values)), error, len(values))
