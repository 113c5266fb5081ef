"""Questions to the judges of a case: asked, answered and taken back by the API."""

from __future__ import annotations

import uuid

import pytest

from adjudication.models import Case
from annotation.models import KeptAnswer, PairQuestion
from tests.support.api_world import client_of
from tests.support.factories import an_open_query
from tests.support.sittings import judge_both, standing_key

WHERE = "/api/v1/collections/small/"


@pytest.fixture
def slot(world):
    """Of ann1, in a new case."""
    return judge_both(an_open_query(world.collection, size=3), (0, 3))[0]


@pytest.fixture
def adjudicator(world):
    return client_of("adju")


def below(slot, room: str, last: str = "") -> str:
    return f"{WHERE}{room}/{slot.pair.query.name}/pairs/{slot.pair.token}/{last}"


def ask(client, slot, **changes):
    body = {
        "seen": client.get(below(slot, "cases")).json()["seen"],
        "wording": "again",
        "query_sentences": [1],
        "candidate_sentences": [1],
    }
    return client.post(below(slot, "cases", "question/"), body | changes, format="json")


def test_both_judges_find_the_question_and_the_case_waits(slot, adjudicator):
    answer = ask(adjudicator, slot)

    asked = answer.json()
    assert answer.status_code == 201
    assert adjudicator.get(f"{WHERE}questions/").json()["results"] == [asked]
    assert not Case.objects.due().filter(pk=slot.pair_id).exists()
    for name in ("ann1", "ann2"):
        [row] = client_of(name).get(f"{WHERE}judging/questions/").json()["results"]
        assert row == {
            "query": slot.pair.query.name,
            "token": slot.pair.token,
            "question": "Look at this pair again.",
            "query_sentences": [1],
            "candidate_sentences": [1],
        }


def test_a_judge_keeps_the_judgment_once(slot, adjudicator):
    ask(adjudicator, slot)
    judge = client_of("ann1")
    body = {"judgment_key": str(standing_key(slot))}

    kept = judge.post(below(slot, "judging", "keep/"), body, format="json")
    again = judge.post(below(slot, "judging", "keep/"), body, format="json")

    assert (kept.status_code, again.status_code) == (204, 204)
    assert KeptAnswer.objects.get().judgment.slot_id == slot.pk
    assert judge.get(f"{WHERE}judging/questions/").json()["results"] == []
    assert len(client_of("ann2").get(f"{WHERE}judging/questions/").json()["results"]) == 1


def test_another_judgment_than_the_own_one_is_not_kept(slot, adjudicator):
    ask(adjudicator, slot)
    body = {"judgment_key": str(uuid.uuid4())}

    answer = client_of("ann1").post(below(slot, "judging", "keep/"), body, format="json")

    assert (answer.status_code, answer.json()["code"]) == (409, "revised_meanwhile")
    assert not KeptAnswer.objects.exists()


def test_a_question_that_is_taken_back_makes_the_case_due(slot, adjudicator):
    question = ask(adjudicator, slot).json()["id"]

    answer = adjudicator.post(f"{WHERE}questions/{question}/take-back/")
    again = adjudicator.post(f"{WHERE}questions/{question}/take-back/")
    kept = client_of("ann1").post(
        below(slot, "judging", "keep/"), {"judgment_key": str(standing_key(slot))}, format="json"
    )

    assert answer.status_code == 204
    assert (again.status_code, again.json()["code"]) == (409, "cannot_take_back")
    assert (kept.status_code, kept.json()["code"]) == (409, "no_open_question")
    assert Case.objects.due().filter(pk=slot.pair_id).exists()
    assert client_of("ann1").get(f"{WHERE}judging/questions/").json()["results"] == []


@pytest.mark.parametrize(
    ("changes", "status"),
    [({"wording": "B says 3."}, 400), ({"candidate_sentences": [99]}, 400), ({"seen": "x"}, 409)],
)
def test_a_question_that_does_not_fit_is_not_sent(slot, adjudicator, changes, status):
    assert ask(adjudicator, slot, **changes).status_code == status
    assert not PairQuestion.objects.filter(pair=slot.pair_id).exists()
