"""Help requests by the API: a judge asks, an admin answers, the judge reads."""

from __future__ import annotations

import uuid

from annotation.models import HelpExample, HelpReading, HelpRequest
from tests.support.api_world import client_of

WHERE = "/api/v1/collections/small/"


def test_a_question_is_asked_answered_read_and_made_an_example(world):
    judge, other, admin = client_of("ann1"), client_of("ann2"), client_of("admin")
    pair = f"{WHERE}judging/{world.query}/pairs/{world.slots()[2].pair.token}/help-request/"
    body = {"text": "Is a survey a method?", "key": str(uuid.uuid4())}

    for _ in range(2):
        asked = judge.post(pair, body, format="json")
        assert asked.status_code == 201
    again = judge.post(pair, body | {"key": str(uuid.uuid4())}, format="json")
    assert (again.status_code, again.json()["code"]) == (409, "already_asked")
    number = asked.json()["id"]
    [row] = admin.get(f"{WHERE}help-requests/").json()["results"]
    assert (row["id"], row["asker"], row["text"]) == (number, "ann1", body["text"])
    answers = f"{WHERE}help-requests/{number}/answer/"
    named = admin.post(answers, {"answer": "As ann2 says"}, format="json")
    assert (named.status_code, named.json()["code"]) == (409, "names_secrets")
    answer = {"answer": "Only if it compares.", "for_all": True}
    assert admin.post(answers, answer, format="json").json()["answer"] == answer["answer"]

    [own] = judge.get(f"{WHERE}judging/help-requests/").json()["results"]
    [general] = other.get(f"{WHERE}judging/help-requests/").json()["results"]
    assert (own["is_own"], own["query"], own["is_read"]) == (True, world.query, False)
    assert general["answer"] == answer["answer"]
    assert [general[key] for key in ("text", "query", "token")] == ["", "", ""]
    read = f"{WHERE}judging/help-requests/{number}/read/"
    assert other.post(read).status_code == 204
    assert HelpReading.objects.get().reader.username == "ann2"

    guideline = world.opening.query.facet.guidelines.first()
    grades = [dict(grade) for grade in guideline.grades]
    for grade in grades:
        grade.pop("relation", None)
    grades[1]["example"] = world.slots()[2].pair.candidate.document.title
    version = {
        "based_on": guideline.version,
        "instructions": guideline.instructions,
        "grades": grades,
        "help_request": number,
    }
    where = f"{WHERE}guidelines/method/"
    undecided = admin.post(where, version, format="json")
    assert (undecided.status_code, undecided.json()["code"]) == (409, "undecided_example")
    grades[1]["example"] = "A made-up paper"
    assert admin.post(where, version, format="json").status_code == 201
    assert HelpExample.objects.get().request == HelpRequest.objects.get()
