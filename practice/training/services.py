"""Everything that writes a person's training: its begin, its answers, and its result."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from accounts.locking import lock_collection
from accounts.models import Collection, User
from agreement.coefficients import spearman
from annotation.appending import Submission
from annotation.models import Basis, Level
from annotation.qualifications.services import record_measured
from annotation.qualifications.standing import standing_qualification
from annotation.services import JudgingConflict
from practice.models import (
    PracticeJudgment,
    PracticeKind,
    PracticeMember,
    PracticePair,
    PracticeSet,
)
from practice.services import add_members, submit_practice
from practice.training.models import TrainingResult, fewest_graded
from practice.training.offers import next_sets

FEWEST_FOR_SENIORS = 20  # pairs behind a rho that makes a senior


class NoTrainingSet(JudgingConflict):
    """No set is left that the person has not seen."""


def open_training(collection: Collection, person: User) -> PracticeMember | None:
    """The person's membership of the training set that he or she has not finished."""
    members = PracticeMember.objects.filter(
        annotator=person,
        practice_set__collection=collection,
        practice_set__kind=PracticeKind.TRAINING,
        practice_set__closed_at=None,
        finished_at=None,
    )
    return members.select_related("practice_set").order_by("pk").first()


def start_training(*, collection: Collection, person: User) -> PracticeSet:
    """Begin the next set, or go on with the one that the person has begun.

    From then on, the person never gets a seat of a query of the set's query papers.

    Raises:
        NoTrainingSet: there is none left for the person.
        CannotPractise, CannotOpen: the person is no annotator here.
        CollectionArchived
    """
    with transaction.atomic():
        collection = lock_collection(collection)
        begun = open_training(collection, person)
        if begun is not None:
            return begun.practice_set
        practice_set = next_sets(collection, [person]).get(person.pk)
        if practice_set is None:
            raise NoTrainingSet(
                gettext(
                    "There is no training set left that you have not seen. Ask an admin for "
                    "another."
                )
            )
        add_members(practice_set=practice_set, annotators=[person])
        return practice_set


def submit_training(*, pair_id: int, annotator: User, submission: Submission) -> PracticeJudgment:
    """Save an answer. With the last one, the training ends: gold is shown, and answers stay.

    The result and the qualification are in the transaction of that answer.

    Raises: as `submit_practice`.
    """
    with transaction.atomic():
        # It locks the membership, so only one answer is the last.
        judgment = submit_practice(pair_id=pair_id, annotator=annotator, submission=submission)
        member = PracticeMember.objects.select_related("practice_set__collection").get(
            practice_set__pairs=pair_id, annotator=annotator
        )
        if member.finished_at is None:
            _finish_if_complete(member)
    return judgment


def _finish_if_complete(member: PracticeMember) -> None:
    pairs = PracticePair.objects.filter(practice_set=member.practice_set_id)
    gold = dict(pairs.order_by().values_list("pk", "gold"))
    judgments = PracticeJudgment.objects.filter(
        pair__practice_set=member.practice_set_id, annotator=member.annotator_id
    ).counting()
    grades = dict(judgments.order_by().values_list("pair", "grade"))
    if grades.keys() != gold.keys():
        return
    member.finished_at = timezone.now()
    member.save(update_fields=["finished_at"])
    keys = sorted(gold)
    rho = spearman([grades[pair] for pair in keys], [gold[pair] for pair in keys])
    graded = sum(grade is not None for grade in grades.values())
    collection = member.practice_set.collection
    threshold = collection.qualifying_rho
    is_complete = graded >= fewest_graded(len(keys))
    passed = (
        is_complete and threshold is not None and rho.value is not None and rho.value >= threshold
    )
    TrainingResult.objects.create(
        member=member,
        pairs=len(keys),
        graded=graded,
        rho=rho.value,
        undefined=rho.undefined or "",
        threshold=threshold,
        passed=passed,
    )
    if rho.value is not None and is_complete:
        _qualify(collection, member.annotator, rho.value, graded)


def _qualify(collection: Collection, person: User, rho: float, pairs: int) -> None:
    """Write a row for each level that the rho reaches and that the person does not have."""
    for level, threshold, fewest in (
        (Level.JUDGE, collection.qualifying_rho, 1),
        (Level.SENIOR, collection.senior_rho, FEWEST_FOR_SENIORS),
    ):
        reached = threshold is not None and rho >= threshold and pairs >= fewest
        if reached and standing_qualification(collection, person, level) is None:
            record_measured(
                collection=collection,
                person=person,
                level=level,
                basis=Basis.TRAINING,
                rho=rho,
                pairs=pairs,
            )
