"""A pair with two judgments is decided again: by the adjudicator, or by two blind judges."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction

from accounts.locking import CollectionArchived
from accounts.models import Collection, Role, User
from accounts.services import take_role
from adjudication.errors import JudgedByYou
from adjudication.labels import labelled_pairs
from adjudication.models import Case, Decision, Recipient
from adjudication.queue import all_counts, due_in_order, queries_with_cases
from adjudication.referrals.services import CannotRefer, NoSuchPair, ReferralError
from adjudication.standing import Standing
from agreement.revision import revision_of
from annotation.models import Judgment, Slot
from annotation.queue import next_token, own_judgments, pairs_ahead, progress_in
from annotation.services import CannotReassign, RevisedMeanwhile, reassign_seat
from dashboard.settings.archiving import archive_collection
from tests.support.counting import kept_counts, recounted
from tests.support.factories import a_collection, an_open_query, member
from tests.support.release_scenes import slot_of
from tests.support.sittings import judge, judge_both, refer, settle, slots_of
from tests.support.study_scenes import a_labelled_query, a_study
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db


@once_a_file
def opening():
    """Its first pair has two grades 2, the second 0 and 3, the third one judgment only."""
    opening = an_open_query(a_collection(), size=3)
    judge_both(opening, (2, 2), (0, 3))
    judge(slots_of(opening, "ann1")[2], 1)
    return opening


@pytest.fixture
def agreed(opening):
    return slots_of(opening, "ann1")[0]


@pytest.fixture
def differing(opening):
    return slots_of(opening, "ann1")[1]


@pytest.fixture
def adjudicator(opening):
    return User.objects.get(username="adju")


def label_of(slot: Slot) -> tuple[Standing, int | None]:
    docno = slot.pair.candidate.document.docno
    collection: Collection = slot.pair.query.collection
    (pair,) = (pair for pair in labelled_pairs(collection) if pair.docno == docno)
    return pair.standing, pair.final


def test_a_pair_with_equal_grades_is_a_case_until_the_adjudicator_decides_it(agreed, adjudicator):
    collection = agreed.pair.query.collection
    before = revision_of(collection)
    assert label_of(agreed) == (Standing.AGREED, 2)

    refer(agreed.pair, Recipient.ADJUDICATOR)

    assert label_of(agreed) == (Standing.DUE, None)
    assert all_counts(collection, adjudicator) == {"due": 2, "decided": 0}
    assert revision_of(collection) != before

    settle(agreed, adjudicator, 0)

    assert label_of(agreed) == (Standing.ADJUDICATED, 0)
    assert all_counts(collection, adjudicator) == {"due": 1, "decided": 1}
    assert kept_counts() == recounted()


def test_a_decided_pair_is_due_again_until_a_later_decision(differing, adjudicator):
    settle(differing, adjudicator, 3)

    refer(differing.pair, Recipient.ADJUDICATOR)

    assert label_of(differing) == (Standing.DUE, None)
    assert kept_counts() == recounted()
    settle(differing, adjudicator, 1)
    assert label_of(differing) == (Standing.ADJUDICATED, 1)
    assert Decision.objects.count() == 2
    assert kept_counts() == recounted()


def test_a_referred_pair_whose_judge_revises_stays_a_case(agreed, adjudicator):
    refer(agreed.pair, Recipient.ADJUDICATOR)
    settle(agreed, adjudicator, 0)

    judge(agreed, 2)

    assert label_of(agreed) == (Standing.DUE, None)
    assert kept_counts() == recounted()


def test_two_judges_find_a_pair_that_is_opened_again_as_if_new(client, opening, agreed):
    first, earlier = agreed.annotator, Judgment.objects.get(slot=agreed)
    key = earlier.key

    refer(agreed.pair, Recipient.JUDGES, reason="The second grade is wrong.")

    assert label_of(agreed) == (Standing.UNJUDGED, None)
    assert next_token(opening.query_id, first) == agreed.pair.token
    assert progress_in(opening.query_id, first).judged == 2
    (shown,) = pairs_ahead(opening.query, first)
    assert (shown.judged, shown.grade, shown.note, shown.judgment_key) == (False, None, "", None)
    assert agreed.pair.token not in [row.token for row in own_judgments(opening.query, first)]
    client.force_login(first)
    api = client.get(f"/api/v1/collections/{opening.query.collection.slug}/judgments/").json()
    assert agreed.pair.token not in str(api)
    with pytest.raises(RevisedMeanwhile):  # a page from before
        judge(agreed, 1, supersedes=key)
    assert judge(agreed, 1).sequence == 2
    assert label_of(agreed) == (Standing.UNJUDGED, None)
    judge(agreed.pair.slots.get(number=2), 1)
    assert label_of(agreed) == (Standing.AGREED, 1)
    assert Judgment.objects.filter(slot__pair=agreed.pair).count() == 4
    assert kept_counts() == recounted()


def test_a_settled_case_that_is_opened_again_needs_a_new_decision(differing, adjudicator):
    settle(differing, adjudicator, 3)
    refer(differing.pair, Recipient.ADJUDICATOR)
    settle(differing, adjudicator, 2)

    refer(differing.pair, Recipient.JUDGES)
    judge(differing, 0)
    judge(differing.pair.slots.get(number=2), 3)

    assert label_of(differing) == (Standing.DUE, None)
    assert kept_counts() == recounted()
    settle(differing, adjudicator, 1)
    assert label_of(differing) == (Standing.ADJUDICATED, 1)
    assert kept_counts() == recounted()


def test_no_statement_shows_an_earlier_judgment_or_empties_another_slot(agreed, differing):
    earlier = agreed.judgment_id
    refer(agreed.pair, Recipient.JUDGES)

    for slot, judgment in ((agreed, earlier), (differing, None)):
        with pytest.raises(IntegrityError, match="slot_shows"), transaction.atomic():
            Slot.objects.filter(pk=slot.pk).update(judgment=judgment)


def test_the_people_who_have_the_seats_by_now_judge_it(opening, agreed):
    third = member(opening.query.collection, Role.ANNOTATOR, "ann3")
    reassign_seat(opening=opening, number=2, annotator=third)

    refer(agreed.pair, Recipient.JUDGES)

    assert [slot.annotator.username for slot in agreed.pair.slots.all()] == ["ann1", "ann3"]
    assert kept_counts() == recounted()


def test_a_judge_who_left_is_replaced_by_a_person_who_is_named(opening, agreed):
    judge(slots_of(opening, "ann1")[2].pair.slots.get(number=2), 1)
    collection = opening.query.collection
    take_role(membership=collection.memberships.get(user__username="ann2", role=Role.ANNOTATOR))
    third = member(collection, Role.ANNOTATOR, "ann3")

    with pytest.raises(CannotRefer, match="ann2 has slot 2"):
        refer(agreed.pair, Recipient.JUDGES)
    refer(agreed.pair, Recipient.JUDGES, annotators={2: third})

    assert [slot.annotator.username for slot in agreed.pair.slots.all()] == ["ann1", "ann3"]
    assert opening.seats.get(number=2).annotator == third


def test_who_judged_a_pair_before_neither_has_its_other_slot_nor_decides_it(opening, agreed):
    collection = opening.query.collection
    first, third = agreed.annotator, member(collection, Role.ANNOTATOR, "ann3")
    fourth = member(collection, Role.ANNOTATOR, "ann4")
    member(collection, Role.ADJUDICATOR, "ann1")
    refer(agreed.pair, Recipient.JUDGES, annotators={1: third, 2: fourth})

    with pytest.raises(CannotReassign, match="ann1 judged pairs of"):
        reassign_seat(opening=opening, number=2, annotator=first)
    judge(slot_of(collection, opening.query.name, agreed.pair.candidate.document.docno, 1), 0)
    judge(agreed.pair.slots.get(number=2), 3)

    with pytest.raises(JudgedByYou):
        settle(agreed, first, 1)
    assert not Case.objects.due().for_adjudicator(first).exists()
    assert not queries_with_cases(collection, first)
    case = Case.objects.cases().get(pk=agreed.pair_id)
    decision = Decision(
        pair_id=case.pk,
        sequence=1,
        adjudicator=first,
        first_id=case.first,
        second_id=case.second,
        grade=1,
        key=agreed.judgment.key,
    )
    with pytest.raises(IntegrityError, match="decision_not_by_a_judge"), transaction.atomic():
        decision.save()


def test_the_only_pair_of_a_query_is_no_case_for_who_judged_it_before():
    opening = an_open_query(a_collection(), size=1)
    collection = opening.query.collection
    (slot,) = judge_both(opening, (0, 3))
    others = {number: member(collection, Role.ANNOTATOR, f"ann{number + 2}") for number in (1, 2)}
    refer(slot.pair, Recipient.JUDGES, annotators=others)
    judge(Slot.objects.get(pk=slot.pk), 0)
    judge(slot.pair.slots.get(number=2), 3)

    for name, due in (("ann1", 0), ("adju", 1)):
        person = member(collection, Role.ADJUDICATOR, name)
        assert len(due_in_order(collection, person)) == due
        assert all_counts(collection, person)["due"] == due


def test_what_cannot_be_settled_again_is_said_and_changes_nothing(opening, agreed, differing):
    half = slots_of(opening, "ann1")[2].pair
    kept = kept_counts()
    for error, pair, recipient, changes, message in (
        (NoSuchPair, agreed.pair, Recipient.JUDGES, {"query": "q9"}, 'no query "q9"'),
        (NoSuchPair, agreed.pair, Recipient.JUDGES, {"docno": "d99"}, '"d99" has no pair'),
        (ReferralError, agreed.pair, Recipient.JUDGES, {"reason": " "}, "reason is missing"),
        (ReferralError, agreed.pair, Recipient.JUDGES, {"reason": "x" * 1001}, "It has 1,001"),
        (CannotRefer, half, Recipient.JUDGES, {}, "does not have two judgments yet"),
        (CannotRefer, half, Recipient.ADJUDICATOR, {}, "does not have two judgments yet"),
        (CannotRefer, differing.pair, Recipient.ADJUDICATOR, {}, "waits for the adjudicator"),
    ):
        with pytest.raises(error, match=message):
            refer(pair, recipient, **changes)
    archive_collection(collection=opening.query.collection)
    with pytest.raises(CollectionArchived):
        refer(agreed.pair, Recipient.JUDGES)

    assert kept_counts() == kept


def test_a_pair_that_was_read_in_full_is_not_judged_blind_again():
    collection = a_collection()
    opening = a_labelled_query(collection, 0, 1, 2)
    study = a_study(collection)
    pair = study.pairs.get(position=1).pair

    with pytest.raises(CannotRefer, match="full-text study"):
        refer(pair, Recipient.JUDGES)
    refer(pair, Recipient.ADJUDICATOR)

    assert Case.objects.due().filter(query=opening.query).count() == 1
