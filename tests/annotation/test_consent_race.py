"""An answer while a new consent text is published, or a consent withdrawn, in every order."""

from __future__ import annotations

import uuid
from collections.abc import Callable

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from accounts.models import Collection, User
from annotation.consent.services import agree, withdraw, write_consent_text
from annotation.models import Judgment, Slot
from annotation.services import ConsentMissing
from annotation.slot_sql import SLOTS, insert_judgment, lock_slot
from practice.models import PracticeJudgment
from studies.models import StudyRating
from tests.support.factories import a_collection, an_open_query, annotators
from tests.support.held_transactions import held_open
from tests.support.practice_scenes import a_pilot, practise
from tests.support.running import at_once
from tests.support.sittings import digest_of, judge, slots_of
from tests.support.study_scenes import a_labelled_query, a_study, rate

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def slot() -> Slot:
    """Of a judge who agreed to version 1."""
    slot = slots_of(an_open_query(a_collection()), "ann1")[0]
    collection = slot.pair.query.collection
    write_consent_text(collection=collection, text="We store grades.", written_by=None)
    agree(collection=collection, person=slot.annotator, version=1)
    return slot


def published(slot: Slot) -> None:
    collection = slot.pair.query.collection
    write_consent_text(collection=collection, text="We store more.", written_by=None)


def withdrawn(slot: Slot) -> None:
    withdraw(collection=slot.pair.query.collection, person=slot.annotator)


CHANGES = pytest.mark.parametrize("change", [published, withdrawn])


def check_next(slot: Slot) -> None:
    """The next judgment needs a new consent."""
    with pytest.raises(ConsentMissing):
        judge(slot, 2)
    collection = slot.pair.query.collection
    collection.refresh_from_db()
    agree(collection=collection, person=slot.annotator, version=collection.consent_version)
    judge(slot, 2)


@CHANGES
@pytest.mark.parametrize("judged_first", [True, False])
def test_neither_waits_and_a_change_counts_from_its_commit(
    on_postgresql, slot: Slot, change: Callable[[Slot], None], judged_first: bool
):
    calls = [lambda: judge(slot, 1) and None, lambda: change(slot)]

    assert held_open(*(calls if judged_first else reversed(calls))) == [None, None]

    assert Judgment.objects.count() == 1
    check_next(slot)


@CHANGES
@pytest.mark.parametrize("judged_first", [True, False])
def test_whichever_is_faster_the_judgment_is_of_the_consent_before_or_refused(
    slot: Slot, change: Callable[[Slot], None], judged_first: bool
):
    calls = [lambda: judge(slot, 1), lambda: change(slot)]
    outcomes = at_once(calls if judged_first else calls[::-1])
    of_judgment, of_change = outcomes if judged_first else outcomes[::-1]

    assert of_change is None
    assert isinstance(of_judgment, Judgment | ConsentMissing)
    assert Judgment.objects.count() == isinstance(of_judgment, Judgment)
    check_next(slot)


@CHANGES
def test_the_database_refuses_a_judgment_whose_check_was_before_the_change(
    on_postgresql, slot: Slot, change: Callable[[Slot], None]
):
    with pytest.raises(IntegrityError, match="judgment_after_consent"):
        judge_around(slot, lambda: change(slot))


def judge_around(slot: Slot, change: Callable[[], None]) -> None:
    """The steps of the service. The change commits between the lock and the judgment."""
    with transaction.atomic():
        locked = lock_slot(slot.pk, SLOTS)
        assert locked is not None
        assert not locked.must_consent
        assert at_once([change]) == [None]
        insert_judgment(
            SLOTS,
            slot_id=slot.pk,
            sequence=1,
            annotator_id=slot.annotator_id,
            grade=1,
            reason="",
            note="",
            presentation_digest=digest_of(slot),
            guideline_version=locked.guideline_version,
            round=locked.round,
            key=uuid.uuid4(),
            created_at=timezone.now(),
        )


def practising(collection: Collection) -> tuple[User, Callable[[], PracticeJudgment]]:
    people = annotators(collection)
    person, pair = people[0], a_pilot(collection, people=people).pairs.first()
    return person, lambda: practise(pair, person, 1, supersedes=None)


def rating(collection: Collection) -> tuple[User, Callable[[], StudyRating]]:
    a_labelled_query(collection, 1, 2, 3)
    study = a_study(collection)
    return study.rater, lambda: rate(study, 1, 1)


@pytest.mark.parametrize(
    ("answering", "model"), [(practising, PracticeJudgment), (rating, StudyRating)]
)
def test_practice_and_ratings_whose_check_was_before_a_withdrawal_are_refused_by_name(
    on_postgresql, answering: Callable, model: type[PracticeJudgment | StudyRating]
):
    collection = a_collection()
    person, answer = answering(collection)
    write_consent_text(collection=collection, text="We store grades.", written_by=None)
    collection.refresh_from_db()
    agree(collection=collection, person=person, version=1)

    def withdraw_before_the_row() -> None:
        """Answers are checked meanwhile, and wait when they add their row."""
        with connection.cursor() as cursor:
            cursor.execute(f"LOCK TABLE {model._meta.db_table} IN SHARE MODE")
        withdraw(collection=collection, person=person)

    outcomes = held_open(withdraw_before_the_row, answer)

    assert outcomes[0] is None
    assert isinstance(outcomes[1], ConsentMissing)
    assert not model.objects.exists()
