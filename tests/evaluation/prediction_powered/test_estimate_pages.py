"""The admin's page of estimated scores, its files and its API."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from django.conf import settings

from evaluation.prediction_powered.report import PredictionPoweredReport
from jobs.models import Job, State
from jobs.services import run
from reports.models import StoredReport
from reports.services import compute_report
from tests.support.estimate_scenes import (
    a_model,
    an_opened_collection,
    judge_whole,
    random_queries,
)
from tests.support.visits import address, client_of, queries_of, text_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
JUDGED, MEASURE = 20, "nDCG@10"
URL = ("estimates", "model")


@once_a_file
def collection():
    made = an_opened_collection()
    judge_whole(made, random_queries(made)[:JUDGED])
    a_model(made, Path(settings.DATA_DIR))
    return made


@pytest.fixture
def admin(collection):
    return client_of("admin")


def compute(collection) -> dict:
    return compute_report(PredictionPoweredReport(MEASURE, "model"), collection=collection).payload


def test_estimates_are_requested_computed_shown_and_downloaded(admin, collection):
    assert "No estimate by this measure yet" in text_of(admin.get(address(*URL)))
    assert address(*URL) in admin.get(address("shadow-judge", "model")).text
    answer = admin.post(address("compute-estimates", "model"), {"measure": MEASURE})
    assert answer.url == f"{address(*URL)}?measure=nDCG%4010"
    run(Job.objects.get(state=State.QUEUED).pk)
    payload = StoredReport.objects.get(kind="estimate_scores").payload
    page = admin.get(answer.url)
    text = text_of(page)
    assert "The report is up to date" in text
    assert f"People judged {JUDGED} of 30 queries, the first of the random order" in text
    assert "</em> is no estimate: its error is unknown" in text
    (row,) = (row for row in payload["systems"] if row["system"] == "random")
    for kind in ("human", "powered"):
        low, high = (f"{100 * row[kind][key]:.2f}" for key in ("low", "high"))
        assert f"{low}–{high}" in text
    rows = list(csv.DictReader(admin.get(address("estimates-csv", "model")).text.splitlines()))
    (line,) = (line for line in rows if line["system"] == "random")
    assert float(line["powered_high"]) == row["powered"]["high"]
    assert int(line["saved_queries"]) == row["saved"]["queries"]
    assert json.loads(admin.get(address("estimates-json", "model")).text) == payload
    svg = admin.get(address("estimates-figure", "model", "estimates", "svg"))
    assert "With the model" in svg.text
    assert queries_of(admin, answer.url) < 40


def test_a_refused_sample_shows_the_reason_and_no_number(admin, collection):
    judge_whole(collection, random_queries(collection)[-2:])
    compute(collection)
    page = text_of(admin.get(address(*URL)))
    assert "No estimate is given.</strong> The queries that people judged are not a random" in page
    assert "<table" not in admin.get(address(*URL)).text.partition("</header>")[2]


def test_a_collection_judged_whole_shows_the_simulated_table(admin, collection):
    judge_whole(collection, random_queries(collection))
    compute(collection)
    page = admin.get(address(*URL))
    text = text_of(page)
    assert "What the model would have saved" in text
    assert "not given" in text
    assert 'id="simulated-table"' in page.text
    assert admin.get(address("estimates-figure", "model", "saved", "csv")).status_code == 200


def test_the_api_answers_the_stored_report_and_queues_one(admin, collection):
    url = "/api/v1/collections/small/shadow-judges/model/estimates/"
    assert admin.get(url).status_code == 404
    payload = compute(collection)
    answer = admin.get(url, {"measure": MEASURE})
    assert answer.json()["report"] == payload
    assert admin.post(url, {"measure": "AP"}, "application/json").status_code == 202
    assert admin.post(url.replace("model", "absent"), {}, "application/json").status_code == 404


def test_an_annotator_sees_nothing_of_it(admin, collection):
    compute(collection)
    annotator = client_of("ann1")
    for name, *more in (URL, ("estimates-csv", "model"), ("estimates-json", "model")):
        assert annotator.get(address(name, *more)).status_code in (403, 404)
