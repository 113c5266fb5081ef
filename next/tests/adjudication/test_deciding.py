"""Deciding a case and re-opening a pair: what counts, what is refused."""

from __future__ import annotations

import uuid

import pytest
from django.db import IntegrityError, transaction

from accounts.services import add_member
from adjudication.decisions import current_decision, reopen_pair
from adjudication.models import Decision
from annotation.models import PairState
from tests.builders import decide, judge
from web.errors import BadInput, Conflict, NotFound

pytestmark = pytest.mark.django_db


def state(pair) -> tuple[str, int | None]:
    pair.refresh_from_db()
    return pair.state, pair.final


@pytest.mark.parametrize("grade", [0, 3])
def test_a_judgment_is_accepted(pairs, people, grade):
    decision = decide(pairs["d03"], people.ada, grade)
    assert state(pairs["d03"]) == (PairState.DECIDED, grade)
    assert not decision.is_overruling
    assert (decision.first.grade, decision.second.grade) == (0, 3)


def test_a_grade_that_neither_gave_needs_a_note(pairs, people):
    with pytest.raises(BadInput, match="overrule"):
        decide(pairs["d03"], people.ada, 2, note="  ")
    assert state(pairs["d03"]) == (PairState.CASE, None)
    assert decide(pairs["d03"], people.ada, 2, note="Both missed the second sentence.").is_overruling
    assert state(pairs["d03"]) == (PairState.DECIDED, 2)


def test_a_pair_is_set_aside_with_a_note(pairs, people):
    with pytest.raises(BadInput, match="note"):
        decide(pairs["d03"], people.ada, None)
    assert not decide(pairs["d03"], people.ada, None, note="The text is broken.").is_overruling
    assert state(pairs["d03"]) == (PairState.DECIDED, None)


def test_cannot_judge_is_accepted_as_any_judgment(pairs, people):
    decide(pairs["d04"], people.ada, None)
    assert state(pairs["d04"]) == (PairState.DECIDED, None)


def test_what_is_no_decision_is_refused_in_words(pairs, people):
    for values, words in (({"grade": 4}, "0 to 3"), ({"grade": 0, "note": "x" * 2001}, "2,000")):
        with pytest.raises(BadInput, match=words):
            decide(pairs["d03"], people.ada, **values)


def test_a_decision_sent_twice_counts_once_whatever_became_of_the_pair(pairs, people):
    key = uuid.uuid4()
    sent = {"key": key, "judgments": set(pairs["d02"].slots.values_list("judgment__key", flat=True)), "replaces": None}
    first = decide(pairs["d02"], people.ada, 1, **sent)
    assert decide(pairs["d02"], people.ada, 1, **sent) == first
    judge(pairs["d02"], people.ann, 1)  # agrees now
    assert decide(pairs["d02"], people.ada, 1, **sent) == first
    assert state(pairs["d02"]) == (PairState.AGREED, 1)


def test_a_key_serves_one_decision_of_one_person(pairs, people, eve):
    key = uuid.uuid4()
    decide(pairs["d02"], people.ada, 1, key=key)
    for pair, who, grade in (("d02", people.ada, 0), ("d03", people.ada, 0), ("d02", eve, 1)):
        with pytest.raises(Conflict):
            decide(pairs[pair], who, grade, key=key)
    assert Decision.objects.count() == 1


def test_judgments_that_changed_meanwhile_are_not_decided(pairs, people):
    shown = set(pairs["d03"].slots.values_list("judgment__key", flat=True))
    judge(pairs["d03"], people.bob, 2)
    with pytest.raises(Conflict, match="judge changed"):
        decide(pairs["d03"], people.ada, 0, judgments=shown)


def test_judgments_of_another_pair_are_not_decided(pairs, people):
    shown = set(pairs["d02"].slots.values_list("judgment__key", flat=True))
    with pytest.raises(Conflict):
        decide(pairs["d03"], people.ada, 0, judgments=shown)


def test_ones_own_decision_can_be_changed_and_both_stay(pairs, people):
    first = decide(pairs["d03"], people.ada, 0)
    with pytest.raises(Conflict, match="meanwhile"):  # a page that does not know the first
        decide(pairs["d03"], people.ada, 3, replaces=None)
    second = decide(pairs["d03"], people.ada, 3)
    assert state(pairs["d03"]) == (PairState.DECIDED, 3)
    assert list(Decision.objects.order_by("pk")) == [first, second]
    assert list(Decision.objects.standing()) == [second]


def test_a_decision_of_another_adjudicator_changes_only_after_a_reopening(pairs, people, eve):
    decide(pairs["d03"], people.ada, 0)
    with pytest.raises(Conflict, match="Another adjudicator"):
        decide(pairs["d03"], eve, 3)
    reopen_pair(admin=people.admin, pair=pairs["d03"], reason="It is about the other sentence.")
    decide(pairs["d03"], eve, 3)
    assert state(pairs["d03"]) == (PairState.DECIDED, 3)


def test_an_own_pair_no_case_and_no_pair_are_refused_alike(pairs, people, collection):
    add_member(collection=collection, user=people.ann, roles=["adjudicator"])
    wrong = {"grade": 9, "note": "x" * 3000, "judgments": set()}
    own = [(people.ann, docno, {}) for docno in pairs]  # agreed, cases, one that bob has not judged
    no_case = [(people.ada, "d01", {}), (people.ada, "d08", {}), (people.ada, "d03", {"token": "nowhere"})]
    refusals = set()
    for who, docno, fields in [*own, *no_case]:
        with pytest.raises(NotFound) as refused:
            decide(pairs[docno], who, **wrong, **fields)
        refusals.add(str(refused.value))
    assert len(refusals) == 1


def test_a_decided_pair_is_a_secret_for_its_judges_too(pairs, people, collection):
    add_member(collection=collection, user=people.ann, roles=["adjudicator"])
    decide(pairs["d03"], people.ada, 0)
    with pytest.raises(NotFound):
        decide(pairs["d03"], people.ann, 3)


def test_a_decision_counts_no_more_when_a_judge_revises(pairs, people):
    decide(pairs["d03"], people.ada, 0)
    judge(pairs["d03"], people.bob, 2)
    assert state(pairs["d03"]) == (PairState.CASE, None)
    assert current_decision(pairs["d03"]) is None
    decide(pairs["d03"], people.ada, 2)
    judge(pairs["d03"], people.ann, 2)
    assert state(pairs["d03"]) == (PairState.AGREED, 2)
    assert Decision.objects.count() == 2
    assert not Decision.objects.standing().exists()


@pytest.mark.parametrize("docno", ["d01", "d03"])
def test_a_settled_pair_is_reopened_with_a_reason(pairs, people, docno):
    if docno == "d03":
        decide(pairs[docno], people.ada, 0)
    with pytest.raises(BadInput):
        reopen_pair(admin=people.admin, pair=pairs[docno], reason=" ")
    reopen_pair(admin=people.admin, pair=pairs[docno], reason="The guideline changed.")
    assert state(pairs[docno]) == (PairState.CASE, None)
    decide(pairs[docno], people.ada, 2, note="By the new guideline.")
    assert state(pairs[docno]) == (PairState.DECIDED, 2)


def test_equal_grades_do_not_settle_a_reopened_pair(pairs, people):
    reopen_pair(admin=people.admin, pair=pairs["d01"], reason="The guideline changed.")
    judge(pairs["d01"], people.ann, 3)
    judge(pairs["d01"], people.bob, 3)
    assert state(pairs["d01"]) == (PairState.CASE, None)
    decide(pairs["d01"], people.ada, 3)
    assert state(pairs["d01"]) == (PairState.DECIDED, 3)


def test_a_page_from_before_a_reopening_decides_nothing(pairs, people):
    first = decide(pairs["d03"], people.ada, 0)
    reopen_pair(admin=people.admin, pair=pairs["d03"], reason="The guideline changed.")
    with pytest.raises(Conflict, match="re-opened"):
        decide(pairs["d03"], people.ada, 3, replaces=first.key)


@pytest.mark.parametrize("docno", ["d03", "d08"])
def test_a_pair_without_a_label_is_not_reopened(pairs, people, docno):
    with pytest.raises(Conflict):
        reopen_pair(admin=people.admin, pair=pairs[docno], reason="Why not.")


def test_decisions_and_reopenings_are_never_changed(pairs, people):
    decision = decide(pairs["d03"], people.ada, 0)
    reopening = reopen_pair(admin=people.admin, pair=pairs["d01"], reason="The guideline changed.")
    changes = [
        lambda: Decision.objects.update(grade=3),
        decision.delete,
        lambda: type(reopening).objects.update(reason="Other."),
        reopening.delete,
    ]
    for change in changes:
        with pytest.raises(IntegrityError), transaction.atomic():
            change()


def test_no_code_can_store_a_decision_on_an_own_pair(pairs, people, collection):
    first, second = (slot.judgment for slot in pairs["d03"].slots.order_by("number"))
    with pytest.raises(IntegrityError), transaction.atomic():
        Decision.objects.create(
            collection=collection,
            pair=pairs["d03"],
            adjudicator=people.ann,
            first=first,
            second=second,
            grade=0,
            key=uuid.uuid4(),
        )
