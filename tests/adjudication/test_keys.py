"""One idempotency key is one ruling on one case by one adjudicator; anything else is refused."""

import uuid
from itertools import product

import pytest

from accounts.models import Role
from adjudication.errors import AlreadyDecided, DecidedMeanwhile, DecisionKeyReused
from adjudication.models import Case, Decision
from adjudication.services import Ruling
from tests.support.factories import a_collection, an_open_query, member
from tests.support.running import at_once
from tests.support.sittings import carried, judge, judge_both, pair_url, settle

JSON = {"HTTP_ACCEPT": "application/json"}


@pytest.fixture
def opening():
    return an_open_query(a_collection(), size=4)


@pytest.fixture
def adjudicator(opening):
    return member(opening.query.collection, Role.ADJUDICATOR, "adju")


@pytest.mark.django_db
def test_the_same_ruling_with_the_same_key_counts_once(opening, adjudicator):
    slot, *_ = judge_both(opening, (0, 3))
    key = uuid.uuid4()

    decisions = [settle(slot, adjudicator, 1, key=key, supersedes=None) for _ in range(2)]
    assert decisions[0] == decisions[1] == Decision.objects.get()


@pytest.mark.django_db
def test_a_key_with_another_ruling_is_refused(opening, adjudicator):
    slot, *_ = judge_both(opening, (0, 3))
    first = settle(slot, adjudicator, 1)

    for ruling in (
        Ruling(grade=2),
        Ruling(reason="other", note="Two papers in one"),
        Ruling(grade=1, note="On reflection"),
    ):
        with pytest.raises(DecisionKeyReused):
            settle(slot, adjudicator, None, ruling=ruling, key=first.key)
    assert Decision.objects.get() == first


@pytest.mark.django_db
def test_a_key_of_another_case_adjudicator_or_judgment_is_refused(opening, adjudicator):
    slot, other = judge_both(opening, (0, 3), (0, 3))
    first = settle(slot, adjudicator, 1)
    colleague = member(opening.query.collection, Role.ADJUDICATOR, "adju2")

    with pytest.raises(DecisionKeyReused):
        settle(other, adjudicator, 1, key=first.key)
    with pytest.raises(DecisionKeyReused):
        settle(slot, colleague, 1, key=first.key)
    assert Decision.objects.get() == first
    judge(slot, 2)
    with pytest.raises(DecisionKeyReused):
        settle(slot, adjudicator, 1, key=first.key)
    assert Case.objects.due().filter(pk=slot.pair_id).exists()


@pytest.mark.django_db
def test_a_late_copy_of_an_old_page_cannot_overwrite_an_adjudicator_s_own_decision(
    opening, adjudicator
):
    slot, *_ = judge_both(opening, (0, 3))
    settle(slot, adjudicator, 1)

    with pytest.raises(DecidedMeanwhile):
        settle(slot, adjudicator, 2, supersedes=None)
    with pytest.raises(DecidedMeanwhile):
        settle(slot, adjudicator, 2, supersedes=uuid.uuid4())
    assert Decision.objects.get().grade == 1


@pytest.mark.django_db
def test_a_decision_that_names_the_standing_one_supersedes_it(opening, adjudicator):
    slot, *_ = judge_both(opening, (0, 3))
    first = settle(slot, adjudicator, 1)
    second = settle(slot, adjudicator, 2, supersedes=first.key)

    assert Case.objects.cases().get(pk=slot.pair_id).decision_id == second.pk
    assert (first.sequence, second.sequence) == (1, 2)


# As the pages send it


@pytest.fixture
def sent(client, opening, adjudicator):
    """A decided case, and what its page sent."""
    client.force_login(adjudicator)
    slot, *_ = judge_both(opening, (0, 3))
    fields = {**carried(client.get(pair_url(slot, "case")).content.decode()), "answer": "1"}
    assert client.post(pair_url(slot, "case"), fields, **JSON).status_code == 200
    return slot, fields


@pytest.mark.django_db
def test_a_key_with_another_ruling_is_a_conflict(client, sent):
    slot, fields = sent
    response = client.post(pair_url(slot, "case"), {**fields, "answer": "2"}, **JSON)

    assert (response.status_code, response.json()["error"]) == (409, "DecisionKeyReused")
    assert response.json()["key"] == fields["key"]
    assert Decision.objects.get().grade == 1


@pytest.mark.django_db
def test_an_old_page_is_a_conflict_and_the_page_of_today_can_change_the_decision(client, sent):
    slot, fields = sent
    late = {**fields, "key": str(uuid.uuid4()), "answer": "2"}
    response = client.post(pair_url(slot, "case"), late, **JSON)
    assert (response.status_code, response.json()["error"]) == (409, "DecidedMeanwhile")

    anew = carried(client.get(pair_url(slot, "case")).content.decode())
    assert client.post(pair_url(slot, "case"), {**anew, "answer": "2"}).status_code == 302
    assert list(Decision.objects.values_list("grade", flat=True)) == [1, 2]


@pytest.mark.django_db
def test_an_accepted_card_sent_again_is_the_same_ruling_though_a_judge_revised_since(
    client, opening, adjudicator
):
    """The second time the case shows other cards, or is none any more."""
    client.force_login(adjudicator)
    slots = judge_both(opening, *[(0, 3)] * 4)
    for slot, (letter, revised) in zip(slots, product("ab", (1, 3)), strict=True):
        url = pair_url(slot, "case")
        fields = {**carried(client.get(url).content.decode()), "answer": letter}
        client.post(url, fields, **JSON)
        judge(slot, revised)
        response = client.post(url, fields, **JSON)

        assert (response.status_code, response.json()["key"]) == (200, fields["key"])
        assert Decision.objects.filter(pair=slot.pair_id).count() == 1, (letter, revised)


# At once


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_one_key_with_two_rulings_at_once_saves_one_and_refuses_the_other(opening, adjudicator):
    slot, *_ = judge_both(opening, (0, 3))
    key = uuid.uuid4()

    outcomes = at_once(
        [
            lambda grade=grade: settle(slot, adjudicator, grade, key=key, supersedes=None)
            for grade in (1, 2) * 4
        ]
    )

    decision = Decision.objects.get()
    assert sum(outcome == decision for outcome in outcomes) == 4
    assert sum(isinstance(outcome, DecisionKeyReused) for outcome in outcomes) == 4


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_one_key_for_two_cases_at_once_decides_one(opening, adjudicator):
    cases, key = judge_both(opening, (0, 3), (0, 3)), uuid.uuid4()

    outcomes = at_once(
        [
            lambda slot=slot: settle(slot, adjudicator, 1, key=key, supersedes=None)
            for slot in cases * 4
        ]
    )

    decision = Decision.objects.get()
    assert sum(outcome == decision for outcome in outcomes) == 4
    assert sum(isinstance(outcome, DecisionKeyReused) for outcome in outcomes) == 4


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_two_windows_of_one_adjudicator_at_once_leave_one_decision(opening, adjudicator):
    slot, *_ = judge_both(opening, (0, 3))

    outcomes = at_once(
        [
            lambda grade=grade: settle(slot, adjudicator, grade, supersedes=None)
            for grade in (0, 1, 2, 3)
        ]
    )

    assert Decision.objects.get() in outcomes
    assert sum(isinstance(outcome, DecidedMeanwhile) for outcome in outcomes) == 3


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_one_key_of_two_adjudicators_at_once_counts_for_one(opening, adjudicator):
    slot, *_ = judge_both(opening, (0, 3))
    people = [adjudicator, member(opening.query.collection, Role.ADJUDICATOR, "adju2")]
    key = uuid.uuid4()

    outcomes = at_once(
        [lambda user=user: settle(slot, user, 1, key=key, supersedes=None) for user in people * 2]
    )

    decision = Decision.objects.get()
    assert sum(outcome == decision for outcome in outcomes) == 2
    refused = [
        outcome for outcome in outcomes if isinstance(outcome, DecisionKeyReused | AlreadyDecided)
    ]
    assert len(refused) == 2
