"""Reads what the report is made of. Grades are those of pairs with both judgments only."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from datetime import timedelta
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from django.db.models import Exists, F, OuterRef, Q

from accounts.models import Collection
from adjudication.labels import final_grades
from agreement.consistency.drift import PersonDrift, TimedAnswer
from agreement.consistency.repeated import RepeatedGrade
from annotation.models import Judgment, RepeatJudgment, Slot

CORRECTION = timedelta(minutes=10)  # of an answer to a repeat; a later change may follow the list
READ_TOGETHER = 5_000
NO_LABEL = -1


class ComparableRepeats(NamedTuple):
    """The repeats of a collection that can be compared, and how many others were answered.

    The others lack a grade or the first judgment, were judged by another version of the guideline,
    or are of a pair with one judgment.
    """

    repeats: list[RepeatedGrade]
    left_out: int


def comparable_repeats(collection: Collection) -> dict[int, ComparableRepeats]:
    """Round 1 has the repeats of a person's own judgments, and is always there.

    A later pool round has the pairs of earlier rounds that came among its pairs. The judgment that
    such a grade is compared with may be another person's.
    """
    both = ~Exists(Slot.objects.unjudged().filter(pair=OuterRef("repeat__slot__pair")))
    rows = (
        RepeatJudgment.objects.filter(repeat__query__collection=collection)
        .annotate(is_shown=both)
        .order_by("repeat", "sequence")
        .values_list(
            *("repeat", "annotator", "created_at", "grade", "guideline_version", "distance"),
            *("compared__grade", "compared__guideline_version", "is_shown"),
            *("compared__annotator", "repeat__pool_round"),
        )
    )
    found: dict[int, list[RepeatedGrade]] = defaultdict(list)
    left_out: Counter[int] = Counter()
    for _, answers in groupby(rows.iterator(READ_TOGETHER), key=itemgetter(0)):
        _, annotator, _, grade, version, distance, *compared = _last_of(answers)
        earlier, earlier_version, is_shown, judge, pool_round = compared
        if None in (grade, earlier) or version != earlier_version or not is_shown:
            left_out[pool_round] += 1
        else:
            found[pool_round].append(
                RepeatedGrade(annotator, earlier, grade, distance, judge == annotator)
            )
    return {
        pool_round: ComparableRepeats(found[pool_round], left_out[pool_round])
        for pool_round in sorted({1, *found, *left_out})
    }


def _last_of(answers: Iterable[tuple]) -> tuple:  # type: ignore[type-arg]
    """The last answer that was given soon after the first one."""
    first, *others = answers
    soon = [answer for answer in others if answer[2] - first[2] <= CORRECTION]
    return soon[-1] if soon else first


class FinalLabels:
    """The final labels of the judged pairs, 9 bytes each: a collection may have a million."""

    def __init__(self, rows: Iterable[tuple[int, int | None]]) -> None:
        self._pairs, self._labels = array("q"), array("b")
        for pair, label in rows:
            self._pairs.append(pair)
            self._labels.append(NO_LABEL if label is None else label)

    def find(self, pair: int) -> int | None:
        """The label, NO_LABEL if it has none yet, or None if the pair lacks a judgment."""
        place = bisect_left(self._pairs, pair)
        if place == len(self._pairs) or self._pairs[place] != pair:
            return None
        return self._labels[place]


def answers_of_people(collection: Collection) -> Iterator[tuple[int, PersonDrift]]:
    """Each annotator with his or her answers: the first to each pair in the present round.

    Only answers with a time: imported ones were given elsewhere.
    """
    labels = FinalLabels(final_grades(collection))
    repeats = _repeats_by_person(collection)
    rows = (
        Judgment.objects.filter(
            Q(round=F("slot__pair__query__opening__round")),
            slot__pair__query__collection=collection,
            seconds__isnull=False,
        )
        .order_by("annotator", "pk")
        .values_list(
            *("annotator", "slot", "slot__pair", "slot__pair__query", "created_at", "seconds"),
            *("grade", "slot__postponed_at", "slot__pair__candidate__round"),
        )
    )
    for annotator, judgments in groupby(rows.iterator(READ_TOGETHER), key=itemgetter(0)):
        answers = [*_first_answers(judgments, labels), *repeats.pop(annotator, ())]
        answers.sort(key=lambda answer: answer.given_at)
        yield annotator, PersonDrift(answers)


def _first_answers(judgments: Iterable[tuple], labels: FinalLabels) -> Iterator[TimedAnswer]:  # type: ignore[type-arg]
    seen: set[int] = set()
    for _, slot, pair, query, given_at, seconds, grade, postponed_at, pool_round in judgments:
        if slot in seen:
            continue
        seen.add(slot)
        label = labels.find(pair)
        if label is None:
            grade = None
        is_final = None if label in (None, NO_LABEL) else grade == label
        yield TimedAnswer(
            query, given_at, seconds, grade, is_final, postponed_at is not None, pool_round
        )


def _repeats_by_person(collection: Collection) -> dict[int, list[TimedAnswer]]:
    """Repeats have a place in a sitting, but their grades are not counted."""
    rows = RepeatJudgment.objects.filter(
        repeat__query__collection=collection, sequence=1, seconds__isnull=False
    ).order_by("pk")
    found: dict[int, list[TimedAnswer]] = defaultdict(list)
    for annotator, query, given_at, seconds in rows.values_list(
        "annotator", "repeat__query", "created_at", "seconds"
    ):
        found[annotator].append(TimedAnswer(query, given_at, seconds))
    return found
