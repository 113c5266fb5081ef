"""An adjudicator who grades a case before seeing its two judgments."""

from __future__ import annotations

import re
import uuid

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import Collection, Role, User
from adjudication import queue
from adjudication.errors import (
    AlreadyDecided,
    BadRuling,
    BlindKeyReused,
    JudgedByYou,
    JudgmentsChanged,
    NoSuchCase,
    NotRatedBlind,
    RatedBlindMeanwhile,
)
from adjudication.models import BlindRating, Case, Decision
from adjudication.services import Ruling
from annotation.services import Answer
from tests.support.crawling import Crawl, filled, patterns
from tests.support.factories import a_collection, an_open_query, member
from tests.support.sittings import (
    carried,
    judge,
    judge_both,
    pair_url,
    query_url,
    rate,
    rate_pair,
    refer,
    settle,
    with_rules,
)
from tests.support.visits import csv_rows, markup, text_of
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db

SECRET, OTHER = "Nothing in common at all", "Word for word the same"


@once_a_file
def opening():
    return an_open_query(with_rules(a_collection(), grades_blind_first=True), size=4)


@pytest.fixture
def case(opening):
    slot, *_ = judge_both(opening, (Answer(grade=0, note=SECRET), Answer(grade=3, note=OTHER)))
    return slot


@pytest.fixture
def adjudicator(opening):
    return member(opening.query.collection, Role.ADJUDICATOR, "adju")


@pytest.fixture
def colleague(opening):
    return member(opening.query.collection, Role.ADJUDICATOR, "adju2")


@pytest.fixture
def pages(client, adjudicator):
    client.force_login(adjudicator)
    return client


# Services


def test_a_decision_needs_the_blind_rating_of_its_own_adjudicator(case, adjudicator, colleague):
    rate(case, colleague, 2)

    with pytest.raises(NotRatedBlind):
        settle(case, adjudicator, 1)
    rate(case, adjudicator, 2)
    settle(case, adjudicator, 1)
    assert Decision.objects.get().grade == 1
    assert list(BlindRating.objects.values_list("adjudicator__username", "grade")) == [
        ("adju2", 2),
        ("adju", 2),
    ]


def test_a_rating_of_earlier_judgments_is_not_enough(case, adjudicator):
    rate(case, adjudicator, 2)
    judge(case, 1)

    with pytest.raises(NotRatedBlind):
        settle(case, adjudicator, 1)


def test_a_blind_rating_is_given_once_and_stays(case, adjudicator):
    rate(case, adjudicator, 2)

    with pytest.raises(RatedBlindMeanwhile):
        rate(case, adjudicator, 3)
    assert BlindRating.objects.get().grade == 2


def test_the_same_key_is_the_same_rating_and_no_other(case, adjudicator):
    key = uuid.uuid4()
    first = rate(case, adjudicator, 2, key=key, seconds=4.5)

    assert rate(case, adjudicator, 2, key=key) == first
    assert first.seconds == 4.5
    with pytest.raises(BlindKeyReused):
        rate(case, adjudicator, 1, key=key)


def test_a_key_of_another_pair_is_refused(opening, adjudicator):
    first, second = judge_both(opening, (0, 3), (1, 2))
    key = uuid.uuid4()
    rate(first, adjudicator, 2, key=key)

    with pytest.raises(BlindKeyReused):
        rate(second, adjudicator, 2, key=key)


@pytest.mark.parametrize("ruling", [Ruling(), Ruling(grade=4), Ruling(grade=1, reason="garbled")])
def test_a_blind_rating_is_a_grade_or_a_reason(case, adjudicator, ruling):
    with pytest.raises(BadRuling):
        rate(case, adjudicator, None, ruling=ruling)


def test_a_judge_of_the_pair_cannot_rate_it(opening, case):
    with pytest.raises(JudgedByYou):
        rate(case, member(opening.query.collection, Role.ADJUDICATOR, "ann1"), 1)


def test_a_revised_judgment_asks_for_the_grade_again(case, adjudicator):
    seen = tuple(case.pair.slots.order_by("number").values_list("judgment_id", flat=True))
    judge(case, 1)

    with pytest.raises(JudgmentsChanged):
        rate(case, adjudicator, 1, judgment_ids=seen)


def test_a_pair_that_is_no_case_any_more_is_not_rated_and_not_said_why(case, adjudicator):
    pair = Case.objects.to_adjudicate().get(pk=case.pair_id)
    judge(case, 3)

    with pytest.raises(NoSuchCase) as refused:
        rate_pair(pair, adjudicator, Ruling(grade=1))
    assert "agree" not in str(refused.value)


def test_a_decided_case_is_not_rated(case, adjudicator, colleague):
    rate(case, colleague, 2)
    settle(case, colleague, 2)

    with pytest.raises(AlreadyDecided):
        rate(case, adjudicator, 1)


def test_who_decided_before_the_setting_was_on_may_change_the_decision(case, adjudicator):
    Collection.objects.update(grades_blind_first=False)
    settle(case, adjudicator, 1)
    Collection.objects.update(grades_blind_first=True)

    assert settle(case, adjudicator, 2).sequence == 2


def test_a_case_sent_again_needs_no_second_rating_of_the_same_judgments(case, adjudicator):
    rate(case, adjudicator, 2)
    settle(case, adjudicator, 2)
    refer(case.pair, "adjudicator")

    assert settle(case, adjudicator, 1).grade == 1


# The page


def case_page(client, slot) -> str:
    return markup(client.get(pair_url(slot, "case")).content.decode())


def answer(client, slot, grade, **more):
    fields = carried(case_page(client, slot))
    return client.post(pair_url(slot, "case"), {**fields, "answer": grade, **more})


def test_the_case_is_graded_before_the_judgments_are_shown(pages, case):
    blind = case_page(pages, case)
    assert "Give your own grade first." in blind
    assert "Accept A" not in blind
    for words in (SECRET, OTHER, "overrules", "as A says"):
        assert words not in blind

    assert answer(pages, case, "2", note="Half", seconds="3.5").url == pair_url(case, "case")
    shown = case_page(pages, case)
    assert SECRET in shown
    assert OTHER in shown
    assert "you said" in shown
    assert "overrules both, as you said" in shown
    assert "Half" in shown
    rating = BlindRating.objects.get()
    assert (rating.grade, rating.note, rating.seconds) == (2, "Half", 3.5)


def test_a_confirmed_grade_is_kept_beside_the_blind_one(pages, case):
    answer(pages, case, "2")
    answer(pages, case, "2", seconds="1.5")

    assert Decision.objects.get().grade == BlindRating.objects.get().grade == 2
    assert Decision.objects.get().seconds == 1.5


def test_a_blind_cannot_judge_has_its_words(pages, case):
    answer(pages, case, "cannot", reason="Two papers in one")

    rating = BlindRating.objects.get()
    assert (rating.grade, rating.reason, rating.note) == (None, "other", "Two papers in one")
    assert "cannot judge: Two papers in one" in text_of(pages.get(pair_url(case, "case")))


@pytest.mark.parametrize("letter", ["a", "b"])
def test_a_hidden_judgment_cannot_be_accepted(pages, case, letter):
    refused = answer(pages, case, letter)

    assert refused.status_code == 400
    assert not BlindRating.objects.exists()


def test_a_decision_sent_without_a_blind_grade_is_refused(pages, case):
    fields = carried(case_page(pages, case))
    del fields["blind"]
    refused = pages.post(pair_url(case, "case"), {**fields, "answer": "a"})

    assert refused.status_code == 409
    assert "you grade a case before you see the two judgments" in text_of(refused)
    assert SECRET not in refused.text
    assert not Decision.objects.exists()


def test_the_form_sent_twice_is_one_rating(pages, case):
    fields = carried(case_page(pages, case)) | {"answer": "2"}
    for _ in range(2):
        assert pages.post(pair_url(case, "case"), fields).url == pair_url(case, "case")

    assert BlindRating.objects.count() == 1


def test_the_order_does_not_depend_on_grades(opening, adjudicator):
    slots = judge_both(opening, (1, 2), (0, 3), (Answer(reason="garbled"), 1), (2, 1))
    by_token = sorted(slot.pair.token for slot in slots)

    due = queue.due_in_order(opening.query.collection, adjudicator)
    assert [case.token for case in due[:10]] == by_token
    assert queue.next_token(opening.query, adjudicator) == by_token[0]


def test_the_reason_of_a_referral_is_told_after_the_grade(pages, opening):
    slot, *_ = judge_both(opening, (2, 2))
    refer(slot.pair, "adjudicator", reason="Both said 2, a reader says 0.")

    assert "a reader says" not in case_page(pages, slot)
    answer(pages, slot, "1")
    assert "a reader says" in case_page(pages, slot)


def test_the_list_of_decisions_has_the_own_ones_only(pages, opening, adjudicator, colleague):
    own, others = judge_both(opening, (0, 3), (1, 2))
    for slot, person in ((own, adjudicator), (others, colleague)):
        rate(slot, person, 2)
        settle(slot, person, 2)
    decided = query_url(opening, "adjudicate-decided")

    rows = csv_rows(pages.get(f"{decided}?format=csv"))
    assert own.pair.candidate.document.title in str(rows)
    assert others.pair.candidate.document.title not in str(rows)
    assert others.pair.candidate.document.title not in pages.get(decided).text


# Nothing tells


@pytest.mark.by_day(2)
def test_no_page_and_no_answer_tells_a_judgment_before_the_grade(opening, adjudicator):
    """Every address with every id; then an address of the crawl shows a note, once graded.

    Between, the judges revise: not only the notes, but orders, counts and words stay the same.
    """
    first = Answer(grade=0, note=SECRET)
    case, *more = judge_both(opening, (first, Answer(grade=3, note=OTHER)), (0, 3), (0, 3))
    crawl = a_crawl_of_everything(opening, adjudicator)
    assert crawl.holding(re.compile(f"{SECRET}|{OTHER}")) == []
    assert [found.request for found in crawl.answers if '"difference":3' in found.body] == []
    assert {"case", "adjudicate", "api-case", "api-cases"} <= crawl.names
    assert f"GET {pair_url(case, 'case')}" in answers_by_request(crawl)

    for slot, grades in zip((case, *more), [(0, 1), (3, 2), (None, 3)], strict=True):
        for number, grade in enumerate(grades, start=1):
            judge(slot.pair.slots.get(number=number), grade)
    after = a_crawl_of_everything(opening, adjudicator)
    assert answers_by_request(after) == answers_by_request(crawl)

    judge(case, first)
    rate(case, adjudicator, 2)
    after.ask("get", pair_url(case, "case"))
    assert after.holding(re.compile(SECRET))


def a_crawl_of_everything(opening, person: User) -> Crawl:
    client = Client()
    client.force_login(person)
    crawl = Crawl(client).follow_links("/")
    ids = {
        "slug": [opening.query.collection.slug],
        "name": [opening.query.name],
        "query": [opening.query.name],
        "token": list(opening.query.pairs.values_list("token", flat=True)),
    }
    for route, pattern in patterns():
        if "slug" not in route or not (pattern.name or "").startswith(
            ("adjudicate", "case", "api-case", "api-decisions", "collection", "api-collection")
        ):
            continue
        for address in filled(route, ids):
            if address not in crawl.seen:
                crawl.ask("get", address)
    return crawl


def answers_by_request(crawl: Crawl) -> dict[str, tuple[int, str]]:
    return {found.request: (found.status, unvarying(found.body)) for found in crawl.answers}


def unvarying(body: str) -> str:
    body = re.sub(r"\b[0-9A-Za-z]{64}\b", "DIGEST", body)
    return re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "KEY", body)


# The API


@pytest.fixture
def api(adjudicator):
    client = APIClient()
    client.force_authenticate(adjudicator)
    return client


def api_url(name: str, slot) -> str:
    query = slot.pair.query
    return reverse(name, args=[query.collection.slug, query.name, slot.pair.token])


def test_the_api_takes_a_blind_grade_and_then_shows_both_judgments(api, case):
    blind = api.get(api_url("api-case", case)).json()
    assert (blind["blind"], blind["judgments"]) == (True, [])
    assert api.get(reverse("api-cases", args=["small"])).json()["results"][0]["difference"] is None

    body = {"seen": blind["seen"], "grade": 2, "key": str(uuid.uuid4())}
    for status in (201, 200):
        done = api.post(api_url("api-rate-blind", case), body, format="json")
        assert (done.status_code, done.json()["needs_decision"]) == (status, True)
    shown = api.get(api_url("api-case", case)).json()
    assert {card["grade"] for card in shown["judgments"]} == {0, 3}
    assert (shown["blind"], shown["blind_grade"]) == (False, 2)


def test_the_api_refuses_a_decision_before_the_blind_grade(api, case):
    seen = api.get(api_url("api-case", case)).json()["seen"]
    body = {"seen": seen, "grade": 2, "key": str(uuid.uuid4()), "supersedes": None}
    refused = api.post(api_url("api-decide", case), body, format="json")

    assert (refused.status_code, refused.json()["code"]) == (409, "not_rated_blind")


def test_a_claim_through_the_api_is_told_to_others(api, case, colleague):
    assert api.post(api_url("api-claim-case", case)).status_code == 200
    other = APIClient()
    other.force_authenticate(colleague)
    refused = other.post(api_url("api-claim-case", case))
    assert (refused.status_code, refused.json()["code"]) == (409, "claimed_by_another")
    (line,) = other.get(reverse("api-cases", args=["small"])).json()["results"]
    assert line["claimed"]
