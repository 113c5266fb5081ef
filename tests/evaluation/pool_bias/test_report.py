"""The report of a small judged collection, with numbers worked out by hand."""

import json
import math
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Slot
from annotation.services import open_query
from corpus.services import create_query
from evaluation.pool_bias.redraw import LIST_ONLY
from evaluation.pool_bias.services import PoolBiasReport, current_paragraph
from jobs.context import DirectRun
from jobs.models import State
from jobs.services import run
from pooling.provenance import IMPORTED
from pooling.services.imported import create_imported_pools
from reports.models import StoredReport
from reports.services import changed_since, compute_report, request_report, stored_report
from tests.support.factories import DocumentFactory, a_collection, annotators
from tests.support.pooling_scenes import a_listed_collection, a_listed_run, built
from tests.support.sittings import judge_at_once
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

# The pool of q1: d01 to d03 from `up`, d12 to d10 from `down`; `other` lists unjudged ones first.
GRADES = {"d01": 3, "d02": 2, "d03": 0, "d12": 2, "d11": 0, "d10": 0}
OTHER = {"q1": ["d07", "d12", "d08", "d01"]}


@once_a_file
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
    payload = compute_report(PoolBiasReport(), collection=collection).payload
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
    payload = compute_report(PoolBiasReport(), collection=collection).payload
    rows = {row["sources"][0]: row for row in payload["left_out"]}
    for way in ("unique", "redrawn"):
        assert (rows["down"][way]["labels"], rows["down"][way]["relevant"]) == (3, 1)
    changes = by_name(rows["down"]["unique"]["measures"]["AP(rel=2)"]["systems"])
    assert changes["up"]["score"] == pytest.approx((1 + 1 + 3 / 12) / 3)
    assert changes["up"]["reduced_score"] == 1
    assert changes["down"]["is_left_out"]
    assert (payload["redrawn"], payload["not_redrawn"]) == (1, [])


def test_sources_are_predicted_as_new_systems(collection):
    payload = compute_report(PoolBiasReport(), collection=collection).payload
    found = payload["reusability"]
    assert (found["way"], found["by_family"]) == ("redrawn", None)
    # Without `down`, `up` draws d01 to d03 alone: 3 of the 12 documents of `down` are judged then.
    down = by_name(found["by_source"]["groups"], "name")["down"]
    assert down["judged"] == 3 / 12
    found_later = 2 / math.log2(12) + 3 / math.log2(13)  # d02 and d01
    full = (2 + found_later) / (3 + 2 / math.log2(3) + 2 / 2)
    assert down["change"] == pytest.approx(found_later / (3 + 2 / math.log2(3)) - full)
    predicted = found["by_source"]["judged"]
    assert (predicted["value"], predicted["groups"], predicted["queries"]) == (3 / 12, 2, 1)
    assert predicted["low"] is None
    assert "left out one source at a time (2 sources)" in payload["paragraph"]
    assert "a judged@20 of 25 % (too few queries for an interval)" in payload["paragraph"]


def test_families_are_left_out_together(collection):
    collection.runs.filter(name="up").update(kind="bm25")
    payload = compute_report(PoolBiasReport(), collection=collection).payload
    groups = payload["reusability"]["by_family"]["groups"]
    assert {group["name"]: group["sources"] for group in groups} == {
        "lexical": ["up"],
        "other": ["down"],
    }


def test_a_group_is_left_out_beside_each_source(collection):
    payload = compute_report(PoolBiasReport(["up", "down"]), collection=collection).payload
    assert [row["sources"] for row in payload["left_out"]] == [["down"], ["up"], ["down", "up"]]
    both = payload["left_out"][-1]["redrawn"]
    assert (both["labels"], both["lost"]) == (6, 1)
    alone = compute_report(PoolBiasReport(["up"]), collection=collection).payload
    assert [row["sources"] for row in alone["left_out"]] == [["down"], ["up"]]


def a_collection_where_two_sources_found_the_relevant_document():
    """`right` drew d01 and d05, and `left`, which also has d01, d02 and d03."""
    made = a_listed_collection()
    a_listed_run(made, "left", {"q1": ["d01", "d02", "d03", "d04"]})
    a_listed_run(made, "right", {"q1": ["d01", "d05", "d06", "d07"]})
    built(made, runs=("left", "right"), forced=(), parameters={"n": 2})
    query = made.queries.get(name="q1_method")
    open_query(query=query, annotators=annotators(made), opened_by=None)
    slots = Slot.objects.of(made).select_related("pair__candidate__document")
    judge_at_once((slot, 3 if slot.pair.candidate.document.docno == "d01" else 0) for slot in slots)
    return made


UNDEFINED = "without right, τ of the rankings of the systems is undefined"


def test_sources_count_with_the_pools_drawn_again_without_them():
    """Without `right`, `left` draws d01, so only labels of grade 0 are lost."""
    collection = a_collection_where_two_sources_found_the_relevant_document()
    facts = compute_report(PoolBiasReport(), collection=collection).payload["statement"]
    assert UNDEFINED not in facts["support"]["reasons"]


def test_sources_count_with_all_that_they_drew_if_a_pool_cannot_be_drawn_again():
    collection = a_collection_where_two_sources_found_the_relevant_document()
    names = ["p6", "p3", "p1", "p2", "p5", "p4"]
    for docno in names:
        DocumentFactory(collection=collection, docno=docno)
        create_query(collection=collection, docno=docno, facet_key="method")
    papers = collection.query_papers.filter(name__in=names)
    documents = {collection.documents.get(docno="d01").pk: IMPORTED}
    create_imported_pools(
        collection=collection, documents=dict.fromkeys(papers, documents), files={}, built_by=None
    )
    payload = compute_report(PoolBiasReport(), collection=collection).payload
    assert payload["redrawn"] == 1
    assert payload["not_redrawn"] == [
        {"reason": LIST_ONLY, "pools": 6, "examples": ["p1", "p2", "p3", "p4", "p5"]}
    ]
    assert UNDEFINED in payload["statement"]["support"]["reasons"]


def test_the_growth_of_the_pools_is_reported_by_query_and_in_all(collection):
    growth = compute_report(PoolBiasReport(), collection=collection).payload["growth"]
    assert growth["found"] == [1, 2, 3, 3, 3, 3]
    (query,) = growth["queries"]
    assert (query["query"], query["relevant"], query["relevant_at"]) == ("q1_method", 3, (1, 2, 3))
    # Three of six judged documents are relevant, so five of ten more are expected.
    assert query["expected"] == growth["expected"]
    assert growth["expected"]["value"] == 5


def test_the_progress_of_each_step_ends_at_its_total(collection):
    reports = []

    class Recorded(DirectRun):
        def progress(self, done, total, note=""):
            reports.append((note, done, total))

    compute_report(PoolBiasReport(), collection=collection, work=Recorded())
    assert reports == [
        ("drawing pools again", 0, None),
        ("pools drawn again", 1, 1),
        *(("systems scored", number, 3) for number in (1, 2, 3)),
        *(("sources left out", number, 2) for number in (1, 2)),
    ]


def test_the_report_is_out_of_date_when_a_system_changes(collection):
    assert current_paragraph(collection) == ""
    report = compute_report(PoolBiasReport(), collection=collection)
    assert current_paragraph(collection) == report.summary["paragraph"]
    assert "6 of 6 pooled pairs (100.0 %) have a final label" in report.summary["paragraph"]
    a_listed_run(collection, "newer", OTHER)
    assert report.state != PoolBiasReport().state(collection)
    assert current_paragraph(collection) == ""
    again = compute_report(PoolBiasReport(), collection=collection)
    assert (again.pk, StoredReport.objects.count()) == (report.pk, 1)
    assert "newer" in by_name(again.payload["systems"])


def test_the_job_computes_the_report_and_says_why_it_cannot(collection):
    job = request_report(PoolBiasReport(["up", "down"]), collection=collection)
    run(job.pk)
    assert StoredReport.objects.get().parameters["leave_out"] == ["down", "up"]
    job = request_report(PoolBiasReport(["nothing"]), collection=collection)
    run(job.pk)
    job.refresh_from_db()
    assert job.state == State.FAILED
    assert '"nothing" is not a source of the pools. Use: down, up.' in job.error


def test_the_command_prints_the_report_as_a_table_or_json(collection):
    table, text = StringIO(), StringIO()
    call_command("compute_pool_bias", collection.slug, leave_out="up, down", stdout=table)
    lines = [line.split() for line in table.getvalue().splitlines()]
    assert ["up", "3", "3", "2", "2"] in lines
    assert any(line[:5] == ["down,up", "redrawn", "6", "3", "undefined"] for line in lines)
    call_command("compute_pool_bias", collection.slug, format="json", stdout=text)
    assert json.loads(text.getvalue())["collection"] == collection.slug


def test_columns_of_the_command_stay_apart_for_long_names(collection):
    name = "a_retriever_whose_name_is_longer_than_every_other_cell"
    a_listed_run(collection, name, {"q1": ["d03", "d12"]})
    output = StringIO()
    call_command("compute_pool_bias", collection.slug, leave_out="up, down", stdout=output)
    lines = output.getvalue().splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("sources "))
    table = lines[start : lines.index("", start)]
    assert {len(line.split()) for line in table} == {10}
    assert any(name in line.split() for line in lines)
    ends = {line.index(cell) + len(cell) for line in table for cell in line.split()[2:3]}
    assert len(ends) == 1  # numbers are aligned on the right
    for line in table[1:]:
        full, without, change = map(float, line.split()[6:9])
        assert change == pytest.approx(without - full, abs=2e-2)
    ways = [line.split()[:2] for line in table[1:]]
    assert ways[:3] == [["down", "unique"], ["down", "drawn"], ["down", "redrawn"]]
    assert ways[-1] == ["down,up", "redrawn"]


def test_all_that_a_source_drew_is_left_out_also_if_others_found_it(collection):
    payload = compute_report(PoolBiasReport(), collection=collection).payload
    (row,) = [row for row in payload["left_out"] if row["sources"] == ["up"]]
    drawn = row["drawn"]
    assert (drawn["labels"], drawn["relevant"], drawn["queries"], drawn["lost"]) == (3, 2, 1, 0)
    # `up` has d12, the only relevant document that is left, at rank 12; without the others, at 3.
    effects = by_name(drawn["measures"]["AP(rel=2)"]["systems"])
    assert effects["up"]["reduced_score"] == pytest.approx(1 / 12)
    assert effects["up"]["reduced_condensed"] == pytest.approx(1 / 3)
    assert drawn["own"].keys() == {"up"}
    assert drawn["own"]["up"]["judged"] == pytest.approx(3 / 12)


def test_the_facts_of_the_statement_count_only_systems_that_leave_the_pools(collection):
    a_listed_run(collection, "again", {"q1": ["d03", "d12", "d01"]})
    sample = {"bounds": [2, 4], "rates": [1.0, 0.5]}
    built(a_listed_collection("other"), strategy="stratified", runs=("up",), parameters=sample)
    payload = compute_report(PoolBiasReport(), collection=collection).payload
    systems = by_name(payload["systems"])
    assert {name for name in systems if systems[name]["leaves_pools"]} == {"up", "down", "other"}
    facts = payload["statement"]
    counts = [facts[key] for key in ("systems", "whole_corpus", "queries", "pairs", "labelled")]
    assert counts == [4, 3, 1, 6, 6]
    assert facts["sampled"] == 0
    assert facts["support"]["sources"] == 2
    assert facts["support"]["answer"] == "cannot be said"
    assert facts["reaching"] == 0
    assert "a final label. Whether it supports" in payload["paragraph"]
    assert payload["version"] == PoolBiasReport.version
    closed = {measure["name"] for measure in payload["measures"] if measure["closed"]}
    assert closed == {"RP", "P@20", "R@20", "NDCG%20", "NDCG%100"}


def test_a_system_without_a_list_for_a_labelled_query_is_named(collection):
    collection.systems.create(name="empty", kind="file", sha256="0" * 64)
    payload = compute_report(PoolBiasReport(), collection=collection).payload
    assert payload["without_lists"] == ["empty"]
    assert "empty" not in by_name(payload["systems"])


def test_a_report_of_another_version_is_not_shown(collection):
    report = compute_report(PoolBiasReport(), collection=collection)
    assert stored_report(PoolBiasReport(), collection) == report
    assert changed_since(report) == ""
    StoredReport.objects.update(version=PoolBiasReport.version - 1)
    assert stored_report(PoolBiasReport(), collection) is None


def test_what_changed_since_a_report_is_named(collection):
    report = compute_report(PoolBiasReport(), collection=collection)
    type(collection).objects.update(corpus_version=collection.corpus_version + 1)
    collection.refresh_from_db()
    report.refresh_from_db()
    assert changed_since(report) == "the pools or the documents"
    a_listed_run(collection, "newer", OTHER)
    assert changed_since(report) == "the pools or the documents and the lists of systems"


def test_without_pools_or_collection_the_command_says_so():
    with pytest.raises(CommandError, match="small has no pool yet"):
        call_command("compute_pool_bias", a_collection().slug)
    unjudged = a_listed_collection("unjudged")
    built(unjudged)
    with pytest.raises(CommandError, match="unjudged has no final label yet"):
        call_command("compute_pool_bias", unjudged.slug)
    with pytest.raises(CommandError, match="No collection 'missing'"):
        call_command("compute_pool_bias", "missing")
