"""Two adjudicators never work on the same case: claims, and how they end."""

from __future__ import annotations

from datetime import timedelta
from itertools import permutations

import pytest
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from accounts.models import Collection, Role
from adjudication import queue
from adjudication.claims.services import (
    CLAIM_MINUTES,
    claim_next,
    claim_pair,
    release_claim,
)
from adjudication.errors import (
    AlreadyDecided,
    ClaimedByAnother,
    JudgedByYou,
    NoSuchCase,
)
from adjudication.models import Claim, Decision
from tests.support.factories import a_collection, an_open_query, member
from tests.support.running import at_once
from tests.support.sittings import (
    carried,
    judge,
    judge_both,
    pair_url,
    query_url,
    rate,
    settle,
    slots_of,
    with_rules,
)
from tests.support.visits import text_of
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db


@once_a_file
def opening():
    return an_open_query(a_collection(), size=4)


@pytest.fixture
def adjudicator(opening):
    return member(opening.query.collection, Role.ADJUDICATOR, "adju")


@pytest.fixture
def colleague(opening):
    return member(opening.query.collection, Role.ADJUDICATOR, "adju2")


@pytest.fixture
def case(opening):
    slot, *_ = judge_both(opening, (0, 3))
    return slot


def expire(slot) -> None:
    """As if its person had left 15 minutes ago."""
    past = timezone.now() - timedelta(minutes=CLAIM_MINUTES + 1)
    Claim.objects.filter(pair=slot.pair).update(
        claimed_at=past, expires_at=past + timedelta(minutes=CLAIM_MINUTES)
    )


def claim(slot, person) -> Claim:
    return claim_pair(pair_id=slot.pair_id, adjudicator=person)


def open_next(query, person):
    """The pair of the next case, which is claimed."""
    found = claim_next(
        find=lambda: queue.next_case(query, person),
        pair_of=lambda case: case.pk,
        adjudicator=person,
    )
    return found.pk if found else None


def test_a_claimed_case_is_not_given_to_another(opening, adjudicator, colleague):
    first, second = judge_both(opening, (0, 3), (1, 2))

    assert open_next(opening.query, adjudicator) == first.pair_id
    assert open_next(opening.query, colleague) == second.pair_id
    assert open_next(opening.query, member(opening.query.collection, "adjudicator", "a3")) is None
    assert open_next(opening.query, adjudicator) == first.pair_id


def test_another_can_neither_claim_nor_decide_a_claimed_case(case, adjudicator, colleague):
    claim(case, adjudicator)

    with pytest.raises(ClaimedByAnother):
        claim(case, colleague)
    with pytest.raises(ClaimedByAnother):
        settle(case, colleague, 1)
    assert settle(case, adjudicator, 1).grade == 1


def test_another_cannot_rate_a_claimed_case(opening, case, adjudicator, colleague):
    Collection.objects.update(grades_blind_first=True)
    claim(case, adjudicator)

    with pytest.raises(ClaimedByAnother):
        rate(case, colleague, 1)


def test_a_blind_rating_renews_the_claim_on_a_case_and_ends_that_on_a_spot_check(
    opening, adjudicator
):
    with_rules(opening.query.collection, grades_blind_first=True, spot_check_share=1.0)
    case, agreed = judge_both(opening, (0, 3), (1, 1))
    for slot in (case, agreed):
        claim(slot, adjudicator)
    soon = timezone.now() + timedelta(minutes=1)
    Claim.objects.update(expires_at=soon)
    for slot in (case, agreed):
        rate(slot, adjudicator, 1)

    assert Claim.objects.get().pair_id == case.pair_id
    assert Claim.objects.get().expires_at > soon


def test_an_expired_claim_goes_to_who_asks_next(case, adjudicator, colleague):
    claim(case, adjudicator)
    expire(case)

    assert claim(case, colleague).adjudicator == colleague
    with pytest.raises(ClaimedByAnother):
        settle(case, adjudicator, 1)


def test_an_answer_after_the_expiry_is_saved_if_nobody_else_took_the_case(
    case, adjudicator, colleague
):
    claim(case, adjudicator)
    expire(case)

    assert settle(case, adjudicator, 1).grade == 1
    with pytest.raises(AlreadyDecided):
        claim(case, colleague)


def test_a_claim_is_renewed_from_now_on(case, adjudicator):
    first = claim(case, adjudicator)
    Claim.objects.update(expires_at=first.expires_at - timedelta(minutes=10))

    assert claim(case, adjudicator).expires_at >= first.expires_at
    assert Claim.objects.get().claimed_at == first.claimed_at


def test_a_decision_ends_the_claim(case, adjudicator):
    claim(case, adjudicator)
    settle(case, adjudicator, 1)

    assert not Claim.objects.exists()


def test_a_claim_ends_for_its_own_person_only(case, adjudicator, colleague):
    claim(case, adjudicator)
    release_claim(pair_id=case.pair_id, adjudicator_id=colleague.pk)
    assert Claim.objects.exists()
    release_claim(pair_id=case.pair_id, adjudicator_id=adjudicator.pk)
    assert not Claim.objects.exists()


def test_a_judge_cannot_claim_an_own_pair(opening, case):
    judge_too = member(opening.query.collection, Role.ADJUDICATOR, "ann1")

    with pytest.raises(JudgedByYou):
        claim(case, judge_too)


def test_only_a_pair_that_waits_can_be_claimed(opening, case, adjudicator):
    judge(case, 3)

    with pytest.raises(NoSuchCase):
        claim(case, adjudicator)


# Pages


@pytest.fixture
def pages(client, adjudicator):
    client.force_login(adjudicator)
    return client


def test_looking_claims_nothing_and_opening_the_next_case_does(pages, opening, case, adjudicator):
    pages.get(reverse("adjudicate", args=["small"]))
    pages.get(query_url(opening, "adjudicate-query"))
    pages.get(pair_url(case, "case"))
    assert not Claim.objects.exists()

    assert pages.post(query_url(opening, "adjudicate-query")).url == pair_url(case, "case")
    assert Claim.objects.get().adjudicator == adjudicator


def test_saving_claims_the_case_that_follows(pages, opening, adjudicator):
    first, second = judge_both(opening, (0, 3), (1, 2))
    next_of_all = pages.post(reverse("adjudicate", args=["small"])).url
    assert next_of_all == f"{pair_url(first, 'case')}?then=all"

    page = pages.get(next_of_all).content.decode()
    pages.post(pair_url(first, "case"), {**carried(page), "answer": "1"})
    assert Claim.objects.get().pair_id == second.pair_id


def test_a_case_that_is_put_off_is_free_for_others(pages, opening, adjudicator, colleague):
    first, second = judge_both(opening, (0, 3), (1, 2))
    pages.post(query_url(opening, "adjudicate-query"))
    assert pages.post(pair_url(first, "case-later")).url == pair_url(second, "case")

    assert open_next(opening.query, colleague) == first.pair_id


def test_the_case_of_another_leads_back_to_the_list(pages, case, colleague):
    claim(case, colleague)
    answer = pages.get(pair_url(case, "case"), follow=True)

    assert answer.redirect_chain == [(reverse("adjudicate", args=["small"]), 302)]
    assert "Another adjudicator has this case open." in text_of(answer)


def test_where_others_adjudicate_too_a_case_is_claimed_by_a_button(pages, case, colleague):
    page = pages.get(pair_url(case, "case")).text
    assert "Claim this case" in page

    assert pages.post(pair_url(case, "case-claim")).url == pair_url(case, "case")
    assert "Claim this case" not in pages.get(pair_url(case, "case")).text


def test_an_answer_on_the_claim_of_another_is_kept_in_words(pages, case, colleague):
    page = pages.get(pair_url(case, "case")).text
    claim(case, colleague)
    fields = {**carried(page), "answer": "1", "note": "Long thought"}
    answer = pages.post(pair_url(case, "case"), fields, follow=True)

    assert "Another adjudicator has this pair open" in text_of(answer)
    assert "Your note was: Long thought" in text_of(answer)
    assert not Decision.objects.exists()


def test_a_script_is_told_who_cannot_renew_a_claim(pages, case, colleague):
    claim(case, colleague)
    answer = pages.post(pair_url(case, "case-claim"), {"key": "k"}, HTTP_ACCEPT="application/json")

    assert answer.status_code == 409
    assert (answer.json()["error"], answer.json()["key"]) == ("ClaimedByAnother", "k")


def test_when_others_have_all_cases_open_it_is_said(pages, case, colleague):
    claim(case, colleague)
    answer = pages.post(reverse("adjudicate", args=["small"]), follow=True)

    assert "Other adjudicators have all remaining cases open." in text_of(answer)


# In every order, and at once

STEPS = {
    "claim": lambda slot, person: claim(slot, person),
    "decide": lambda slot, person: settle(slot, person, 1),
    "expire": lambda slot, _: expire(slot),
    "release": lambda slot, person: release_claim(pair_id=slot.pair_id, adjudicator_id=person.pk),
}


def test_in_every_order_a_case_is_decided_once_and_held_by_one(case, adjudicator, colleague):
    claim(case, adjudicator)
    wrong = []
    for order in permutations(STEPS):
        before = transaction.savepoint()
        for step in order:
            for person in (colleague, adjudicator):
                try:
                    STEPS[step](case, person)
                except (ClaimedByAnother, AlreadyDecided):
                    continue
        if Decision.objects.count() + Claim.objects.count() != 1:
            wrong.append(order)
        transaction.savepoint_rollback(before)

    assert wrong == []


def a_contest(cases: int):
    opening = an_open_query(a_collection(), size=cases)
    slots = judge_both(opening, *[(0, 3)] * cases)
    people = [
        member(opening.query.collection, Role.ADJUDICATOR, name) for name in ("adju", "adju2")
    ]
    return opening, slots, people


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_two_who_ask_for_the_next_case_at_once_get_two_cases():
    opening, slots, people = a_contest(8)

    def work(person):
        mine = []
        for _ in range(4):
            pair = open_next(opening.query, person)
            mine.append(pair)
            settle(next(slot for slot in slots if slot.pair_id == pair), person, 1)
        return mine

    outcomes = at_once([lambda person=person: work(person) for person in people])

    assert sorted(pair for mine in outcomes for pair in mine) == sorted(
        slot.pair_id for slot in slots
    )
    assert Decision.objects.count() == 8
    assert not Claim.objects.exists()


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_of_a_claim_and_a_decision_at_once_one_is_refused():
    _, slots, (first, second) = a_contest(6)
    for slot in slots:
        claim_outcome, decision = at_once(
            [lambda slot=slot: claim(slot, first), lambda slot=slot: settle(slot, second, 1)]
        )
        refused = [
            isinstance(claim_outcome, AlreadyDecided),
            isinstance(decision, ClaimedByAnother),
        ]
        assert sorted(refused) == [False, True], (claim_outcome, decision)


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_of_two_who_answer_after_an_expiry_at_once_one_is_refused():
    _, slots, (first, second) = a_contest(6)
    for slot in slots:
        claim(slot, first)
        expire(slot)
        outcomes = at_once(
            [lambda slot=slot: settle(slot, first, 1), lambda slot=slot: claim(slot, second)]
        )
        refused = [isinstance(each, ClaimedByAnother | AlreadyDecided) for each in outcomes]
        assert sorted(refused) == [False, True], outcomes


def test_a_pair_with_one_judgment_cannot_be_claimed(opening, adjudicator):
    slot = slots_of(opening, "ann1")[0]
    judge(slot, 1)

    with pytest.raises(NoSuchCase):
        claim(slot, adjudicator)
