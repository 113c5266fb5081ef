"""With and without repeats, an annotator's pages and answers have the same shape."""

from __future__ import annotations

import re

import pytest

from accounts.models import User
from annotation.models import Repeat, RepeatJudgment
from tests.support.crawling import Crawl
from tests.support.factories import a_collection, an_open_query
from tests.support.repeats import a_collection_with_repeats, answer_next, answer_repeat, repeats_of
from tests.support.sittings import judge, slots_of
from tests.support.visits import client_of
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.one_database

NOTE = "only-in-a-repeat"


def shape(body: str) -> str:
    """The answer without texts, names of rows, counts and times: its elements and attributes."""
    body = re.sub(r">[^<]+<", "><", body)
    return re.sub(r'="[^"]*"', "", body)


@once_a_file
def openings():
    """A query of nine pairs to judge, with and without repeats among them."""
    with_repeats = an_open_query(a_collection_with_repeats(0.5, slug="with"), size=6)
    assert len(repeats_of(with_repeats)) == 3
    return with_repeats, an_open_query(a_collection("without"), size=9)


def answer_more(openings, answers: int) -> None:
    person = User.objects.get(username="ann1")
    for opening in openings:
        for _ in range(answers):
            assert answer_next(opening, person)


def test_pages_with_and_without_repeats_have_the_same_shape(openings):
    """After 0, 1, 5, 8 and 9 answers."""
    client = client_of("ann1")
    for more in (0, 1, 4, 3, 1):
        answer_more(openings, more)
        for place in ("judge", "judge/{}/", "judge/{}/mine/", "judge/{}/ahead/?count=60", ""):
            found = []
            for opening in openings:
                slug, name = opening.query.collection.slug, opening.query.name
                url = f"/c/{slug}/{place.format(name)}"
                url = url if "?" in url or url.endswith("/") else f"{url}/"
                answer = client.get(url, follow=True)
                found.append((answer.status_code, shape(answer.content.decode())))
            assert found[0] == found[1], place


def test_answers_of_the_api_with_and_without_repeats_have_the_same_keys(openings):
    answer_more(openings, 8)
    client = client_of("ann1")

    def shapes(value):
        if isinstance(value, dict):
            return {key: shapes(each) for key, each in value.items()}
        if isinstance(value, list):
            return [shapes(value[0])] if value else []
        return type(value).__name__ if value is not None else "null"

    for place in ("judging/", "judging/{}/next/", "judgments/"):
        found = []
        for opening in openings:
            slug, name = opening.query.collection.slug, opening.query.name
            answer = client.get(f"/api/v1/collections/{slug}/{place.format(name)}")
            assert answer.status_code == 200
            found.append(shapes(answer.json()))
        assert found[0] == found[1], place


@once_a_file
def judged():
    """Both judged all pairs; ann1 answered a repeat with a note."""
    opening = an_open_query(a_collection_with_repeats(0.5), size=6)
    for username in ("ann1", "ann2"):
        for slot in slots_of(opening, username):
            judge(slot, 1)
    from annotation.services import Answer

    answer_repeat(repeats_of(opening)[0], 3, answer=Answer(grade=3, note=NOTE))
    return opening


# tests/test_blindness.py searches for it in all that others get.
def test_the_author_is_shown_the_own_answer(judged):
    crawl = Crawl(client_of("ann1"))
    crawl.ask("get", f"/c/small/judge/{judged.query.name}/mine/")
    assert crawl.holding(re.compile(NOTE))


def test_no_address_of_another_persons_repeat_opens(judged):
    client, query = client_of("ann2"), judged.query
    repeat = repeats_of(judged)[0]

    for place in (f"{repeat.token}/", f"{repeat.token}/later/"):
        for method in (client.get, client.post):
            status = method(f"/c/small/judge/{query.name}/{place}").status_code
            assert status in (404, 405)
    assert RepeatJudgment.objects.count() == 1
    assert Repeat.objects.filter(postponed_at__isnull=False).count() == 0
