"""What a decision must be, and when it is refused."""

import uuid

import pytest

from accounts.models import Role
from adjudication.errors import AlreadyDecided, BadRuling, JudgmentsChanged, NoSuchCase
from adjudication.models import Decision
from adjudication.services import Ruling, decide
from tests.support.factories import a_collection, an_open_query, member
from tests.support.sittings import judge, judge_both, settle, slots_of
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db


@once_a_file
def opening():
    return an_open_query(a_collection())


@pytest.fixture
def case(opening):
    slot, *_ = judge_both(opening, (0, 3))
    return slot


@pytest.fixture
def adjudicator(opening):
    return member(opening.query.collection, Role.ADJUDICATOR, "adju")


@pytest.fixture
def colleague(opening):
    return member(opening.query.collection, Role.ADJUDICATOR, "adju2")


@pytest.mark.parametrize(
    "ruling",
    [
        Ruling(),
        Ruling(reason=" \t"),
        Ruling(note="a note is no reason"),
        Ruling(grade=4),
        Ruling(grade=-1),
        Ruling(grade=1, reason="Garbled"),
    ],
)
def test_a_ruling_is_a_grade_or_a_reason(case, adjudicator, ruling):
    with pytest.raises(BadRuling):
        settle(case, adjudicator, None, ruling=ruling)
    assert not Decision.objects.exists()


def test_the_first_decision_stands_against_another_adjudicator(case, adjudicator, colleague):
    first = settle(case, adjudicator, 1)

    with pytest.raises(AlreadyDecided):
        settle(case, colleague, 2)
    assert Decision.objects.get() == first


def test_an_adjudicator_changes_his_or_her_own_decision(case, adjudicator):
    settle(case, adjudicator, 1)
    settle(case, adjudicator, 2)

    assert list(Decision.objects.values_list("sequence", "grade")) == [(1, 1), (2, 2)]


def test_after_a_revision_another_adjudicator_may_decide(case, adjudicator, colleague):
    settle(case, adjudicator, 1)
    judge(case, 2)

    assert settle(case, colleague, 2).sequence == 2


def test_a_decision_on_judgments_that_were_revised_is_refused(case, adjudicator):
    seen = tuple(case.pair.slots.order_by("number").values_list("judgment_id", flat=True))
    judge(case, 1)

    with pytest.raises(JudgmentsChanged):
        settle(case, adjudicator, 1, judgment_ids=seen)
    assert not Decision.objects.exists()


def test_a_pair_on_which_both_judges_agree_is_no_case(opening, adjudicator):
    slot, *_ = judge_both(opening, (2, 2))
    seen = tuple(slot.pair.slots.order_by("number").values_list("judgment_id", flat=True))

    with pytest.raises(NoSuchCase):
        decide(
            pair_id=slot.pair_id,
            adjudicator=adjudicator,
            ruling=Ruling(grade=2),
            judgment_ids=seen,
            key=uuid.uuid4(),
        )


def test_a_pair_with_one_judgment_is_no_case(opening, adjudicator):
    slot = slots_of(opening, "ann1")[0]
    judgment = judge(slot, 1)

    with pytest.raises(NoSuchCase):
        decide(
            pair_id=slot.pair_id,
            adjudicator=adjudicator,
            ruling=Ruling(grade=2),
            judgment_ids=(judgment.pk, 0),
            key=uuid.uuid4(),
        )


def test_the_same_key_again_is_the_same_decision(case, adjudicator):
    key = uuid.uuid4()
    first = settle(case, adjudicator, 1, key=key)

    assert settle(case, adjudicator, 1, key=key) == first
    assert Decision.objects.count() == 1
