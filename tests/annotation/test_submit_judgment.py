import uuid

import pytest
from django.db import IntegrityError, transaction

from accounts.models import Role
from annotation.models import Judgment, Slot
from annotation.services import (
    Answer,
    KeyReused,
    NotYours,
    RevisedMeanwhile,
    WasAdmin,
    WrongPresentation,
    presentation_of,
    submit_judgment,
)
from tests.support.factories import UserFactory, a_collection, an_open_query
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.may_differ]


@once_a_file
def slot() -> Slot:
    opening = an_open_query(a_collection())
    return Slot.objects.filter(pair__query=opening.query, number=1).first()


def digest(slot: Slot) -> str:
    return presentation_of(slot.pair, slot.pair.query.opening.guideline.version).digest


def judge(slot: Slot, answer: Answer, **changes) -> Judgment:
    return submit_judgment(
        **{
            "slot_id": slot.pk,
            "annotator": slot.annotator,
            "answer": answer,
            "presentation_digest": digest(slot),
            "key": uuid.uuid4(),
            "supersedes": None,
        }
        | changes
    )


def test_a_judgment_becomes_the_slots_current_one(slot):
    judgment = judge(slot, Answer(grade=2))

    slot.refresh_from_db()
    assert slot.judgment == judgment
    assert (judgment.sequence, judgment.grade, judgment.annotator) == (1, 2, slot.annotator)


def test_a_revision_supersedes_and_keeps_the_first(slot):
    first = judge(slot, Answer(grade=2))
    judge(slot, Answer(grade=3), supersedes=first.key)

    slot.refresh_from_db()
    assert slot.judgment.grade == 3
    assert list(slot.judgments.values_list("grade", flat=True)) == [2, 3]


def test_an_annotator_who_was_an_admin_meanwhile_cannot_revise(slot):
    collection = slot.pair.query.collection
    first = judge(slot, Answer(grade=2))
    collection.given_roles.create(user=slot.annotator, role=Role.ADMIN)

    with pytest.raises(WasAdmin, match="You were an admin of this collection"):
        judge(slot, Answer(grade=3), supersedes=first.key)

    slot.refresh_from_db()
    assert slot.judgment == first


def test_the_same_submission_twice_counts_once(slot):
    key = uuid.uuid4()
    first = judge(slot, Answer(grade=1), key=key)
    again = judge(slot, Answer(grade=1), key=key)

    assert first == again
    assert Judgment.objects.count() == 1


def test_a_key_reused_for_another_answer_is_refused(slot):
    key = uuid.uuid4()
    judge(slot, Answer(grade=1), key=key)

    with pytest.raises(KeyReused):
        judge(slot, Answer(grade=2), key=key)


def test_a_late_copy_of_an_old_page_cannot_overwrite(slot):
    judge(slot, Answer(grade=1))

    with pytest.raises(RevisedMeanwhile):
        judge(slot, Answer(grade=0), supersedes=None)
    slot.refresh_from_db()
    assert slot.judgment.grade == 1


def test_an_answer_after_a_refused_one_cannot_slip_through(slot):
    """The page takes its refused judgment for the current one; the count of judgments is right."""
    judge(slot, Answer(grade=1))
    refused = uuid.uuid4()
    with pytest.raises(RevisedMeanwhile):
        judge(slot, Answer(grade=0), supersedes=None, key=refused)

    with pytest.raises(RevisedMeanwhile):
        judge(slot, Answer(grade=2), supersedes=refused)
    slot.refresh_from_db()
    assert slot.judgment.grade == 1


def test_a_judgment_that_was_revised_cannot_be_superseded_again(slot):
    first = judge(slot, Answer(grade=1))
    judge(slot, Answer(grade=2), supersedes=first.key)

    with pytest.raises(RevisedMeanwhile):
        judge(slot, Answer(grade=3), supersedes=first.key)
    slot.refresh_from_db()
    assert slot.judgment.grade == 2


def test_a_judgment_of_something_else_than_was_shown_is_refused(slot):
    other = Slot.objects.filter(number=1).exclude(pk=slot.pk).first()

    with pytest.raises(WrongPresentation):
        judge(slot, Answer(grade=1), presentation_digest=digest(other))
    assert not Judgment.objects.exists()


def test_a_person_cannot_judge_in_the_slot_of_another(slot):
    with pytest.raises(NotYours):
        judge(slot, Answer(grade=1), annotator=UserFactory())


@pytest.mark.parametrize(("grade", "reason"), [(None, ""), (1, "garbled"), (None, "because")])
def test_the_database_refuses_a_judgment_without_grade_or_reason(slot, grade, reason):
    with pytest.raises(IntegrityError, match="judgment_grade_or_reason"):
        slot.judgments.create(
            sequence=1,
            annotator=slot.annotator,
            grade=grade,
            reason=reason,
            presentation_digest="x",
            guideline_version=1,
            key=uuid.uuid4(),
        )


def test_the_database_refuses_a_judgment_by_another_than_the_slots_annotator(slot):
    with pytest.raises(IntegrityError, match="judgment_by_the_slots_annotator"):
        slot.judgments.create(
            sequence=1,
            annotator=UserFactory(),
            grade=1,
            presentation_digest="x",
            guideline_version=1,
            key=uuid.uuid4(),
        )


def test_the_database_refuses_to_edit_or_delete_a_judgment(slot):
    judgment = judge(slot, Answer(grade=1))

    with pytest.raises(IntegrityError, match="never_edited"), transaction.atomic():
        Judgment.objects.filter(pk=judgment.pk).update(grade=2)
    with pytest.raises(IntegrityError, match="never_deleted"), transaction.atomic():
        Judgment.objects.filter(pk=judgment.pk)._raw_delete("default")


def test_one_person_never_holds_both_slots_of_a_pair(slot):
    other = Slot.objects.get(pair=slot.pair, number=2)
    other.annotator = slot.annotator

    with pytest.raises(IntegrityError):
        other.save()
