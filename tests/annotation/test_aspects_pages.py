"""Marks of what a match is about, on the judge's pages and in the API, as plain requests."""

import uuid

import pytest
from rest_framework.test import APIClient

from accounts.models import Collection
from annotation.models import Judgment, Opening
from tests.support.aspects import an_asking_collection, an_open_query_with_aspects, mark
from tests.support.factories import an_open_query
from tests.support.sittings import carried, pair_url, query_url, slots_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@once_a_file
def opening() -> Opening:
    return an_open_query_with_aspects(an_asking_collection())


@pytest.fixture
def slots(client, opening):
    client.force_login(opening.seats.get(number=1).annotator)
    return slots_of(opening, "ann1")


def page_of(client, slot) -> str:
    return client.get(pair_url(slot)).content.decode()


def answer(client, slot, grade: str, *aspects: object):
    fields = {**carried(page_of(client, slot)), "answer": grade, "aspects": aspects}
    return client.post(pair_url(slot), fields)


def stored() -> list[list[int] | None]:
    return list(Judgment.objects.order_by("pk").values_list("aspects", flat=True))


def test_the_ticked_boxes_are_saved_with_the_grade(client, slots):
    answer(client, slots[0], "2", 5, 2)

    assert stored() == [[2, 5]]


def test_boxes_ticked_before_a_grade_of_0_do_not_stop_it(client, slots):
    answer(client, slots[0], "0", 2)

    assert stored() == [[]]


@pytest.mark.parametrize("number", ["x", "-1", "1e3", "12345"])
def test_a_box_that_is_no_number_is_refused(client, slots, number):
    answer(client, slots[0], "2", number)

    assert stored() == []


def test_a_refused_answer_keeps_the_ticked_boxes(client, slots):
    fields = {**carried(page_of(client, slots[0])), "answer": "2", "aspects": [2, 4]}
    page = client.post(pair_url(slots[0]), fields).content.decode()

    assert stored() == []
    assert "has no aspect 4" in page
    assert page.count("checked") == 1


def test_a_judged_pair_shows_its_marks(client, slots):
    mark(slots[0], 2, 3, 5)
    page = page_of(client, slots[0])

    assert 'data-aspects="3 5"' in page
    assert page.count("checked") == 2


def test_my_judgments_say_what_they_are_about(client, slots, opening):
    mark(slots[0], 2, 3)

    assert "About sentence 3" in client.get(query_url(opening, "judge-mine")).content.decode()


def test_the_bold_sentences_show_their_numbers(client, slots):
    page = page_of(client, slots[0])

    assert [f'data-aspect="{number}"' in page for number in range(1, 6)] == [
        *(False, True, True, False, True)
    ]


def test_a_collection_that_does_not_ask_has_the_pages_of_before(client, slots):
    asking = page_of(client, slots[0])
    Collection.objects.update(marks_aspects=False)
    page = page_of(client, slots[0])

    assert "aspect" in asking
    assert "aspect" not in page.replace("/aspects", "").lower()


def test_a_query_with_one_bold_sentence_has_nothing_to_mark(client):
    collection = an_asking_collection()
    opening = an_open_query(collection)
    client.force_login(opening.seats.get(number=1).annotator)
    page = page_of(client, slots_of(opening, "ann1")[0])

    assert "aspect" not in page


# The API


@pytest.fixture
def api(slots):
    client = APIClient()
    client.force_authenticate(slots[0].annotator)
    return client


def where(opening, slot) -> str:
    return f"/api/v1/collections/small/judging/{opening.query.name}/pairs/{slot.pair.token}/"


def send(api, opening, slot, **changes):
    pair = api.get(where(opening, slot)).json()
    body = {
        "grade": 2,
        "presentation_digest": pair["presentation_digest"],
        "supersedes": pair["judgment_key"],
        "key": str(uuid.uuid4()),
    }
    return api.post(f"{where(opening, slot)}judgment/", body | changes, format="json")


def test_the_api_says_what_can_be_marked_and_what_is(api, opening, slots):
    answer = send(api, opening, slots[0], aspects=[3])
    pair = api.get(where(opening, slots[0])).json()

    assert answer.json()["aspects"] == [3]
    assert pair["aspects"] == [3]
    assert pair["aspects_to_mark"] == [{"number": each, "name": ""} for each in (2, 3, 5)]


def test_the_same_marks_sent_twice_are_told_from_new_ones(api, opening, slots):
    body = {"aspects": [3], "key": str(uuid.uuid4()), "supersedes": None}
    statuses = [send(api, opening, slots[0], **body).status_code for _ in range(2)]
    other = send(api, opening, slots[0], **{**body, "aspects": [2]})

    assert statuses == [201, 200]
    assert (other.status_code, other.json()["code"]) == (409, "key_reused")


@pytest.mark.parametrize("change", [{"aspects": [1]}, {"aspects": [2], "grade": 0}])
def test_the_api_refuses_marks_that_do_not_fit(api, opening, slots, change):
    assert send(api, opening, slots[0], **change).status_code == 400
    assert stored() == []


def test_the_api_of_a_collection_that_does_not_ask_has_nothing_to_mark(api, opening, slots):
    Collection.objects.update(marks_aspects=False)
    pair = api.get(where(opening, slots[0])).json()

    assert (pair["aspects"], pair["aspects_to_mark"]) == ([], [])
    assert send(api, opening, slots[0]).json()["aspects"] is None
