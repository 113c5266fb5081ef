"""The stored report of estimated scores, its command, and what it must not tell or change."""

from __future__ import annotations

import json

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from annotation.models import Slot
from evaluation.label_effects.rankings import measure_named
from evaluation.prediction_powered.report import PredictionPoweredReport
from evaluation.prediction_powered.tables import csv_rows, finding_of
from evaluation.shadow_judges.services import delete_shadow_judge
from reports.models import StoredReport
from reports.services import changed_since, compute_report
from scoring.labels import qrels_of
from scoring.measures.scoring import score_lists
from scoring.statistics.prediction_powered import estimate
from scoring.systems.lists import system_lists
from tests.support.estimate_scenes import (
    DOCUMENTS,
    QUERIES,
    a_model,
    an_opened_collection,
    final_labels,
    judge_whole,
    random_queries,
)
from tests.support.factories import an_open_query
from tests.support.label_scenes import a_shadow_judge
from tests.support.sittings import judge
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
JUDGED = 20
MEASURE = "nDCG@10"


@once_a_file
def collection():
    return an_opened_collection()


def payload_of(collection) -> dict:
    return compute_report(PredictionPoweredReport(MEASURE, "model"), collection=collection).payload


def test_every_system_has_both_estimates_of_the_first_queries(collection, tmp_path):
    order = random_queries(collection)
    judge_whole(collection, order[:JUDGED])
    a_model(collection, tmp_path)
    payload = payload_of(collection)
    assert (payload["queries"], payload["judged"], payload["reason"]) == (QUERIES, JUDGED, "")
    assert payload["pairs"] == QUERIES * DOCUMENTS
    assert payload["next"] == order[JUDGED : JUDGED + 5]
    labels = final_labels(collection)
    qrels = {query: labels[query] for query in order}
    measure = measure_of(collection)
    for row in payload["systems"]:
        lists = dict(system_lists(collection.systems.get(name=row["system"])))
        values = score_lists(lists, qrels, [measure])[measure.name].reindex(order).to_numpy()
        judged = np.arange(JUDGED)[None, :]
        expected = estimate(values[judged], values, judged)
        for kind in ("human", "powered"):
            bounds = getattr(expected, kind)
            assert [row[kind][key] for key in ("value", "low", "high")] == pytest.approx(
                [each[0] for each in bounds]
            )
        assert row["model_only"] == pytest.approx(np.nanmean(values))
        assert row["saved"]["queries"] == expected.needed[0] - JUDGED
        assert row["saved"]["pairs"] == DOCUMENTS * row["saved"]["queries"]
    assert [row["system"] for row in payload["systems"]] == ["good", "random"]
    assert payload["systems"][1]["saved"]["queries"] > 0


def measure_of(collection):
    return measure_named(MEASURE, collection.relevant_from)


def test_a_useless_model_saves_nothing_and_the_report_says_so(collection, tmp_path):
    judge_whole(collection, random_queries(collection)[:JUDGED])
    labels = dict.fromkeys(
        (query, docno) for query, grades in final_labels(collection).items() for docno in grades
    )
    a_shadow_judge(collection, tmp_path, labels=dict.fromkeys(labels, 3))
    payload = payload_of(collection)
    for row in payload["systems"]:
        if row["system"] == "random":
            assert row["saved"] == {"queries": 0, "pairs": 0}
    # Under equal labels every list is perfect, so the model tells no query from another.
    assert "The model saves no judging" in finding_of(payload)


def test_queries_that_are_no_random_sample_get_no_estimate(collection, tmp_path):
    order = random_queries(collection)
    judge_whole(collection, order[JUDGED // 2 :])
    a_model(collection, tmp_path)
    payload = payload_of(collection)
    assert payload["systems"] == []
    assert f"not a random sample. {order[0]} is number 1 of the random order" in payload["reason"]


def test_a_started_query_is_not_judged_and_tells_nothing(collection, tmp_path):
    order = random_queries(collection)
    judge_whole(collection, order[:JUDGED])
    a_model(collection, tmp_path)
    before = payload_of(collection)
    slots = Slot.objects.of(collection).filter(pair__query__name=order[JUDGED])
    first = slots.filter(number=1).first()
    judge(first, 3)
    assert payload_of(collection) == before  # one of both judgments
    judge(slots.get(pair=first.pair, number=2), 3)
    after = payload_of(collection)  # one pair of four
    assert (after["judged"], after["systems"]) == (JUDGED, before["systems"])


def test_a_case_without_a_decision_leaves_its_query_unfinished(collection, tmp_path):
    order = random_queries(collection)
    judge_whole(collection, order[: JUDGED - 1])
    slots = Slot.objects.of(collection).filter(pair__query__name=order[JUDGED - 1])
    for slot in slots:
        judge(slot, slot.number)  # every pair is disputed
    a_model(collection, tmp_path)
    assert payload_of(collection)["judged"] == JUDGED - 1


def test_a_collection_judged_whole_shows_what_the_model_would_have_saved(collection, tmp_path):
    judge_whole(collection, random_queries(collection))
    a_model(collection, tmp_path)
    payload = payload_of(collection)
    assert payload["reason"] == ""
    measure = measure_of(collection)
    for row in payload["systems"]:
        lists = dict(system_lists(collection.systems.get(name=row["system"])))
        mean = score_lists(lists, qrels_of(collection), [measure])[measure.name].mean()
        assert row["human"] == dict.fromkeys(("value", "low", "high"), pytest.approx(mean))
        assert (row["powered"], row["saved"]) == (None, None)
    sizes = {row["judged"]: row for row in payload["simulated"]["sizes"]}
    assert list(sizes) == [8, 16, 20, 24]
    assert [bool(row["not_offered"]) for row in sizes.values()] == [True, False, False, False]
    assert "People judged all 30 queries, so no estimate is needed" in finding_of(payload)
    rows = list(csv_rows(payload))
    assert {len(row) for row in rows} == {len(rows[0])}
    assert [row[0] for row in rows[1:]] == ["estimate"] * 2 + ["simulated"] * 4


def test_a_report_is_out_of_date_after_a_judged_or_opened_query(collection, tmp_path):
    order = random_queries(collection)
    judge_whole(collection, order[:JUDGED])
    a_model(collection, tmp_path)
    payload_of(collection)
    report = StoredReport.objects.get(kind="estimate_scores")
    assert changed_since(report) == ""
    judge_whole(collection, order[JUDGED : JUDGED + 1])
    assert changed_since(report) == "the labels"
    payload_of(collection)
    an_open_query(collection)
    report.refresh_from_db()
    assert changed_since(report) == "the pools or the documents and the opened queries"
    delete_shadow_judge(collection=collection, name="model")
    assert not StoredReport.objects.exists()


def test_estimates_are_in_no_qrels(collection, tmp_path):
    judge_whole(collection, random_queries(collection)[:JUDGED])
    before = qrels_of(collection)
    a_model(collection, tmp_path)
    payload_of(collection)
    assert qrels_of(collection) == before
    assert len(before) == JUDGED


def test_the_command_prints_both_estimates(collection, tmp_path, capsys):
    judge_whole(collection, random_queries(collection)[:JUDGED])
    a_model(collection, tmp_path)
    call_command("estimate_scores", "small", "model", "--measure", MEASURE)
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith(f"People judged {JUDGED} of {QUERIES} queries")
    assert lines[3].split()[:5] == ["system", "human", "only", "with", "the"]
    assert lines[4].split() == ["good", "100.00", "100.00", "100.00", "none"]  # on every query
    assert lines[5].startswith("random")
    assert lines[5].count(" to ") == 2
    call_command("estimate_scores", "small", "model", "--measure", MEASURE, "--format", "json")
    assert json.loads(capsys.readouterr().out) == payload_of(collection)


def test_the_simulation_needs_a_collection_judged_whole(collection, capsys):
    order = random_queries(collection)
    judge_whole(collection, order[:JUDGED])
    with pytest.raises(CommandError, match="has 10 opened queries of 30 that people have not"):
        call_command("simulate_estimates", "small")
    judge_whole(collection, order)
    with pytest.raises(CommandError, match="--queries must be from 3 to 29 in small, got 30"):
        call_command("simulate_estimates", "small", "--queries", "30")
    with pytest.raises(CommandError, match="--draws must be from 1 to 10,000, got 0"):
        call_command("simulate_estimates", "small", "--draws", "0")
    options = ("--queries", "16", "--draws", "60", "--measure", MEASURE)
    call_command("simulate_estimates", "small", *options, "--format", "json")
    rows = json.loads(capsys.readouterr().out)
    assert [row["model"] for row in rows] == [
        *("annotator-1", "noisy", "ranks", "random", "constant")
    ]
    widths = {row["model"]: row["width"] for row in rows}
    # Annotator 1 agrees with every final label here, so only the halved tuning leaves a width.
    assert widths["annotator-1"] == pytest.approx(0.52, abs=0.02)
    assert widths["constant"] > 1
    call_command("simulate_estimates", "small", *options, "--model", "noisy")
    table = capsys.readouterr().out.splitlines()
    assert table[1].split()[:3] == [MEASURE, "noisy", "16"]
    assert table[-1].startswith("60 draws from 30 queries.")
