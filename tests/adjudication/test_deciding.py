"""Deciding a case and re-opening a pair: what counts, what is refused."""

from __future__ import annotations

import uuid

import pytest
from django.db import IntegrityError, transaction

from accounts.services import add_member
from adjudication.decisions import current_decision, reopen_pair
from adjudication.models import Decision, Reopening
from annotation.models import PairState
from tests.builders import decide, judge
from web.errors import BadInput, Conflict, NotFound

pytestmark = pytest.mark.django_db


def state(pair) -> tuple[str, int | None]:
    pair.refresh_from_db()
    return pair.state, pair.final


@pytest.mark.parametrize(("docno", "grade"), [("d03", 0), ("d03", 3), ("d04", None)])
def test_a_judgment_is_accepted(pairs, people, docno, grade):
    decision = decide(pairs[docno], people.ada, grade)
    assert state(pairs[docno]) == (PairState.DECIDED, grade)
    assert [decision.first, decision.second] == [slot.judgment for slot in pairs[docno].slots.order_by("number")]


@pytest.mark.parametrize("grade", [2, None])
def test_what_neither_judge_said_needs_a_note(pairs, people, grade):
    with pytest.raises(BadInput, match="note"):
        decide(pairs["d03"], people.ada, grade, note="  ")
    assert state(pairs["d03"]) == (PairState.CASE, None)
    decide(pairs["d03"], people.ada, grade, note="Both missed a sentence.")
    assert state(pairs["d03"]) == (PairState.DECIDED, grade)


def test_what_is_no_decision_is_refused_in_words(pairs, people):
    for grade, note, words in ((4, "", "0 to 3"), (-1, "", "0 to 3"), (0, "x" * 2001, "2,000")):
        with pytest.raises(BadInput, match=words):
            decide(pairs["d03"], people.ada, grade, note=note)
    with pytest.raises(BadInput, match="2,000"):
        reopen_pair(admin=people.admin, pair=pairs["d01"], reason="x" * 2001)
    decide(pairs["d03"], people.ada, 0, note="x" * 2000)
    reopen_pair(admin=people.admin, pair=pairs["d03"], reason="x" * 2000)


@pytest.mark.parametrize(("sent", "kept"), [(None, None), (-3.0, 0.0), (0.5, 0.5), (90_000.0, 86_400.0)])
def test_seconds_are_at_least_0_and_at_most_a_day(pairs, people, sent, kept):
    assert decide(pairs["d03"], people.ada, 0, seconds=sent).seconds == kept


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


def test_other_judgments_than_those_shown_are_not_decided(pairs, people):
    before, other = (set(pairs[docno].slots.values_list("judgment__key", flat=True)) for docno in ("d03", "d02"))
    judge(pairs["d03"], people.bob, 2)
    for shown in (before, other):
        with pytest.raises(Conflict, match="judge changed"):
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
    decide(pairs["d05"], people.ada, 1)
    wrong = {"grade": 9, "note": "x" * 3000, "judgments": set()}
    own = [(people.ann, docno, {}) for docno in pairs]  # agreed, cases, a decided one, one that bob has not judged
    no_case = [(people.ada, "d01", {}), (people.ada, "d08", {}), (people.ada, "d03", {"token": "nowhere"})]
    refusals = set()
    for who, docno, fields in [*own, *no_case]:
        with pytest.raises(NotFound) as refused:
            decide(pairs[docno], who, **wrong, **fields)
        refusals.add(str(refused.value))
    assert len(refusals) == 1


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


@pytest.mark.parametrize("docno", ["d03", "d08"])
def test_a_pair_without_a_label_is_not_reopened(pairs, people, docno):
    with pytest.raises(Conflict):
        reopen_pair(admin=people.admin, pair=pairs[docno], reason="Why not.")


def test_no_code_can_change_a_decision_or_store_one_on_an_own_pair(pairs, people):
    decision = decide(pairs["d03"], people.ada, 0)
    reopening = reopen_pair(admin=people.admin, pair=pairs["d01"], reason="The guideline changed.")
    own = {"adjudicator": people.ann, "key": uuid.uuid4(), "grade": 0, "pair": pairs["d03"]}
    judgments = {"first": decision.first, "second": decision.second, "collection": decision.collection}
    changes = [
        lambda: Decision.objects.update(grade=3),
        decision.delete,
        lambda: Reopening.objects.update(reason="Other."),
        reopening.delete,
        lambda: Decision.objects.create(**own, **judgments),
    ]
    for change in changes:
        with pytest.raises(IntegrityError), transaction.atomic():
            change()
