"""The pages and API answers about training, for the trainee and for admins."""

from __future__ import annotations

import re
import uuid

import pytest
from django.db import connection
from django.test import Client

from accounts.models import Collection, User
from practice.models import PracticeMember, PracticeSet, TrainingResult
from practice.training.services import start_training
from tests.support.crawling import Crawl
from tests.support.sittings import carried
from tests.support.training_scenes import (
    NOTE,
    a_trainee,
    a_training_set,
    answer,
    as_gold,
    pairs_of,
    train,
    with_gold,
)
from tests.support.visits import address, client_of, csv_rows, queries_of, text_of
from tests.support.worlds import once_a_file

SECRET_NOTE = re.compile(re.escape(NOTE))


@once_a_file
def opening():
    """Tia has not qualified, and has pairs that wait."""
    opening = with_gold()
    collection = opening.query.collection
    collection.qualifying_rho = 0.5
    collection.save(update_fields=["qualifying_rho"])
    a_trainee(collection)
    a_training_set(collection, pairs=6)
    return opening


@pytest.fixture
def collection(opening):
    return opening.query.collection


@pytest.fixture
def tia(opening) -> User:
    return User.objects.get(username="tia")


@pytest.fixture
def client(tia) -> Client:
    return client_of("tia")


# The trainee


def test_a_walk_without_scripts_from_judge_to_the_live_queue(opening, collection, tia, client):
    waiting = client.get(address("judge"))
    assert address("training") in waiting.text
    page = client.get(address("training"))
    assert "Begin training set 1" in text_of(page)
    page = client.post(address("start-training"), follow=True)
    assert "This is practice." in text_of(page)
    page = client.get(address("practice", "training-1"), {"next": ""}, follow=True)
    gold = {pair.token: pair.gold for pair in pairs_of(PracticeSet.objects.get())}
    for _ in range(6):
        url = page.request["PATH_INFO"]
        token = re.search(r'data-token="(\w+)"', page.text)[1]
        assert "grade" in page.text
        pair_url = re.search(r'data-url="([^"]+)"', page.text)[1]
        page = client.post(
            pair_url, {**carried(page.text), "answer": str(gold[token])}, follow=True
        )
        assert page.status_code == 200, url

    assert page.redirect_chain[-1] == (address("training-result", "training-1"), 302)
    assert "Passed: ρ is 1.00, and 0.5 is needed." in text_of(page)
    assert "You have qualified." in text_of(page)
    assert "Qualify before you judge" not in text_of(client.get(address("judge")))


def test_the_result_shows_rho_the_matrix_and_each_pair_with_its_explanation(
    collection, tia, client
):
    practice_set = train(collection, tia, lambda pair: 3 - as_gold(pair))

    page = client.get(address("training-result", practice_set.name))

    text = text_of(page)
    assert "Not passed: ρ is -1.00, and 0.5 is needed." in text
    assert "6 of 6 pairs got another grade than gold." in text
    assert "Rows: you. Columns: gold." in text
    for pair in pairs_of(practice_set):
        assert pair.document.title in text
    assert NOTE in text
    assert "There is no set left that you have not seen." in text


def test_an_undefined_rho_says_why(collection, tia, client):
    practice_set = train(collection, tia, lambda pair: 1)

    page = client.get(address("training-result", practice_set.name))

    assert "ρ is undefined, because you gave every pair the same grade." in text_of(page)


def test_too_many_ungraded_pairs_are_the_reason_shown(collection, tia, client):
    last = pairs_of(PracticeSet.objects.get())[-1]
    practice_set = train(collection, tia, lambda pair: None if pair == last else as_gold(pair))

    page = client.get(address("training-result", practice_set.name))

    assert "5 of 6 pairs have a grade, and nine in ten are needed" in text_of(page)


def test_below_the_threshold_the_next_set_is_offered(collection, tia, client):
    a_training_set(collection, pairs=6)
    practice_set = train(collection, tia, lambda pair: 3 - as_gold(pair))

    page = client.get(address("training-result", practice_set.name))

    assert "Begin training set 2" in text_of(page)


def test_before_the_end_no_page_and_no_answer_has_gold_or_a_source(collection, tia):
    train(collection, tia, left=1)

    crawl = Crawl(client_of("tia")).follow_links("/")
    for route in ("training-result", "api-training-result", "training-set", "api-training-set"):
        assert crawl.ask("get", address(route, "training-1")).status == 404, route
    for route in ("api-training", "api-training-sets", "training", "judge"):
        crawl.ask("get", address(route))

    assert crawl.holding(SECRET_NOTE) == []
    sources = re.compile(r"Secret Venue|Hidden Author|\b(ann[12]|adju)\b")
    assert crawl.holding(sources) == []
    assert {"training", "practice", "practice-pair"} <= crawl.names


def test_two_trainees_with_other_gold_get_the_same_bytes_before_the_end(collection, tia, client):
    """Nothing but the result depends on the gold."""
    practice_set = start_training(collection=collection, person=tia)
    pairs = pairs_of(practice_set)
    answer(pairs[0], tia, 2)
    name = pairs[0].query.name
    urls = [
        address("training"),
        address("practice", "training-1"),
        address("practice-mine", "training-1", name),
        address("practice-pair", "training-1", name, pairs[1].token),
        address("practice-ahead", "training-1", name),
        address("judge"),
    ]

    def seen() -> list[str]:
        # Tokens and keys of forms are new in each answer.
        volatile = r'nonce="[^"]+"|value="[\w-]{36,64}"'
        return [re.sub(volatile, "", client.get(url).text) for url in urls]

    before = seen()
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET session_replication_role = replica")
        else:
            cursor.execute("DROP TRIGGER practice_pair_never_edited")
        cursor.execute("UPDATE practice_practicepair SET gold = 3 - gold, explanation = 'Other'")
        if connection.vendor == "postgresql":
            cursor.execute("SET session_replication_role = origin")
    assert seen() == before


def test_after_the_end_the_workspace_leads_to_the_result(collection, tia, client):
    practice_set = train(collection, tia)
    pair = pairs_of(practice_set)[0]
    result = address("training-result", "training-1")

    for name, *more in (
        ("practice-mine", pair.query.name),
        ("practice-pair", pair.query.name, pair.token),
        ("practice-query", pair.query.name),
    ):
        page = client.get(address(name, "training-1", *more), follow=True)
        assert page.redirect_chain[-1][0] == result, name
    assert "Read your result" in text_of(client.get(address("practice", "training-1")))
    fields = {"answer": "0", "presentation": "x", "key": str(uuid.uuid4()), "supersedes": ""}
    refused = client.post(
        address("practice-pair", "training-1", pair.query.name, pair.token),
        fields,
        headers={"Accept": "application/json"},
    )
    assert (refused.status_code, refused.json()["error"]) == (409, "PracticeClosed")


def test_a_result_is_its_own_persons_only(collection, tia):
    train(collection, tia)
    a_trainee(collection, "bo")

    for name in ("training-result", "api-training-result"):
        assert client_of("tia").get(address(name, "training-1")).status_code == 200
        assert client_of("bo").get(address(name, "training-1")).status_code == 404
        assert client_of("ann1").get(address(name, "training-1")).status_code == 404


def test_the_api_tells_a_trainee_the_result_pair_by_pair(collection, tia, client):
    train(collection, tia, lambda pair: 1 if pair.gold else 0)

    (row,) = client.get(address("api-training")).json()["results"]
    detail = client.get(address("api-training-result", "training-1")).json()

    assert (row["set"], row["person"], row["passed"]) == ("training-1", "tia", True)
    assert row["rho"] == pytest.approx(TrainingResult.objects.get().rho)
    assert len(detail["gold_pairs"]) == 6
    assert {pair["grade"] for pair in detail["gold_pairs"]} == {0, 1}
    assert NOTE in {pair["explanation"] for pair in detail["gold_pairs"]}


def test_without_a_set_a_waiting_person_is_told_to_ask(collection, tia, client):
    for practice_set in PracticeSet.objects.all():
        PracticeSet.objects.filter(pk=practice_set.pk).update(closed_at=practice_set.created_at)

    assert "Ask an admin, who sees that you wait." in text_of(client.get(address("training")))
    refused = client.post(address("start-training"), follow=True)
    assert "There is no training set left" in text_of(refused)
    assert not PracticeMember.objects.exists()


# Admins


def test_an_admin_makes_a_set_from_final_labels(opening, collection):
    admin, url = client_of("admin"), address("make-training-set")

    made = admin.post(url, {"queries": opening.query.name, "pairs": "6"})
    refused = admin.post(url, {"queries": "nope", "pairs": "6"})

    assert made.url == address("training-set", "training-2")
    assert refused.status_code == 422
    assert "Small has no query nope." in text_of(refused)
    assert admin.post(url, {"queries": "", "pairs": "3"}).status_code == 422


def test_an_admin_sees_sets_results_and_who_waits(collection, tia):
    train(collection, tia, lambda pair: 3 - as_gold(pair))
    bo = a_trainee(collection, "bo")
    train(collection, bo)

    page = text_of(client_of("admin").get(address("training")))
    (row,) = client_of("admin").get(address("training")).context["sets"]

    assert (row.pairs, row.queries, row.started, row.finished, row.passed, row.median_rho) == (
        *(6, 1, 2, 2, 1),
        0.0,
    )
    shown = " ".join(re.sub(r"<[^>]+>", " ", page).split())
    assert "Training set 1 final labels 6 1 2 2 1 0.00" in shown
    assert "no set left" in page
    rows = csv_rows(client_of("admin").get(address("training"), {"format": "csv"}))
    assert [(row["username"], row["rho"], row["passed"]) for row in rows] == [
        ("bo", "1.0", "yes"),
        ("tia", "-1.0", "no"),
    ]


def test_the_page_of_a_set_names_pairs_whose_gold_may_be_wrong(collection):
    wrong = pairs_of(PracticeSet.objects.get())[0]
    for username in ("tia", "bo"):
        person = a_trainee(collection, username)
        train(
            collection, person, lambda pair: (as_gold(pair) + 2) % 4 if pair == wrong else pair.gold
        )

    admin = client_of("admin")
    page = text_of(admin.get(address("training-set", "training-1")))
    rows = csv_rows(admin.get(address("training-set", "training-1"), {"format": "csv"}))

    assert "More than half of the trainees gave 1 pair the same other grade" in page
    assert page.count(">gold may be wrong<") == 1
    assert (rows[0]["docno"], rows[0]["missed"], rows[0]["judged"]) == (
        wrong.document.docno,
        "2",
        "2",
    )


def test_an_admin_closes_a_set(collection, tia):
    page = client_of("admin").post(address("close-training-set", "training-1"), follow=True)

    assert "It is not offered any more." in text_of(page)
    assert PracticeSet.objects.get().is_closed


def test_the_api_lists_sets_with_results_and_missed_pairs(collection, tia):
    train(collection, tia)
    admin = client_of("admin")

    (row,) = admin.get(address("api-training-sets")).json()["results"]
    detail = admin.get(address("api-training-set", "training-1")).json()

    assert (row["name"], row["finished"], row["passed"], row["median_rho"]) == (
        "training-1",
        1,
        1,
        1.0,
    )
    assert [result["person"] for result in detail["results"]] == ["tia"]
    assert {pair["missed"] for pair in detail["pairs"]} == {0}


def test_an_admin_measures_a_senior_on_the_page_of_the_person(collection):
    with_gold(collection, size=8)
    Collection.objects.update(senior_rho=0.7)
    ann1 = User.objects.get(username="ann1")
    url = address("measure-senior", ann1.pk)

    page = client_of("admin").post(url, follow=True)
    assert "ann1 is a senior now: ρ = " in text_of(page)
    again = client_of("admin").post(url, follow=True)
    assert "is qualified already as a senior" in text_of(again)


def test_more_sets_and_people_cost_the_pages_no_more_questions(collection, tia):
    admin = client_of("admin")
    train(collection, tia, lambda pair: 3 - as_gold(pair))
    urls = [address("training"), address("training-set", "training-1")]
    before = [queries_of(admin, url) for url in urls]
    a_training_set(collection, pairs=6)
    own = queries_of(client_of("tia"), address("training"))
    with_gold(collection)
    a_training_set(collection, pairs=6)
    for number in range(4):
        person = a_trainee(collection, f"bo{number}")
        train(collection, person, lambda pair: 3 - as_gold(pair))

    assert [queries_of(admin, url) for url in urls] == before
    assert queries_of(client_of("tia"), address("training")) == own


def test_navigation_leads_both_to_training(collection):
    for username in ("tia", "admin"):
        page = client_of(username).get(address("training"))
        assert f'href="{address("training")}"' in page.text
