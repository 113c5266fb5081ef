"""Agreement of ratings from full texts with the labels from abstracts. Pure.

Pairs are pooled: a study has too few pairs of a query for a coefficient of each query.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum
from statistics import median

from agreement.coefficients import COEFFICIENTS, CrossTable, Result, confusion_of


@dataclass(frozen=True, slots=True)
class TwiceRatedPair:
    """A pair of a study. Grades are those of the scale, or None.

    `chosen_label` is the final label when the study was made, `label` the one that stands now, None
    if there is none any more. `own` is the grade that the rater gave the abstract before the study.
    `rated` is False until the rater has answered; `grade` is None also where he or she could not
    judge, and `reason` says why. `seconds` adds up all visits, None if a visit was not timed.
    """

    query: str
    facet: str
    docno: str
    chosen_label: int
    label: int | None
    own: int | None
    rated: bool
    grade: int | None
    reason: str
    seconds: float | None


@dataclass(frozen=True, slots=True)
class StudyComparison:
    """The coefficients of the pairs that have both grades, and how many pairs lack one."""

    pairs: int
    left_out: int
    results: dict[str, Result]


@dataclass(frozen=True, slots=True)
class Minutes:
    """Minutes a pair, over the timed pairs. None if no pair is timed."""

    timed: int
    untimed: int
    median: float | None
    mean: float | None


@dataclass(frozen=True, slots=True)
class GroupResult:
    """The numbers of one facet, or of all pairs (`facet` None)."""

    facet: str | None
    labels: StudyComparison
    own: StudyComparison
    minutes: Minutes


@dataclass(frozen=True, slots=True)
class StudyResult:
    """A study's numbers. `confusion` has final labels in its rows and full-text grades in columns.

    `relabelled` counts pairs whose final label is another than when the study was made.
    """

    groups: tuple[GroupResult, ...]
    confusion: tuple[tuple[int, ...], ...]
    rated: int
    ungraded: int
    relabelled: int


def study_result(
    pairs: Sequence[TwiceRatedPair], grades: Sequence[int] = (0, 1, 2, 3)
) -> StudyResult:
    """The numbers of all pairs together, then of each facet in the order in which they come.

    Raises GradeError for a grade that is not on the scale.
    """
    by_facet: dict[str, list[TwiceRatedPair]] = defaultdict(list)
    for pair in pairs:
        by_facet[pair.facet].append(pair)
    groups: list[tuple[str | None, list[TwiceRatedPair]]] = [(None, list(pairs))]
    if len(by_facet) > 1:
        groups += list(by_facet.items())
    return StudyResult(
        groups=tuple(_group(facet, members) for facet, members in groups),
        confusion=confusion_of(_table(pairs, [pair.label for pair in pairs]), grades),
        rated=sum(pair.rated for pair in pairs),
        ungraded=sum(pair.rated and pair.grade is None for pair in pairs),
        relabelled=sum(pair.label != pair.chosen_label for pair in pairs),
    )


def _table(pairs: Sequence[TwiceRatedPair], other: Iterable[int | None]) -> CrossTable:
    grades = (pair.grade for pair in pairs)
    return CrossTable((both, 1) for both in zip(other, grades, strict=True))


def _group(facet: str | None, pairs: Sequence[TwiceRatedPair]) -> GroupResult:
    labels = _comparison(pairs, [pair.label for pair in pairs])
    own = _comparison(pairs, [pair.own for pair in pairs])
    return GroupResult(facet, labels, own, _minutes(pairs))


def _comparison(pairs: Sequence[TwiceRatedPair], other: Iterable[int | None]) -> StudyComparison:
    table = _table(pairs, other)
    return StudyComparison(
        pairs=table.pairs,
        left_out=len(pairs) - table.pairs,
        results={coefficient.key: coefficient.function(table) for coefficient in COEFFICIENTS},
    )


def _minutes(pairs: Sequence[TwiceRatedPair]) -> Minutes:
    timed = sorted(pair.seconds / 60 for pair in pairs if pair.seconds is not None)
    rated = sum(pair.rated for pair in pairs)
    return Minutes(
        timed=len(timed),
        untimed=rated - len(timed),
        median=median(timed) if timed else None,
        mean=fsum(timed) / len(timed) if timed else None,
    )
