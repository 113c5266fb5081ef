"""Annotators and adjudicators read every page in their language, and no other text than data."""

from __future__ import annotations

import pytest
from django.test import Client

from accounts.models import User
from annotation.services import Answer
from corpus.models import Document
from studies.models import Study
from tests.support.aspects import an_asking_collection, an_open_query_with_aspects
from tests.support.crawling import Crawl
from tests.support.factories import a_query, an_open_query
from tests.support.help_scenes import answer, ask_admin
from tests.support.practice_scenes import a_pilot, practise
from tests.support.pseudo_language import CODE, pseudo_language, stored_words, unmarked_texts
from tests.support.sittings import ask, judge, judge_both, slots_of
from tests.support.study_scenes import attach_full_texts, rate

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]
# What the crawl must have opened, so that a page that it cannot reach is noticed.
PAGES = {
    "ann1": {
        *("collection", "judge", "judge-pair", "judge-mine", "judge-question", "guideline-text"),
        *("practice", "practice-pair", "own-study", "rate-pair", "timesheet"),
        *("ask-admin", "own-help-requests"),
    },
    "adju": {
        *("collection", "adjudicate", "case", "adjudicate-query", "guideline-text"),
        *("ask-admin-about-case", "own-help-requests"),
    },
}


def a_reader(username: str, language: str = CODE) -> Client:
    client = Client()
    client.force_login(User.objects.get(username=username))
    client.cookies["language"] = language
    return client


def a_collection_in_all_states() -> None:
    collection = an_asking_collection()
    opening = an_open_query_with_aspects(collection)
    cases = an_open_query(collection, size=4)
    judge_both(cases, (3, Answer(grade=0, note="x")), (None, 2), (1, 1))
    asked = judge_both(an_open_query(collection, size=2), (0, 3))[0]
    ask(asked, User.objects.get(username="adju"), candidate_sentences=[1])
    ann1 = User.objects.get(username="ann1")
    judge(slots_of(opening, "ann1")[0], Answer(grade=2, aspects=(2,)))
    judge(slots_of(opening, "ann1")[1], None)
    pilot = a_pilot(collection, named=[a_query(collection).name])
    practise(pilot.pairs.first(), ann1, 1)
    pair = slots_of(cases, "ann1")[2].pair
    attach_full_texts(*Document.objects.filter(collection=collection))
    study = Study.objects.create(collection=collection, name="texts", rater=ann1, seed="s")
    study.pairs.create(pair=pair, position=1, token=pair.token, label=1)
    rate(study, 1, grade=2)
    own, other = slots_of(opening, "ann1"), slots_of(opening, "ann2")
    ask_admin(own[2])
    answer(ask_admin(own[1]))
    answer(ask_admin(own[2], on_guideline=True))
    answer(ask_admin(other[0], on_guideline=True), for_all=True)


@pytest.mark.parametrize("username", ["ann1", "adju"])
def test_every_text_of_a_judge_s_page_is_translated_or_data(username):
    a_collection_in_all_states()
    with pseudo_language():
        crawl = Crawl(a_reader(username)).follow_links("/")
        crawl.send_forms()
        data = stored_words()
        pages = [
            answer for answer in crawl.answers if f'<html lang="{CODE}" dir="rtl"' in answer.body
        ]
        found = {answer.request: unmarked_texts(answer.body, data) for answer in pages}

    assert {text for texts in found.values() for text in texts} == set()
    assert crawl.names >= PAGES[username]
