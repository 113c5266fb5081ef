"""A share of the agreed pairs that an adjudicator grades blind."""

from __future__ import annotations

import re

import pytest
from django.db.models import F
from django.urls import reverse

from accounts.models import Collection, Role
from adjudication import queue
from adjudication.errors import NoSuchCase
from adjudication.labels import labelled_pairs
from adjudication.models import BlindRating, Case, SpotCheckCount
from adjudication.services import Ruling
from annotation.models import Pair
from corpus.ordering import random_number
from tests.support.counting import kept_counts, recounted
from tests.support.factories import a_collection, an_open_query, annotators, member
from tests.support.running import at_once
from tests.support.sittings import (
    carried,
    judge,
    judge_both,
    pair_url,
    query_url,
    rate,
    rate_pair,
    refer,
    slots_of,
    with_rules,
)
from tests.support.visits import markup, text_of
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db


@once_a_file
def opening():
    return an_open_query(with_rules(a_collection(), spot_check_share=1.0), size=8)


@pytest.fixture
def collection(opening):
    return opening.query.collection


@pytest.fixture
def adjudicator(collection):
    return member(collection, Role.ADJUDICATOR, "adju")


@pytest.fixture
def pages(client, adjudicator):
    client.force_login(adjudicator)
    return client


def checked_pairs(user) -> set[int]:
    return set(Case.objects.waiting().for_adjudicator(user).values_list("pk", flat=True))


def test_the_number_of_a_pair_is_from_the_seed_and_not_from_grades(opening):
    for pair in Pair.objects.select_related("candidate__document"):
        docno = pair.candidate.document.docno
        expected = random_number("seed", "spot-check", opening.query.name, docno)
        assert pair.spot_check_number == expected
        assert 0 <= expected < 1


def test_about_the_share_of_agreed_pairs_is_checked(collection, adjudicator):
    opening = an_open_query(collection, size=40)
    judge_both(opening, *[(1, 1)] * 40)
    numbers = list(opening.query.pairs.values_list("spot_check_number", flat=True))
    for share in (0.0, 0.25, 0.5, 1.0):
        Collection.objects.update(spot_check_share=share)
        found = queue.counts(opening.query, adjudicator)["due"]
        assert found == sum(number < share for number in numbers)
        assert queue.due_cases([collection.pk], adjudicator).get(collection.pk, 0) == found


def test_only_agreed_pairs_are_spot_checks(opening, adjudicator):
    agreed, _, _ = judge_both(opening, (1, 1), (0, 3), (None, None))
    spot_checks = Case.objects.waiting().filter(first_grade=F("second_grade"))

    assert [case.pk for case in spot_checks] == [agreed.pair_id]
    assert SpotCheckCount.objects.get().due == 1


def test_a_judge_who_adjudicates_gets_no_own_pair(opening, collection):
    judge_both(opening, (1, 1))
    judge_too = member(collection, Role.ADJUDICATOR, annotators(collection)[0].username)

    assert checked_pairs(judge_too) == set()
    assert queue.counts(opening.query, judge_too)["due"] == 0


def test_a_checked_pair_is_not_checked_again_until_a_judgment_changes(opening, adjudicator):
    slot, *_ = judge_both(opening, (1, 1))
    rate(slot, adjudicator, 2)
    assert checked_pairs(adjudicator) == set()

    judge(slot, 1)
    assert checked_pairs(adjudicator) == {slot.pair_id}


def test_a_spot_check_changes_no_label_and_makes_no_case(opening, collection, adjudicator):
    slot, *_ = judge_both(opening, (1, 1))
    before = list(labelled_pairs(collection))
    rate(slot, adjudicator, 3)

    assert list(labelled_pairs(collection)) == before
    assert not Case.objects.cases().exists()


def test_a_share_that_was_lowered_meanwhile_needs_no_grade(opening, adjudicator):
    slot, *_ = judge_both(opening, (1, 1))
    pair = Case.objects.to_adjudicate().get(pk=slot.pair_id)
    Collection.objects.update(spot_check_share=0)

    with pytest.raises(NoSuchCase):
        rate_pair(pair, adjudicator, Ruling(grade=1))


def test_a_pair_that_failed_its_check_and_is_sent_on_shows_the_own_blind_grade(
    pages, opening, adjudicator
):
    slot, *_ = judge_both(opening, (1, 1))
    rate(slot, adjudicator, 3)
    refer(slot.pair, "adjudicator")

    page = text_of(pages.get(pair_url(slot, "case")))
    assert "Before you saw the judgments, you said <b>3</b>" in page


def test_a_checked_pair_is_not_shown_again(pages, opening, adjudicator):
    slot, *_ = judge_both(opening, (1, 1))
    rate(slot, adjudicator, 3)
    answer = pages.get(pair_url(slot, "case"), follow=True)

    assert answer.redirect_chain == [(reverse("adjudicate", args=["small"]), 302)]
    assert "You graded this pair. It needs no decision." in text_of(answer)


def test_spot_checks_come_after_the_cases(pages, opening, adjudicator):
    agreed, near = judge_both(opening, (1, 1), (1, 2))
    assert pages.post(query_url(opening, "adjudicate-query")).url == pair_url(near, "case")
    fields = carried(pages.get(pair_url(near, "case")).text)

    assert pages.post(pair_url(near, "case"), {**fields, "answer": "1"}).url == pair_url(
        agreed, "case"
    )
    page = markup(pages.get(pair_url(agreed, "case")).text)
    assert "Accept A" not in page
    fields = carried(page)
    done = pages.post(pair_url(agreed, "case"), {**fields, "answer": "2"}, follow=True)
    assert "Saved. This pair needs no decision." in text_of(done)
    assert BlindRating.objects.get().is_spot_check


def test_the_list_counts_spot_checks_as_due(pages, opening):
    judge_both(opening, (1, 1), (1, 2), (2, 2))
    page = text_of(pages.get(reverse("adjudicate", args=["small"])))

    assert "3 due · 0 decided" in page
    assert "Start with 3 cases" in page


# In a collection that grades blind first


@pytest.fixture
def blind_first():
    Collection.objects.update(grades_blind_first=True)


def test_a_spot_check_cannot_be_told_from_a_case(pages, opening, blind_first):
    """Both pages are the same but for the texts and names of the pair."""
    agreed, differing = judge_both(opening, (1, 1), (0, 3))
    others = [
        (agreed.pair.token, agreed.pair.candidate.document.docno),
        (differing.pair.token, differing.pair.candidate.document.docno),
    ]

    def page_of(slot) -> str:
        page = pages.get(pair_url(slot, "case")).text
        seen, key = (carried(page)[name] for name in ("seen", "key"))
        page = page.replace(seen, "SEEN").replace(key, "KEY")
        page = re.sub(r'(?<=name="key" value=")[0-9a-f-]{36}', "KEY", page)  # to ask the admin
        page = page.replace('aria-current="page"', "")
        for token, docno in others:
            page = page.replace(token, "TOKEN").replace(docno, "DOCNO")
        return without_csrf(page)

    assert page_of(agreed) == page_of(differing)


def without_csrf(page: str) -> str:
    return re.sub(r'(csrfmiddlewaretoken" value=")\w+', r"\1", page)


def test_cases_and_spot_checks_are_mixed_by_the_seed(opening, collection, adjudicator, blind_first):
    slots = judge_both(opening, *[(1, 1), (0, 3)] * 4)
    tokens = [case.token for case in queue.due_in_order(collection, adjudicator)[:8]]

    assert tokens == sorted(slot.pair.token for slot in slots)
    assert queue.counts(opening.query, adjudicator) == {"due": 8, "decided": 0}


def test_whether_the_judges_agree_changes_nothing_before_the_grade(
    pages, opening, adjudicator, blind_first
):
    slot, *_ = judge_both(opening, (1, 1), (0, 3))
    addresses = [
        reverse("adjudicate", args=["small"]),
        query_url(opening, "adjudicate-query"),
        pair_url(slot, "case"),
        reverse("api-cases", args=["small"]),
        reverse("collection", args=["small"]),
    ]

    def everything() -> list[str]:
        found = []
        for address in addresses:
            answer = pages.get(address)
            body = re.sub(r"\b[0-9A-Za-z]{64}\b", "DIGEST", answer.text)
            body = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "KEY", body)
            found.append(f"{answer.status_code} {answer.get('Location', '')} {body}")
        return found

    before = everything()
    judge(slot, 3)
    assert everything() == before


# Kept counts


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_a_share_changed_while_pairs_are_judged_and_checked_is_counted():
    opening = an_open_query(with_rules(a_collection(), spot_check_share=0.5), size=12)
    other = an_open_query(opening.query.collection, size=12)
    adjudicator = member(opening.query.collection, Role.ADJUDICATOR, "adju")
    judge_both(opening, *[(1, 1)] * 12)
    waiting = list(Case.objects.waiting())

    def judge_on():
        judge_both_in_turn(other)

    def change_share():
        for share in (1.0, 0.2, 0.8, 0.6):
            Collection.objects.update(spot_check_share=share)

    def check():
        for pair in waiting:
            try:
                rate_pair(pair, adjudicator, Ruling(grade=1))
            except NoSuchCase:
                continue

    assert at_once([judge_on, change_share, check]) == [None, None, None]
    assert kept_counts() == recounted()


def judge_both_in_turn(opening):
    for username in ("ann1", "ann2"):
        for slot in slots_of(opening, username):
            judge(slot, 2)
