"""The report of a small judged collection, with numbers worked out by hand."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Slot
from annotation.services import open_query
from evaluation.pool_bias.models import PoolBiasReport
from evaluation.pool_bias.services import (
    compute_pool_bias,
    current_paragraph,
    request_pool_bias,
    state_of,
)
from jobs.models import State
from jobs.services import run
from tests.support.factories import a_collection, annotators
from tests.support.pooling_scenes import a_listed_collection, a_listed_run, built
from tests.support.sittings import judge_at_once

pytestmark = pytest.mark.django_db

# The pool of q1: d01 to d03 from `up`, d12 to d10 from `down`; `other` lists unjudged ones first.
GRADES = {"d01": 3, "d02": 2, "d03": 0, "d12": 2, "d11": 0, "d10": 0}
OTHER = {"q1": ["d07", "d12", "d08", "d01"]}


@pytest.fixture
def collection():
    made = a_listed_collection()
    a_listed_run(made, "other", OTHER)
    built(made, forced=(), parameters={"n": 3})
    query = made.queries.get(name="q1_method")
    open_query(query=query, annotators=annotators(made), opened_by=None)
    slots = Slot.objects.of(made).select_related("pair__candidate__document")
    judge_at_once((slot, GRADES[slot.pair.candidate.document.docno]) for slot in slots)
    return made


def by_name(rows, key="system"):
    return {row[key]: row for row in rows}


def test_the_report_counts_sources_and_scores_systems_with_bounds(collection):
    payload = compute_pool_bias(collection=collection).payload
    sources = by_name(payload["sources"], "source")
    assert {
        name: (row["drawn"], row["relevant"], row["alone"]) for name, row in sources.items()
    } == {
        "up": (3, 2, 2),
        "down": (3, 1, 1),
    }
    other = by_name(payload["systems"])["other"]
    assert other["judged"] == {"10": 0.5, "20": 0.5, "100": 0.5}
    values = other["measures"]["AP(rel=2)"]
    assert values["standard"] == pytest.approx((1 / 2 + 2 / 4) / 3)
    assert values["condensed"] == pytest.approx(2 / 3)
    # Both unjudged documents relevant: four of five are found, at ranks 1 to 4.
    assert values["upper"] == pytest.approx(4 / 5)


def test_leaving_a_source_out_drops_its_labels_in_both_ways(collection):
    payload = compute_pool_bias(collection=collection).payload
    rows = {row["sources"][0]: row for row in payload["left_out"]}
    for way in ("unique", "redrawn"):
        assert (rows["down"][way]["labels"], rows["down"][way]["relevant"]) == (3, 1)
    changes = by_name(rows["down"]["unique"]["measures"]["AP(rel=2)"]["systems"])
    assert changes["up"]["score"] == pytest.approx((1 + 1 + 3 / 12) / 3)
    assert changes["up"]["reduced_score"] == 1
    assert changes["down"]["is_left_out"]
    assert (payload["redrawn"], payload["not_redrawn"]) == (1, [])


def test_a_group_is_left_out_beside_each_source(collection):
    payload = compute_pool_bias(collection=collection, leave_out=["up", "down"]).payload
    assert [row["sources"] for row in payload["left_out"]] == [["down"], ["up"], ["down", "up"]]
    both = payload["left_out"][-1]["redrawn"]
    assert (both["labels"], both["measures"]["nDCG@20"]["lost"]) == (6, 1)


def test_the_report_is_out_of_date_when_a_system_changes(collection):
    assert current_paragraph(collection) == ""
    report = compute_pool_bias(collection=collection)
    assert current_paragraph(collection) == report.paragraph
    assert "6 of 6 pooled pairs (100.0 %) have a final label" in report.paragraph
    a_listed_run(collection, "newer", OTHER)
    assert report.state != state_of(collection)
    assert current_paragraph(collection) == ""
    again = compute_pool_bias(collection=collection)
    assert (again.pk, PoolBiasReport.objects.count()) == (report.pk, 1)
    assert "newer" in by_name(again.payload["systems"])


def test_the_job_computes_the_report_and_says_why_it_cannot(collection):
    job = request_pool_bias(collection=collection, leave_out=["up", "down"])
    run(job.pk)
    assert PoolBiasReport.objects.get().leave_out == ["down", "up"]
    job = request_pool_bias(collection=collection, leave_out=["nothing"])
    run(job.pk)
    job.refresh_from_db()
    assert job.state == State.FAILED
    assert '"nothing" is not a source of the pools. Use: down, up.' in job.error


def test_the_command_prints_the_report_as_a_table_or_json(collection):
    table, text = StringIO(), StringIO()
    call_command("pool_bias", collection.slug, leave_out="up, down", stdout=table)
    lines = [line.split() for line in table.getvalue().splitlines()]
    assert ["up", "3", "3", "2", "2"] in lines
    assert any(line[:5] == ["down,up", "redrawn", "6", "3", "undefined"] for line in lines)
    call_command("pool_bias", collection.slug, format="json", stdout=text)
    assert json.loads(text.getvalue())["collection"] == collection.slug


def test_without_pools_or_collection_the_command_says_so():
    with pytest.raises(CommandError, match="small has no pool yet"):
        call_command("pool_bias", a_collection().slug)
    with pytest.raises(CommandError, match="No collection 'missing'"):
        call_command("pool_bias", "missing")
