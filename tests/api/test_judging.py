import uuid
from urllib.parse import quote

import pytest

from annotation.models import Judgment, Opening
from corpus.services import create_query
from tests.support.api_world import client_of
from tests.support.factories import DocumentFactory, a_query

WHERE = "/api/v1/collections/small/"
EVERYTHING_SHOWN = {
    "token",
    "facet",
    "query",
    "candidate",
    "instructions",
    "grades",
    "presentation_digest",
    "judgment_key",
    "judged",
    "grade",
    "reason",
    "note",
    "aspects",
    "details_alike",
    "proposes_grade",
    "aspects_to_mark",
}


@pytest.fixture
def pair(world, annotator) -> dict:
    return annotator.get(f"{WHERE}judging/{world.query}/next/").json()


def judge(client, world, pair: dict, **changes):
    body = {
        "grade": 2,
        "presentation_digest": pair["presentation_digest"],
        "supersedes": pair["judgment_key"],
        "key": str(uuid.uuid4()),
    }
    where = f"{WHERE}judging/{world.query}/pairs/{pair['token']}/judgment/"
    return client.post(where, body | changes, format="json")


def test_my_queries_say_how_far_i_am(world, annotator):
    [mine] = annotator.get(f"{WHERE}judging/").json()["results"]

    assert mine == {
        "query": world.query,
        "facet": "method",
        "pairs": 3,
        "judged": 2,
        "done": False,
    }


def test_the_next_pair_shows_the_text_and_nothing_else(world, pair):
    slot = world.slots()[2]
    title = slot.pair.candidate.document.title

    assert set(pair) == EVERYTHING_SHOWN
    assert (pair["token"], pair["judgment_key"], pair["judged"]) == (slot.pair.token, None, False)
    assert set(pair["candidate"]) == {"title", "sentences"}
    assert set(pair["query"]) == {"title", "sentences", "narrative"}
    assert pair["candidate"]["title"] == title
    assert [sentence["in_facet"] for sentence in pair["candidate"]["sentences"]] == [
        False,
        True,
        False,
    ]
    assert [grade["grade"] for grade in pair["grades"]] == [0, 1, 2, 3]
    assert all(grade["definition"] for grade in pair["grades"])


def test_a_query_name_with_a_slash_may_come_escaped(world, annotator):
    where = f"{WHERE}judging/{quote(world.query, safe='')}/next/"

    assert annotator.get(where).status_code == 200


def test_a_judged_pair_shows_its_annotator_s_judgment(world, annotator):
    pair = annotator.get(f"{WHERE}judging/{world.query}/pairs/{world.token}/").json()

    assert (pair["judged"], pair["grade"], pair["note"]) == (True, 3, "my own note")
    assert pair["judgment_key"] == str(world.slots()[0].judgment.key)


def test_a_judgment_is_saved_once_however_often_it_is_sent(world, annotator, pair):
    key = str(uuid.uuid4())
    first = judge(annotator, world, pair, key=key, seconds=9.5, note="so")
    again = judge(annotator, world, pair, key=key, seconds=9.5, note="so")

    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    judgment = Judgment.objects.get(key=key)
    assert (judgment.grade, judgment.note, judgment.seconds, judgment.annotator.username) == (
        2,
        "so",
        9.5,
        "ann1",
    )
    slot = world.slots()[2]
    assert slot.judgment == judgment


def test_when_all_is_judged_there_is_no_next_pair(world, annotator, pair):
    judge(annotator, world, pair)

    response = annotator.get(f"{WHERE}judging/{world.query}/next/")

    assert (response.status_code, response.content) == (204, b"")
    assert annotator.get(f"{WHERE}judging/").json()["results"][0]["done"] is True


def test_an_answer_may_be_a_reason_instead_of_a_grade(world, annotator, pair):
    response = judge(annotator, world, pair, grade=None, reason="garbled")

    assert response.status_code == 201
    assert (response.json()["grade"], response.json()["reason"]) == (None, "garbled")


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"grade": None}, "bad_answer"),
        ({"grade": 2, "reason": "garbled"}, "bad_answer"),
        ({"grade": None, "reason": "other"}, "bad_answer"),
        ({"grade": 4}, "bad_answer"),
        ({"grade": 5}, "invalid"),
        ({"grade": None, "reason": "source"}, "invalid"),
        ({"key": "not a key"}, "invalid"),
        ({"note": "a\0b"}, "invalid"),
    ],
)
def test_an_answer_that_is_none_is_refused(changes, code, world, annotator, pair):
    response = judge(annotator, world, pair, **changes)

    assert (response.status_code, response.json()["code"]) == (400, code)
    assert world.slots()[2].judgment is None


def test_a_judgment_of_something_else_than_was_shown_is_refused(world, annotator, pair):
    response = judge(annotator, world, pair, presentation_digest="0" * 64)

    assert (response.status_code, response.json()["code"]) == (409, "wrong_presentation")


def test_a_late_copy_of_an_old_pair_cannot_overwrite(world, annotator, pair):
    judge(annotator, world, pair)
    response = judge(annotator, world, pair, grade=0)

    assert (response.status_code, response.json()["code"]) == (409, "revised_meanwhile")
    assert world.slots()[2].judgment.grade == 2


def test_a_judgment_must_name_the_one_that_was_seen(world, annotator, pair):
    response = judge(annotator, world, {**pair, "judgment_key": str(uuid.uuid4())})

    assert (response.status_code, response.json()["code"]) == (409, "revised_meanwhile")
    assert world.slots()[2].judgment is None


def test_leaving_out_which_judgment_was_seen_is_invalid(world, annotator, pair):
    where = f"{WHERE}judging/{world.query}/pairs/{pair['token']}/judgment/"
    body = {"grade": 2, "presentation_digest": pair["presentation_digest"]}
    response = annotator.post(where, {**body, "key": str(uuid.uuid4())}, format="json")

    assert response.status_code == 400
    assert set(response.json()["fields"]) == {"supersedes"}


def test_a_key_with_another_answer_is_refused(world, annotator, pair):
    key = str(uuid.uuid4())
    judge(annotator, world, pair, key=key)
    response = judge(annotator, world, pair, key=key, grade=0)

    assert (response.status_code, response.json()["code"]) == (409, "key_reused")


def test_a_revision_supersedes(world, annotator, pair):
    judge(annotator, world, pair)
    again = annotator.get(f"{WHERE}judging/{world.query}/pairs/{pair['token']}/").json()
    judge(annotator, world, again, grade=3)

    judgments = annotator.get(f"{WHERE}judgments/").json()["results"]
    assert [(judgment["grade"], judgment["counts"]) for judgment in judgments[:2]] == [
        (3, True),
        (2, False),
    ]


def test_i_read_my_own_judgments_only(world, annotator):
    answer = annotator.get(f"{WHERE}judgments/").json()

    assert answer["count"] == 2
    assert {judgment["note"] for judgment in answer["results"]} == {"my own note"}
    assert client_of("ann2").get(f"{WHERE}judgments/").json()["count"] == 3


def test_a_query_that_i_have_no_slot_in_does_not_exist(world, annotator):
    other = a_query(world.collection)

    assert annotator.get(f"{WHERE}judging/{other.name}/next/").status_code == 404


def test_queries_are_opened_for_two_annotators(world, admin):
    queries = [a_query(world.collection).name for _ in range(2)]

    response = admin.post(
        f"{WHERE}openings/", {"queries": queries, "annotators": ["ann2", "ann1"]}, format="json"
    )

    assert response.status_code == 201
    assert {opening["query"] for opening in response.json()["openings"]} == set(queries)
    assert response.json()["openings"][0]["annotators"] == ["ann2", "ann1"]
    assert Opening.objects.get(query__name=queries[0]).opened_by.username == "admin"
    assert admin.get(f"{WHERE}openings/").json()["count"] == 3


def test_all_queries_are_opened_or_none(world, admin):
    DocumentFactory(collection=world.collection, docno="p0")
    without_pool = create_query(collection=world.collection, docno="p0", facet_key="method")
    good = a_query(world.collection)
    body = {"queries": [good.name, without_pool.name], "annotators": ["ann1", "ann2"]}

    response = admin.post(f"{WHERE}openings/", body, format="json")

    assert (response.status_code, response.json()["code"]) == (409, "cannot_open")
    assert Opening.objects.count() == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("annotators", ["ann1"]),
        ("annotators", ["ann1", "adju"]),
        ("annotators", ["ann1", "nobody"]),
        ("queries", []),
        ("queries", ["nothing"]),
    ],
)
def test_openings_of_what_is_not_there_are_refused(field, value, world, admin):
    body = {"queries": [a_query(world.collection).name], "annotators": ["ann1", "ann2"]}

    response = admin.post(f"{WHERE}openings/", body | {field: value}, format="json")

    assert (response.status_code, list(response.json()["fields"])) == (400, [field])
