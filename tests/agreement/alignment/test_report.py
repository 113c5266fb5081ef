"""The report on a study of two queries: which judgments count, and where its figures are shown."""

from __future__ import annotations

import csv
import io

import pytest
from django.urls import reverse

from accounts.models import Collection, Role
from agreement.alignment.report import AlignmentReport
from annotation.models import Opening
from annotation.services import Answer
from reports.services import changed_since, compute_report
from tests.support.aspects import a_proposing_collection, an_open_query_with_steps
from tests.support.factories import member
from tests.support.sittings import ask, judge, slots_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
ALL_STEPS = (1, 2, 3)


@once_a_file
def collection() -> Collection:
    """Of three pairs in each query: first grades 1 and 2, equal after the proposal in one query."""
    collection = a_proposing_collection("half")
    member(collection, Role.ADMIN, "admin")
    for _ in range(2):
        opening = an_open_query_with_steps(collection, size=4)
        marks = ALL_STEPS if opening.proposal_steps else ()
        first, second = sorted_slots(opening, "ann1"), sorted_slots(opening, "ann2")
        for grade, (one, other) in enumerate(zip(first[:3], second[:3], strict=True)):
            judge(one, Answer(min(grade, 1), aspects=marks if grade else ()), seconds=10)
            judge(other, Answer(grade, aspects=marks if grade else ()), seconds=20)
        judge(first[3], Answer(1, aspects=marks))  # the other judge has not judged this pair
        if marks:
            judge(first[1], Answer(2, aspects=marks), seconds=5)  # follows 2
            judge(second[1], Answer(1, aspects=marks), seconds=5)  # keeps 1
            judge(first[2], Answer(2, aspects=marks), seconds=5)  # follows 2: equal now
    return collection


def sorted_slots(opening: Opening, username: str):
    return sorted(slots_of(opening, username), key=lambda slot: slot.pair_id)


@pytest.fixture
def payload(collection) -> dict:
    return compute_report(AlignmentReport(), collection=collection).payload


def test_grades_are_those_of_pairs_with_both_judgments_before_and_after_a_proposal(payload):
    by_lot = {query["proposes"]: query for query in payload["queries"]}

    assert [by_lot[proposes]["pairs"] for proposes in (True, False)] == [3, 3]
    assert by_lot[True]["first"]["percent"] == pytest.approx(200 / 3)
    assert by_lot[True]["values"]["percent"] == pytest.approx(200 / 3)  # one more, one fewer
    assert by_lot[False]["values"]["percent"] == pytest.approx(200 / 3)
    assert by_lot[True]["values"]["spearman"] == pytest.approx(0.866, abs=0.001)
    assert {query["block"] for query in payload["queries"]} == {1}


def test_proposals_are_counted_by_their_answers(payload):
    assert payload["proposals"] == {
        **{"proposals": 4, "differed": 3, "followed": 2, "kept": 1, "other": 0, "unanswered": 0}
    }


def test_the_time_of_the_answer_is_part_of_a_judgment(payload):
    by_lot = {query["proposes"]: query["values"]["seconds"] for query in payload["queries"]}

    assert by_lot == {False: 15, True: 17.5}  # of 10, 15, 15 and 20, 25, 20


def test_grades_are_those_before_a_question(collection, payload):
    pair = Opening.objects.get(proposal_steps=None).query.pairs.disputed().get()
    slot = pair.slots.get(number=1)
    ask(slot, member(collection, Role.ADJUDICATOR, "adju"))
    judge(slot, Answer(2))
    report = compute_report(AlignmentReport(), collection=collection)

    assert report.payload["measures"] == payload["measures"]


def test_a_judgment_makes_it_out_of_date(collection):
    report = compute_report(AlignmentReport(), collection=collection)
    assert changed_since(report) == ""

    opening = Opening.objects.get(proposal_steps=None)
    judge(sorted_slots(opening, "ann1")[0], 1)
    assert "the judgments" in changed_since(report)


def test_the_page_and_the_files_have_the_figures(client, collection, payload):
    client.force_login(collection.memberships.get(role=Role.ADMIN).user)
    page = reverse("alignment", args=[collection.slug])
    text = client.get(page).content.decode()
    table = client.get(page, {"format": "csv"}).getvalue().decode("utf-8-sig")
    answer = client.get(reverse("api-alignment", args=[collection.slug])).json()

    assert "Followed: 2. Kept: 1." in " ".join(text.split())
    assert "17.5" in text
    rows = list(csv.DictReader(io.StringIO(table)))
    assert sorted(row["proposes"] for row in rows) == ["no", "yes"]
    assert {name: answer[name] for name in payload if name != "seed"} == {
        name: value for name, value in payload.items() if name != "seed"
    }
    assert answer["up_to_date"]


def test_without_such_a_query_the_page_says_what_to_do(client):
    other = a_proposing_collection("", slug="other")
    client.force_login(member(other, Role.ADMIN, "boss"))
    text = client.get(reverse("alignment", args=[other.slug])).content.decode()

    assert "No query with proposed grades" in text
    assert "Compute the report" not in text
