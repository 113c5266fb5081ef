import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from adjudication.models import Case, Decision
from annotation.models import Slot
from corpus.models import Query
from tests.support.api_world import NAMES, NOTE, client_of
from tests.support.factories import an_open_query, member
from tests.support.sittings import judge, judge_both

WHERE = "/api/v1/collections/small/"
EVERYTHING_SHOWN = {
    "token",
    "facet",
    "query",
    "candidate",
    "blind",
    "blind_grade",
    "judgments",
    "instructions",
    "grades",
    "seen",
    "decision_key",
    "decided",
    "grade",
    "referral_reason",
    "aspect_names",
}


@pytest.fixture
def adjudicator(world):
    return client_of("adju")


@pytest.fixture
def wide(world) -> Query:
    """Three cases: differences of 1 and 3, and a pair that one judge could not judge."""
    opening = an_open_query(world.collection)
    judge_both(opening, (0, 1), (0, 3), (1, None))
    return opening.query


def address(query: Query | str, token: str) -> str:
    return f"{WHERE}cases/{query}/pairs/{token}/"


def case_of(client, query: Query, token: str) -> dict:
    answer = client.get(address(query.name, token))
    assert answer.status_code == 200
    return answer.json()


def token_with(query: Query, difference: int) -> str:
    return Case.objects.due().get(query=query, difference=difference).token


def decide(client, query: Query, case: dict, **changes):
    body = {
        "grade": 2,
        "seen": case["seen"],
        "supersedes": case["decision_key"],
        "key": str(uuid.uuid4()),
    }
    where = f"{address(query.name, case['token'])}decision/"
    return client.post(where, body | changes, format="json")


def test_due_cases_come_with_the_largest_difference_first(world, wide, adjudicator):
    other = an_open_query(world.collection)
    judge_both(other, (0, 2), (1, 1), (1, 1))

    cases = adjudicator.get(f"{WHERE}cases/").json()["results"]

    assert [(case["query"], case["difference"]) for case in cases] == [
        (wide.name, None),
        (wide.name, 3),
        (other.query.name, 2),
        (wide.name, 1),
    ]


def test_a_case_shows_both_judgments_without_names(world, wide, adjudicator):
    case = case_of(adjudicator, wide, token_with(wide, 3))

    assert set(case) == EVERYTHING_SHOWN
    assert {row["letter"] for row in case["judgments"]} == {"a", "b"}
    assert {row["grade"] for row in case["judgments"]} == {0, 3}
    assert set(case["judgments"][0]) == {"letter", "grade", "reason", "note", "aspects"}
    text = adjudicator.get(address(wide.name, case["token"])).content.decode()
    assert not [name for name in (*NAMES.values(), "ann1", "ann2") if name in text]


def test_the_order_of_the_judgments_is_that_of_the_page(world, adjudicator, client):
    case = case_of(adjudicator, world.opening.query, world.token)
    assert {row["note"] for row in case["judgments"]} == {"my own note", NOTE}
    again = case_of(adjudicator, world.opening.query, world.token)
    assert case["judgments"] == again["judgments"]


def test_a_decision_is_saved_once_however_often_it_is_sent(wide, adjudicator):
    case, key = case_of(adjudicator, wide, token_with(wide, 3)), str(uuid.uuid4())

    first = decide(adjudicator, wide, case, key=key, note="so")
    again = decide(adjudicator, wide, case, key=key, note="so")

    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    decision = Decision.objects.get(key=key)
    assert (decision.grade, decision.note, decision.adjudicator.username) == (2, "so", "adju")
    tokens = [row["token"] for row in adjudicator.get(f"{WHERE}cases/").json()["results"]]
    assert case["token"] not in tokens


def test_a_reason_sets_the_pair_aside(wide, adjudicator):
    case = case_of(adjudicator, wide, token_with(wide, 3))
    answer = decide(adjudicator, wide, case, grade=None, reason="other", note="two papers in one")
    assert (answer.status_code, answer.json()["reason"]) == (201, "other")


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"grade": None}, "bad_ruling"),
        ({"grade": 1, "reason": "garbled"}, "bad_ruling"),
        ({"grade": None, "reason": "other"}, "invalid"),
        ({"grade": None, "reason": "source"}, "invalid"),
        ({"grade": 9}, "invalid"),
        ({"key": "not a key"}, "invalid"),
    ],
)
def test_a_ruling_that_is_none_is_refused(changes, code, wide, adjudicator):
    case = case_of(adjudicator, wide, token_with(wide, 3))
    answer = decide(adjudicator, wide, case, **changes)
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert Decision.objects.filter(pair__query=wide).count() == 0


def test_a_judgment_revised_meanwhile_stops_the_decision(wide, adjudicator):
    case = case_of(adjudicator, wide, token_with(wide, 3))
    judge(Slot.objects.get(pair__token=case["token"], number=1), 2)

    answer = decide(adjudicator, wide, case)

    assert (answer.status_code, answer.json()["code"]) == (409, "judgments_changed")


def test_a_decision_made_elsewhere_is_not_overwritten(wide, adjudicator):
    case = case_of(adjudicator, wide, token_with(wide, 3))
    decide(adjudicator, wide, case)

    answer = decide(adjudicator, wide, case, grade=0)

    assert (answer.status_code, answer.json()["code"]) == (409, "decided_meanwhile")
    now = case_of(adjudicator, wide, case["token"])
    assert (now["decided"], now["grade"]) == (True, 2)
    assert decide(adjudicator, wide, now, grade=0).status_code == 201


def test_a_used_key_is_refused_for_another_decision(wide, adjudicator):
    case, key = case_of(adjudicator, wide, token_with(wide, 3)), str(uuid.uuid4())
    decide(adjudicator, wide, case, key=key)
    answer = decide(adjudicator, wide, case, key=key, grade=1)
    assert (answer.status_code, answer.json()["code"]) == (409, "decision_key_reused")


def test_own_decisions_say_which_of_them_count(wide, adjudicator):
    case = case_of(adjudicator, wide, token_with(wide, 3))
    decide(adjudicator, wide, case)
    decide(adjudicator, wide, case_of(adjudicator, wide, case["token"]), grade=1)

    latest, first, *_ = adjudicator.get(f"{WHERE}decisions/").json()["results"]

    assert (latest["grade"], latest["counts"]) == (1, True)
    assert (first["grade"], first["counts"]) == (2, False)
    assert latest["query"] == wide.name
    judge(Slot.objects.get(pair__token=case["token"], number=1), 2)
    latest, *_ = adjudicator.get(f"{WHERE}decisions/").json()["results"]
    assert latest["counts"] is False


def test_a_pair_that_the_adjudicator_judged_does_not_exist_for_them(world, wide):
    world.collection.memberships.create(user=world.slots()[0].annotator, role="adjudicator")
    judge_too = client_of("ann1")
    token = token_with(wide, 3)

    assert judge_too.get(f"{WHERE}cases/").json()["count"] == 0
    assert judge_too.get(address(wide.name, token)).status_code == 404
    answer = judge_too.post(f"{address(wide.name, token)}decision/", {}, format="json")
    assert answer.status_code == 404


def test_another_adjudicators_case_does_not_exist(world, wide, adjudicator):
    case = case_of(adjudicator, wide, token_with(wide, 3))
    decide(adjudicator, wide, case)
    member(world.collection, "adjudicator", "adju2")
    other = client_of("adju2")

    assert other.get(address(wide.name, case["token"])).status_code == 404
    assert decide(other, wide, case).json()["code"] == "already_decided"
    assert other.get(f"{WHERE}decisions/").json()["count"] == 0


def test_a_pair_on_which_both_agree_is_no_case(world, adjudicator):
    agreed = world.slots()[1].pair.token
    assert adjudicator.get(address(world.query, agreed)).status_code == 404


@pytest.mark.parametrize("listed", ["cases", "decisions"])
def test_a_list_costs_a_fixed_number_of_queries(world, wide, adjudicator, listed):
    counts = []
    for _ in range(2):
        case = case_of(adjudicator, wide, Case.objects.due().filter(query=wide).first().token)
        decide(adjudicator, wide, case)
        with CaptureQueriesContext(connection) as queries:
            adjudicator.get(f"{WHERE}{listed}/")
        counts.append(len(queries))
        judge_both(an_open_query(world.collection), (0, 2), (0, 3), (1, 1))
    assert counts[0] == counts[1]
