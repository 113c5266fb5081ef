"""Rankings before and after pool rounds: the report, the page, its files and the API."""

from __future__ import annotations

import csv
import io

import pytest

from accounts.models import Collection
from evaluation.label_effects.pool_rounds import (
    NoPoolRounds,
    RoundEffectsReport,
    changes_by_round,
    labels_by_round,
)
from jobs.models import Job, State
from jobs.services import run
from reports.services import changed_since, compute_report
from scoring.labels import FINAL, all_qrels
from tests.support.top_ups import (
    FIRST,
    QUERY,
    SECOND,
    a_first_version,
    a_second_version,
    judge_added,
    top_up,
)
from tests.support.visits import address, client_of, queries_of, text_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@once_a_file
def collection():
    return a_second_version()


def three_rounds() -> Collection:
    collection = a_second_version()
    top_up(collection, "later", ["d08", "d06"], reason="Another one.")
    judge_added(collection, {"d08": 1})
    return collection


def test_labels_before_a_round_are_those_without_the_pairs_that_it_and_later_ones_added():
    collection = three_rounds()

    assert labels_by_round(collection) == {
        "rounds-1": {QUERY: FIRST},
        "rounds-2": {QUERY: FIRST | SECOND},
        "rounds-3": {QUERY: FIRST | SECOND | {"d08": 1}},
    }
    assert labels_by_round(collection)["rounds-3"] == all_qrels(collection, [FINAL])[FINAL]


def test_a_collection_without_a_second_round_has_no_such_report():
    with pytest.raises(NoPoolRounds, match="The pools of small have no second round"):
        compute_report(RoundEffectsReport("AP"), collection=a_first_version())


def test_the_report_ranks_the_systems_under_each_set_by_hand(collection):
    """AP with grade 2 or more relevant; d02, d01, d04 in round 1, and d06, d07 in round 2."""
    payload = compute_report(RoundEffectsReport("AP"), collection=collection).payload

    before, after = (
        {row["system"]: row["mean"] for row in ranking["systems"]}
        for ranking in payload["rankings"]
    )
    # up: d01 d02 d03 d04 …; down: d12 … d01; late: d06 d01 d07 d02.
    assert before["up"] == pytest.approx((1 / 1 + 2 / 2 + 3 / 4) / 3)
    assert after["up"] == pytest.approx((1 / 1 + 2 / 2 + 3 / 4 + 4 / 6 + 5 / 7) / 5)
    assert before["late"] == pytest.approx((1 / 2 + 2 / 4) / 3)
    assert after["late"] == pytest.approx((1 / 1 + 2 / 2 + 3 / 3 + 4 / 4) / 5)
    judged = [ranking["judged"]["Judged@10"] for ranking in payload["rankings"]]
    assert [share["late"] for share in judged] == [0.5, 1.0]
    # Of the first 10 of `up`, d06 to d09 were not judged; later d08 and d09.
    assert [share["up"] for share in judged] == pytest.approx([0.6, 0.8])


def test_a_new_round_makes_the_report_old(collection):
    report = compute_report(RoundEffectsReport("AP"), collection=collection)
    assert changed_since(report) == ""

    top_up(collection, "later", ["d08"])

    assert "the pool rounds" in changed_since(report)


def test_each_earlier_round_is_compared_with_all_labels():
    payload = compute_report(RoundEffectsReport("AP"), collection=three_rounds()).payload

    assert [change.names for change in changes_by_round(payload)] == [
        ("rounds 1–2", "rounds 1–3"),
        ("round 1", "rounds 1–3"),
    ]


def test_the_page_shows_the_rounds_only_where_there_are_some():
    a_first_version()

    assert "pool rounds" not in text_of(client_of("admin").get(address("label-effects")))


def test_the_report_is_requested_shown_and_downloaded(collection):
    admin = client_of("admin")
    assert "Before and after pool rounds" in text_of(admin.get(address("label-effects")))

    admin.post(address("compute-label-effects"), {"measure": "AP"})
    for job in Job.objects.filter(state=State.QUEUED):
        run(job.pk)

    text = text_of(admin.get(f"{address('label-effects')}?measure=AP(rel=2)"))
    assert "Round 1 and rounds 1–2" in text
    assert "The ranking before against that after: Kendall’s τ-b" in text
    assert "Judged@10, the mean over the systems, went from" in text
    found = admin.get(f"{address('round-effects-csv')}?measure=AP(rel=2)")
    rows = list(csv.DictReader(io.StringIO(found.text)))
    assert {row["labels"] for row in rows} == {"rounds-1", "rounds-2"}
    json = admin.get(f"{address('round-effects-json')}?measure=AP(rel=2)").json()
    assert [row["labels"] for row in json["rankings"]] == [8, 10]


def test_the_page_takes_the_same_number_of_queries_for_more_rounds(collection):
    compute_report(RoundEffectsReport("AP"), collection=collection)
    admin = client_of("admin")
    page = f"{address('label-effects')}?measure=AP(rel=2)"
    few = queries_of(admin, page)

    top_up(collection, "later", ["d08"])
    judge_added(collection, {"d08": 1})
    compute_report(RoundEffectsReport("AP"), collection=collection)

    assert queries_of(admin, page) == few


def test_the_api_computes_and_gives_the_report(collection, client):
    admin = client_of("admin")
    url = "/api/v1/collections/small/round-effects/"
    assert admin.get(url).status_code == 404

    assert admin.post(url, {"measure": "AP"}, content_type="application/json").status_code == 202
    run(Job.objects.get(kind="compare_rounds").pk)

    answer = admin.get(url).json()
    assert (answer["measure"], answer["up_to_date"]) == ("AP(rel=2)", True)
    assert [row["source"] for row in answer["report"]["rankings"]] == ["rounds-1", "rounds-2"]


def test_the_api_refuses_a_report_without_a_second_round():
    a_first_version()

    answer = client_of("admin").post(
        "/api/v1/collections/small/round-effects/", {}, content_type="application/json"
    )

    assert answer.status_code == 400
    assert "no second round" in answer.text
