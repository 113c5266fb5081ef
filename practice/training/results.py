"""Reads what training came to: for the person after the end, and for admins."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, NamedTuple

from django.db.models import Count, F, Q, QuerySet
from django.utils.translation import gettext, gettext_lazy

from accounts.models import Collection, User
from agreement.coefficients import CONSTANT_RATER, NO_PAIRS, ONE_PAIR, CrossTable, confusion_of
from agreement.tables import ConfusionMatrix, grade_matrix
from annotation.models import Guideline, Reason
from annotation.presentation import ShownText
from annotation.qualifications.standing import must_be_senior, must_qualify
from annotation.services import CandidateText, presentation_with, shown_query
from corpus.models import SOURCES, Query
from practice.models import (
    PracticeJudgment,
    PracticeKind,
    PracticeMember,
    PracticePair,
    PracticeSet,
    TrainingResult,
)
from practice.training.offers import next_sets
from practice.training.services import open_training

UNDEFINED = {
    CONSTANT_RATER: gettext_lazy("you gave every pair the same grade"),
    NO_PAIRS: gettext_lazy("you gave no pair a grade"),
    ONE_PAIR: gettext_lazy("you gave only one pair a grade"),
}


def results_of(collection: Collection) -> QuerySet[TrainingResult]:
    """All results, the latest first."""
    rows = TrainingResult.objects.filter(member__practice_set__collection=collection)
    return rows.select_related("member__practice_set", "member__annotator").order_by("-pk")


# The trainee


@dataclass(frozen=True)
class OwnTraining:
    """A person's training: a set in progress, or the next, and the results."""

    must_qualify: bool
    begun: PracticeMember | None
    offered: PracticeSet | None
    results: Sequence[TrainingResult]
    are_sets: bool

    @property
    def latest(self) -> TrainingResult | None:
        return self.results[0] if self.results else None


def own_training(collection: Collection, person: User) -> OwnTraining:
    begun = open_training(collection, person)
    waits = must_qualify(collection, person)
    # A person who has qualified needs no more, unless nothing is asked, or to become a senior.
    needs = waits or collection.qualifying_rho is None or must_be_senior(collection, person)
    offered = None if begun or not needs else next_sets(collection, [person]).get(person.pk)
    sets = collection.practice_sets.filter(kind=PracticeKind.TRAINING)
    return OwnTraining(
        waits,
        begun,
        offered,
        list(results_of(collection).filter(member__annotator=person)),
        sets.exists(),
    )


def own_result(collection: Collection, person: User, name: str) -> TrainingResult | None:
    """The person's result in the set of that name; None before the end."""
    sets = PracticeSet.objects.filter(collection=collection).named(name)
    return (
        results_of(collection)
        .filter(member__annotator=person, member__practice_set__in=sets)
        .first()
    )


class TrainedPair(NamedTuple):
    """A pair of a set with the gold, for a person who has judged all of them."""

    query: str
    facet: str
    query_title: str
    candidate: ShownText
    own: int | None
    reason_text: str
    gold: int
    explanation: str

    @property
    def difference(self) -> int:
        """Of the two grades; larger than any if the person gave none."""
        return 9 if self.own is None else abs(self.own - self.gold)


def trained_pairs(result: TrainingResult) -> list[TrainedPair]:
    """The pairs of a finished set, those with the largest difference first."""
    member = result.member
    judgments = PracticeJudgment.objects.filter(
        pair__practice_set=member.practice_set_id, annotator=member.annotator_id
    )
    answers = {judgment.pair_id: judgment for judgment in judgments.counting()}
    guidelines = _guidelines(member.practice_set)
    rows = PracticePair.objects.filter(practice_set=member.practice_set_id).order_by("token")
    pairs = list(rows.select_related("document"))
    queries = Query.objects.select_related("facet", *SOURCES).in_bulk(
        {pair.query_id for pair in pairs}
    )
    found = []
    for pair in pairs:
        query, document, answer = queries[pair.query_id], pair.document, answers[pair.pk]
        text = CandidateText(
            document.pk, document.docno, document.title, document.sentences, document.labels
        )
        version = guidelines[query.facet_id].version
        shown = presentation_with(query, shown_query(query), text, version)
        found.append(
            TrainedPair(
                query.name,
                "" if query.facet.is_whole else query.facet.name,
                shown.query.title,
                shown.candidate,
                answer.grade,
                str(Reason(answer.reason).label) if answer.reason else "",
                pair.gold or 0,  # never NULL in a training set: a rule
                pair.explanation,
            )
        )
    return sorted(found, key=lambda row: -row.difference)


def _guidelines(practice_set: PracticeSet) -> dict[int, Guideline]:
    uses = practice_set.guidelines.select_related("guideline")
    return {use.guideline.facet_id: use.guideline for use in uses}


def own_matrix(practice_set: PracticeSet, pairs: Iterable[TrainedPair]) -> ConfusionMatrix:
    return _matrix(practice_set, gettext("you"), Counter((pair.own, pair.gold) for pair in pairs))


def _matrix(
    practice_set: PracticeSet, rater: str, cells: Counter[tuple[int | None, int | None]]
) -> ConfusionMatrix:
    grades = range(practice_set.highest_grade + 1)
    return grade_matrix(
        rater, gettext("gold"), confusion_of(CrossTable(cells.items()), grades), cells.total()
    )


# Admins


@dataclass(frozen=True)
class SetRow:
    """A training set with its sizes and results."""

    practice_set: PracticeSet
    pairs: int
    queries: int
    started: int
    rhos: Sequence[float]
    finished: int
    passed: int

    @property
    def median_rho(self) -> float | None:
        return median(self.rhos) if self.rhos else None

    @property
    def source(self) -> str:
        if self.practice_set.parameters.get("source") == "file":
            return str(self.practice_set.parameters.get("file", "a file"))
        return "final labels"


def set_rows(collection: Collection, sets: Sequence[PracticeSet]) -> list[SetRow]:
    """These sets, in a fixed number of statements."""
    sizes: dict[int, tuple[int, int]] = {
        pk: (pairs, queries)
        for pk, pairs, queries in PracticePair.objects.filter(practice_set__in=sets)
        .order_by()
        .values_list("practice_set")
        .annotate(Count("pk"), Count("query", distinct=True))
    }
    started = dict(
        PracticeMember.objects.filter(practice_set__in=sets)
        .order_by()
        .values_list("practice_set")
        .annotate(Count("pk"))
    )
    results: dict[int, list[TrainingResult]] = defaultdict(list)
    for result in results_of(collection).filter(member__practice_set__in=sets):
        results[result.member.practice_set_id].append(result)
    return [
        SetRow(
            each,
            *sizes.get(each.pk, (0, 0)),
            started.get(each.pk, 0),
            [result.rho for result in results[each.pk] if result.rho is not None],
            len(results[each.pk]),
            sum(result.passed for result in results[each.pk]),
        )
        for each in sets
    ]


class WaitingPerson(NamedTuple):
    """An annotator who has not qualified. `next_set` is None if there is none left."""

    person: User
    attempts: int
    latest: TrainingResult | None
    begun: PracticeSet | None
    next_set: PracticeSet | None


def waiting_people(collection: Collection, people: Sequence[User]) -> list[WaitingPerson]:
    """These people with their attempts, in a fixed number of statements."""
    results: dict[int, list[TrainingResult]] = defaultdict(list)
    for result in results_of(collection).filter(member__annotator__in=people):
        results[result.member.annotator_id].append(result)
    begun = {
        member.annotator_id: member.practice_set
        for member in PracticeMember.objects.filter(
            annotator__in=people,
            practice_set__collection=collection,
            practice_set__kind=PracticeKind.TRAINING,
            practice_set__closed_at=None,
            finished_at=None,
        ).select_related("practice_set")
    }
    offered = next_sets(collection, people)
    return [
        WaitingPerson(
            person,
            len(results[person.pk]),
            next(iter(results[person.pk]), None),
            begun.get(person.pk),
            offered.get(person.pk),
        )
        for person in people
    ]


class MissedPair(NamedTuple):
    """A pair of a set, and how those who finished the set graded it."""

    query: str
    docno: str
    title: str
    gold: int
    explanation: str
    grades: Counter[int | None]

    @property
    def judged(self) -> int:
        return self.grades.total()

    @property
    def missed(self) -> int:
        return self.judged - self.grades[self.gold]

    @property
    def is_doubtful(self) -> bool:
        """More than half of at least two people gave the same other grade.

        Then gold may be wrong. People who guess give many other grades.
        """
        others = [
            number
            for grade, number in self.grades.items()
            if grade is not None and grade != self.gold
        ]
        return self.judged > 1 and 2 * max(others, default=0) > self.judged

    @property
    def given(self) -> list[tuple[str, int]]:
        """Each grade given, with the number of people; "–" for none."""
        ordered = sorted(self.grades.items(), key=lambda item: (item[0] is None, item[0]))
        return [("–" if grade is None else str(grade), number) for grade, number in ordered]


def missed_pairs(practice_set: PracticeSet) -> list[MissedPair]:
    """The pairs of the set, those that most people missed first."""
    grades: dict[int, Counter[int | None]] = defaultdict(Counter)
    judgments = PracticeJudgment.objects.filter(
        pair__practice_set=practice_set,
        annotator__in=TrainingResult.objects.filter(member__practice_set=practice_set).values(
            "member__annotator"
        ),
    )
    for pair, grade in judgments.counting().order_by().values_list("pair", "grade"):
        grades[pair][grade] += 1
    rows = practice_set.pairs.order_by("query__name", "document__docno").values_list(
        "pk", "query__name", "document__docno", "document__title", "gold", "explanation"
    )
    pairs = [
        MissedPair(query, docno, title, gold or 0, explanation, grades[pk])
        for pk, query, docno, title, gold, explanation in rows
    ]
    return sorted(pairs, key=lambda pair: -pair.missed)


def trainees_matrix(practice_set: PracticeSet, pairs: Iterable[MissedPair]) -> ConfusionMatrix:
    cells: Counter[Any] = Counter()
    for pair in pairs:
        for grade, number in pair.grades.items():
            cells[grade, pair.gold] += number
    return _matrix(practice_set, "the trainees", cells)


def in_progress(practice_set: PracticeSet) -> QuerySet[PracticeMember]:
    """Those who began it and have not finished, with the number of pairs `judged`."""
    own = Q(practice_set__pairs__judgments__annotator=F("annotator"))
    members = practice_set.members.filter(finished_at=None).select_related("annotator")
    return members.annotate(
        judged=Count("practice_set__pairs__judgments__pair", filter=own, distinct=True)
    )
