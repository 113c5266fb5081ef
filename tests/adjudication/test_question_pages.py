"""The pages on which an adjudicator asks, and on which the judges answer, as plain forms."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import Role, User
from annotation.models import KeptAnswer, PairQuestion, Slot
from annotation.services import Answer
from tests.adjudication.test_counts import a_version_for
from tests.support.crawling import Crawl
from tests.support.factories import a_collection, an_open_query, member
from tests.support.sittings import (
    ask,
    carried,
    judge,
    judge_both,
    keep,
    pair_url,
    slots_of,
)
from tests.support.visits import markup
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@once_a_file
def opening():
    opening = an_open_query(a_collection(), size=4)
    note = Answer(grade=3, note="SECRET NOTE")
    judge_both(opening, (0, note), (1, 2), (2, 2))
    return opening


@pytest.fixture
def slot(opening):
    return slots_of(opening, "ann1")[0]


@pytest.fixture
def adjudicator(opening):
    return User.objects.get(username="adju")


def browser_of(username: str) -> Client:
    client = Client()
    client.force_login(User.objects.get(username=username))
    return client


def page(client: Client, url: str) -> str:
    return markup(client.get(url).content.decode())


def address(opening, view: str = "case-questions", *arguments) -> str:
    return reverse(view, args=[opening.query.collection.slug, *arguments])


def other_slot(slot: Slot) -> Slot:
    return Slot.objects.get(pair=slot.pair_id, number=2)


def fields_of(text: str, form: str) -> dict[str, str]:
    part = text[text.index(f'id="{form}"') :]
    part = part[: part.index("</form")]
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', part))


# The adjudicator


def test_an_adjudicator_asks_from_the_case_and_goes_on_to_the_next(opening, slot, adjudicator):
    client = browser_of("adju")
    case = page(client, pair_url(slot, "case"))

    answer = client.post(
        pair_url(slot, "ask-judges"),
        fields_of(case, "ask-form")
        | {"wording": "guideline", "query_sentences": [1, 2], "candidate_sentences": [3]},
        follow=True,
    )

    question = PairQuestion.objects.get()
    assert (question.wording, question.asked_by) == ("guideline", adjudicator)
    assert (question.query_sentences, question.candidate_sentences) == ([1, 2], [3])
    assert answer.request["PATH_INFO"] == pair_url(slots_of(opening, "ann1")[1], "case")
    assert "Both judges are asked" in answer.content.decode()


def test_the_next_of_all_cases_follows_if_the_adjudicator_came_from_there(slot):
    client = browser_of("adju")
    case = page(client, f"{pair_url(slot, 'case')}?then=all")

    answer = client.post(
        pair_url(slot, "ask-judges"), fields_of(case, "ask-form") | {"wording": "again"}
    )

    assert answer.url.endswith("/adjudicate/?next")


def test_after_the_only_case_of_a_query_the_queue_follows(opening, slot, adjudicator):
    ask(slots_of(opening, "ann1")[1], adjudicator)
    client = browser_of("adju")
    case = page(client, pair_url(slot, "case"))

    client.post(pair_url(slot, "ask-judges"), fields_of(case, "ask-form") | {"wording": "again"})
    queue = page(client, address(opening, "adjudicate"))

    assert "2 pairs wait for answers of their judges" in queue
    assert "No case is due" in queue


def test_an_incomplete_question_is_not_sent(slot):
    client = browser_of("adju")
    carried_on = fields_of(page(client, pair_url(slot, "case")), "ask-form")

    for fields in (
        {},
        {"wording": "Is it not a 3?"},
        {"wording": "again", "query_sentences": ["one"]},
    ):
        answer = client.post(pair_url(slot, "ask-judges"), carried_on | fields, follow=True)

        assert "This question is incomplete" in answer.content.decode(), fields
        assert not PairQuestion.objects.exists()


def test_a_refused_question_shows_the_case_again_with_the_reason(slot):
    client = browser_of("adju")
    form = fields_of(page(client, pair_url(slot, "case")), "ask-form") | {"wording": "again"}
    judge(slot, 1)

    answer = client.post(pair_url(slot, "ask-judges"), form, follow=True)

    assert answer.request["PATH_INFO"] == pair_url(slot, "case")
    assert "A judge revised a judgment of this pair meanwhile" in answer.content.decode()


def test_a_waiting_case_leads_to_the_list_of_questions(slot, adjudicator):
    ask(slot, adjudicator)

    answer = browser_of("adju").get(pair_url(slot, "case"), follow=True)

    text = answer.content.decode()
    assert answer.request["PATH_INFO"].endswith("/questions/")
    assert "waits for the answers of its judges" in text
    assert slot.pair.candidate.document.title in text


def test_a_question_is_taken_back_from_the_list(opening, slot, adjudicator):
    question = ask(slot, adjudicator)
    client = browser_of("adju")

    client.post(address(opening, "take-question-back", question.pk))

    assert client.get(pair_url(slot, "case")).status_code == 200
    assert "No open questions" in page(client, address(opening))


def test_a_question_that_was_answered_meanwhile_is_not_taken_back(opening, slot, adjudicator):
    question = ask(slot, adjudicator)
    for each in (slot, other_slot(slot)):
        keep(each)

    answer = browser_of("adju").post(
        address(opening, "take-question-back", question.pk), follow=True
    )

    assert "This question is not open any more" in answer.content.decode()


def test_the_questions_on_pairs_that_the_adjudicator_judged_are_not_listed(
    opening, slot, adjudicator
):
    question = ask(slot, adjudicator)
    member(opening.query.collection, Role.ADJUDICATOR, "ann1")
    client = browser_of("ann1")

    assert "No open questions" in page(client, address(opening))
    answer = client.post(address(opening, "take-question-back", question.pk))
    assert answer.status_code == 404
    assert PairQuestion.objects.open().exists()


def test_a_pair_is_not_offered_for_a_second_question(slot, adjudicator):
    client = browser_of("adju")
    assert 'id="ask"' in page(client, pair_url(slot, "case"))
    ask(slot, adjudicator)
    for each in (slot, other_slot(slot)):
        keep(each)

    assert 'id="ask"' not in page(client, pair_url(slot, "case"))


def test_the_case_shows_both_versions_of_each_card_after_the_answers(slot, adjudicator):
    ask(slot, adjudicator)
    judge(slot, 2)
    keep(other_slot(slot))

    cards = browser_of("adju").get(pair_url(slot, "case")).context["cards"]

    assert {(card["before"].grade, card["grade"]) for card in cards} == {(0, 2), (3, 3)}
    assert {card["before"].note for card in cards} == {"", "SECRET NOTE"}


# The judge


def test_a_judge_finds_the_questions_before_the_queries(opening, slot, adjudicator):
    assert "look at again" not in page(browser_of("ann1"), address(opening, "judge"))
    for each in slots_of(opening, "ann1")[:2]:
        ask(each, adjudicator)

    text = page(browser_of("ann1"), address(opening, "judge"))

    assert "2 pairs to look at again" in text
    assert text.index("to look at again") < text.index("of 4 pairs")


def test_the_page_shows_ones_own_judgment_and_the_marked_sentences(slot, adjudicator):
    ask(slot, adjudicator, query_sentences=[2], candidate_sentences=[1])

    text = browser_of("ann1").get(pair_url(slot, "judge-question")).content.decode()

    assert "Look at this pair again." in text
    assert "You said <b>0 Unrelated</b>" in text
    assert text.count('<mark class="in-question">') == 2
    first = slot.pair.candidate.document.sentences[0]
    assert re.search(rf'<mark class="in-question">(<strong[^>]*>)?{re.escape(first)}', text)


def answered(client: Client, slot: Slot, **fields) -> str:
    """The address that follows."""
    text = client.get(pair_url(slot, "judge-question")).content.decode()
    return client.post(pair_url(slot, "judge-question"), carried(text) | fields).url


def test_a_judge_keeps_the_judgment_and_the_next_question_follows(opening, adjudicator):
    first, second = slots_of(opening, "ann1")[:2]
    ask(first, adjudicator)
    ask(second, adjudicator)
    client = browser_of("ann1")

    assert answered(client, first, answer="keep") == pair_url(second, "judge-question")
    assert KeptAnswer.objects.get().judgment == first.judgment
    assert answered(client, second, answer="keep") == address(opening, "judge")
    assert "Your answer is saved." in page(client, address(opening, "judge"))


def test_a_judge_changes_the_judgment(opening, adjudicator):
    first, second = slots_of(opening, "ann1")[:2]
    for slot, fields, grade, reason in (
        (first, {"answer": "2"}, 2, ""),
        (second, {"answer": "cannot", "reason": "garbled"}, None, "garbled"),
    ):
        ask(slot, adjudicator)

        answered(browser_of("ann1"), slot, **fields)

        slot.refresh_from_db()
        assert (slot.judgment.grade, slot.judgment.reason) == (grade, reason)
        assert slot.judgment.sequence == 2


@pytest.mark.parametrize("answer", ["keep", "2"])
def test_a_script_that_sends_an_answer_twice_gets_the_same_twice(slot, adjudicator, answer):
    ask(slot, adjudicator)
    client = browser_of("ann1")
    text = client.get(pair_url(slot, "judge-question")).content.decode()
    fields = carried(text) | {"answer": answer}

    both = [
        client.post(pair_url(slot, "judge-question"), fields, HTTP_ACCEPT="application/json")
        for _ in range(2)
    ]

    assert both[0].json() == both[1].json()
    assert slot.judgments.count() == (1 if answer == "keep" else 2)
    assert KeptAnswer.objects.count() == (1 if answer == "keep" else 0)


def test_an_incomplete_answer_is_asked_for_again_with_what_was_typed(slot, adjudicator):
    ask(slot, adjudicator)
    client = browser_of("ann1")
    text = client.get(pair_url(slot, "judge-question")).content.decode()

    answer = client.post(
        pair_url(slot, "judge-question"), carried(text) | {"answer": "9", "note": "My words"}
    )

    assert answer.status_code == 400
    assert "My words" in answer.content.decode()


def test_a_question_that_was_taken_back_leads_to_the_queries(opening, slot, adjudicator):
    question = ask(slot, adjudicator)
    client = browser_of("ann1")
    text = client.get(pair_url(slot, "judge-question")).content.decode()
    browser_of("adju").post(address(opening, "take-question-back", question.pk))

    answer = client.post(
        pair_url(slot, "judge-question"), carried(text) | {"answer": "keep"}, follow=True
    )

    assert answer.request["PATH_INFO"] == address(opening, "judge")
    assert "This question was taken back" in answer.content.decode()


def test_a_pair_without_a_question_leads_to_the_queries(opening, slot):
    answer = browser_of("ann1").get(pair_url(slot, "judge-question"), follow=True)

    assert answer.request["PATH_INFO"] == address(opening, "judge")


def test_a_new_guideline_is_read_before_the_question(opening, slot, adjudicator):
    ask(slot, adjudicator)
    for name in ("ann3", "ann4"):
        member(opening.query.collection, Role.ANNOTATOR, name)
    a_version_for(opening, judge_again=False)
    opening.query.facet.guidelines.first().readings.all().delete()

    answer = browser_of("ann1").get(pair_url(slot, "judge-question"))

    assert "/guidelines/" in answer.url


def test_the_pair_of_another_annotator_has_no_question_page(slot, adjudicator):
    ask(slot, adjudicator)
    member(slot.pair.query.collection, Role.ANNOTATOR, "ann3")

    assert browser_of("ann3").get(pair_url(slot, "judge-question")).status_code == 404


# Blindness


def unvarying(body: str) -> str:
    body = re.sub(r"\b[0-9A-Za-z]{64}\b", "CSRF", body)
    return re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "KEY", body)


def everything_for(username: str, opening) -> dict[str, tuple[int, str]]:
    crawl = Crawl(browser_of(username)).follow_links("/")
    return {answer.request: (answer.status, unvarying(answer.body)) for answer in crawl.answers}


def test_the_answer_of_the_other_judge_changes_nothing_that_a_judge_gets():
    """Of four questions, the other judge answers each in another way."""
    opening = an_open_query(a_collection(), size=5)
    asked = judge_both(opening, (0, 2), (0, 2), (0, 2), (0, 2))
    for slot in asked:
        ask(slot, User.objects.get(username="adju"), candidate_sentences=[1])
    before = everything_for("ann1", opening)

    kept, agreed, differing, without_grade = (other_slot(slot) for slot in asked)
    keep(kept)
    judge(agreed, 0)
    judge(differing, 3)
    judge(without_grade, None)

    for slot in asked:
        assert f"GET {pair_url(slot, 'judge-question')}" in before
    assert everything_for("ann1", opening) == before


@pytest.mark.parametrize("other_answer", [None, "keep", 0, 1])
def test_an_answer_gets_the_same_reply_whatever_the_other_judge_did(
    opening, slot, adjudicator, other_answer
):
    ask(slot, adjudicator)
    client = browser_of("ann1")
    text = client.get(pair_url(slot, "judge-question")).content.decode()
    if other_answer == "keep":
        keep(other_slot(slot))
    elif other_answer is not None:
        judge(other_slot(slot), other_answer)

    answer = client.post(
        pair_url(slot, "judge-question"),
        carried(text) | {"answer": "keep"},
        HTTP_ACCEPT="application/json",
    )

    key = carried(text)["key"]
    assert answer.json() == {"key": key, "next": address(opening, "judge")}


def test_nothing_of_the_other_judge_is_on_the_pages_of_a_question(opening, slot, adjudicator):
    User.objects.filter(username="ann2").update(first_name="Zebedee Plugh")
    ask(slot, adjudicator)

    for url in (pair_url(slot, "judge-question"), address(opening, "judge")):
        text = browser_of("ann1").get(url).content.decode()
        assert not re.search("Zebedee|SECRET NOTE|ann2|adju\\b", text)


def statements(client: Client, url: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        client.get(url)
    return len(queries)


@pytest.mark.parametrize(("username", "view"), [("ann1", "judge"), ("adju", "case-questions")])
def test_the_lists_take_the_same_statements_however_many_questions_there_are(
    opening, adjudicator, username, view
):
    client = browser_of(username)
    client.get(address(opening, view))
    counts = []
    for each in slots_of(opening, "ann1")[:2]:
        ask(each, adjudicator)
        counts.append(statements(client, address(opening, view)))

    assert counts[0] == counts[1]
