"""The page about pool bias and its files."""

import csv
import io
import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Slot
from annotation.services import open_query
from evaluation.pool_bias import views
from evaluation.pool_bias.services import PoolBiasReport
from jobs.models import Job
from reports.models import StoredReport
from reports.services import compute_report
from tests.support.factories import a_collection, annotators
from tests.support.pooling_scenes import a_listed_collection, a_listed_run, built
from tests.support.release_scenes import a_judged_collection
from tests.support.sittings import judge_at_once
from tests.support.visits import address, client_of, csv_rows, text_of
from tests.support.worlds import once_a_file
from web.figures import number_text

pytestmark = pytest.mark.django_db

GRADES = {"d01": 3, "d02": 2, "d03": 0, "d12": 2, "d11": 0, "d10": 0}


@once_a_file
def collection():
    return a_redrawable_collection()


def a_redrawable_collection():
    collection = a_listed_collection()
    built(collection, forced=(), parameters={"n": 3})
    query = collection.queries.get(name="q1_method")
    open_query(query=query, annotators=annotators(collection), opened_by=None)
    slots = Slot.objects.of(collection).select_related("pair__candidate__document")
    judge_at_once((slot, GRADES[slot.pair.candidate.document.docno]) for slot in slots)
    return collection


def page_of(**parameters):
    return client_of("admin").get(address("pool-bias"), parameters)


def test_before_a_report_the_page_says_what_is_missing():
    a_collection()
    assert "No labels yet" in text_of(page_of())


def test_the_page_shows_the_report_by_measure_and_way(collection):
    assert "No report yet" in text_of(page_of())
    report = compute_report(PoolBiasReport(["up", "down"]), collection=collection)

    text = text_of(page_of(measure="AP(rel=2)", way="redrawn"))

    assert report.summary["paragraph"] in text
    assert "The report is up to date." in text
    assert "AP(rel=2) without a source" in text
    assert "down + up" in text
    assert "New documents were not judged" in text
    assert "New documents" not in text_of(page_of(measure="unknown", way="unknown"))


def test_pools_that_cannot_be_drawn_again_are_named_with_the_reason():
    collection = a_judged_collection()
    compute_report(PoolBiasReport(), collection=collection)
    page = page_of(way="redrawn")
    assert "2 pools cannot be drawn again without a source: they were imported" in text_of(page)
    assert page.context["choice"].way == "unique"


def test_a_report_of_other_systems_is_out_of_date_and_the_button_queues_a_job(collection):
    compute_report(PoolBiasReport(), collection=collection)
    a_listed_run(collection, "newer", {"q1": ["d01"]})
    assert "Changed since then: the lists of systems. Recalculate" in text_of(page_of())
    sent = {"leave_out": ["up", "down"]}
    assert client_of("admin").post(address("compute-pool-bias"), sent).status_code == 302
    assert Job.objects.get(kind="pool_bias").parameters == {"leave_out": ["down", "up"]}


def test_the_page_takes_as_many_queries_for_more_systems(collection):
    compute_report(PoolBiasReport(), collection=collection)
    client = client_of("admin")
    client.get(address("pool-bias"))
    with CaptureQueriesContext(
        connection,
    ) as few:
        client.get(address("pool-bias"))
    a_listed_run(collection, "newer", {"q1": ["d01"]})
    compute_report(PoolBiasReport(), collection=collection)
    with CaptureQueriesContext(connection) as many:
        client.get(address("pool-bias"))
    assert len(many) == len(few)


def test_a_long_table_has_pages_and_its_file_has_all_rows(collection, monkeypatch):
    monkeypatch.setattr(views, "PAGE_ROWS", 1)
    compute_report(PoolBiasReport(), collection=collection)

    page = page_of(systems="2")

    assert (page.context["systems"].first, page.context["systems"].total) == (2, 2)
    assert address("system", page.context["systems"].rows[0].name) in page.text
    for table, first in (
        ("sources", "source"),
        ("left-out", "left_out"),
        ("systems", "system"),
        ("growth", "query"),
    ):
        rows = csv_rows(page_of(format="csv", table=table))
        assert next(iter(rows[0])) == first
    assert len(csv_rows(page_of(format="csv", table="systems"))) == 2
    assert page_of(format="csv", table="other").status_code == 404


def test_figures_draw_percent_and_their_files_have_fractions(collection):
    compute_report(PoolBiasReport(), collection=collection)
    page = page_of(measure="AP(rel=2)")
    figure = page.context["figures"]["left_out"].figure
    score = figure.rows[0][2]
    assert 0 < score <= 1
    assert f"{figure.rows[0][1]}: {number_text(100 * score)} with all labels" in page.text


def test_figures_and_report_are_files(collection):
    compute_report(PoolBiasReport(), collection=collection)
    client = client_of("admin")
    for figure in ("sources", "left-out", "bounds", "growth-by-query", "growth"):
        for extension in ("svg", "csv"):
            response = client.get(address("pool-bias-figure", figure, extension))
            assert response.status_code == 200
    rows = list(csv.reader(io.StringIO(response.content.decode())))
    assert rows[-1] == ["6", "3"]  # six documents, three of them relevant
    report = json.loads(client.get(address("pool-bias-json")).content)
    assert report == StoredReport.objects.get().payload
