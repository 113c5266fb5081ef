import hashlib
import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from adjudication.services import Ruling
from agreement import tasks
from agreement.coefficients import REGISTRY
from agreement.services import AgreementReport, UnknownPolicy
from agreement.summary import STATISTICS_VERSION
from corpus.digests import canonical_json
from jobs.models import Job, State
from jobs.services import run
from reports.models import StoredReport
from reports.services import compute_report, reports_of, request_report, stored_report
from tests.support.factories import a_collection
from tests.support.old_reports import an_agreement_report, an_old_report
from tests.support.release_scenes import (
    GRADES,
    RULINGS,
    a_judged_collection,
    an_opened_collection,
    decide_all,
    decide_pair,
    judge_all,
    slot_of,
)
from tests.support.sittings import judge
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.may_differ]

COEFFICIENTS = {coefficient.key for coefficient in REGISTRY}


@once_a_file
def collection():
    return a_judged_collection()


@pytest.fixture(autouse=True)
def _nothing_looked_at_yet(monkeypatch):
    monkeypatch.setattr(tasks, "last_look", tasks.LastLook())


def printed(*arguments: str) -> str:
    out = StringIO()
    call_command("compute_agreement", *arguments, stdout=out)
    return out.getvalue()


def printed_json(*arguments: str) -> dict:
    return json.loads(printed(*arguments, "--format", "json"))


def finish(job: Job) -> Job:
    run(job.pk)
    job.refresh_from_db()
    return job


# The report


def test_a_report_has_every_query_and_facet_at_both_stages(collection):
    report = compute_report(AgreementReport("exclude"), collection=collection)

    assert [(row["query"], row["stage"]) for row in report.payload["queries"]] == [
        ("q1_background", "pre"),
        ("q1_background", "post"),
        ("q1_method", "pre"),
        ("q1_method", "post"),
        ("q2_method", "pre"),
        ("q2_method", "post"),
    ]
    assert [(row["facet"], row["stage"]) for row in report.payload["facets"]] == [
        (facet, stage) for facet in ("background", "method", "result") for stage in ("pre", "post")
    ]


def test_the_missing_judgments_are_left_out_or_counted_as_0(collection):
    left_out, counted = (
        compute_report(AgreementReport(missing), collection=collection).payload["queries"][2]
        for missing in ("exclude", "zero")
    )

    assert (left_out["n"], left_out["missing"], left_out["percent"]) == (2, 1, 50.0)
    assert (counted["n"], counted["missing"], counted["percent"]) == (3, 1, 100 * 2 / 3)


def test_the_same_judgments_again_are_the_same_report(collection):
    first = compute_report(AgreementReport("zero"), collection=collection)

    assert compute_report(AgreementReport("zero"), collection=collection) == first
    assert compute_report(AgreementReport("exclude"), collection=collection) != first
    assert StoredReport.objects.count() == 2


def test_unchanged_judgments_are_not_read_again(collection, django_assert_num_queries):
    report = compute_report(AgreementReport("zero"), collection=collection)

    # The collection, the counts, and the report without its payload
    with django_assert_num_queries(3):
        assert compute_report(AgreementReport("zero"), collection=collection) == report


def test_a_report_of_the_same_judgments_is_found_by_the_counts_from_then_on(
    collection,
    django_assert_num_queries,
):
    report = compute_report(AgreementReport("zero"), collection=collection)
    for grade in (0, 3):  # revised, and revised back
        judge(slot_of(collection, "q1_method", "d1", 1), grade)

    assert compute_report(AgreementReport("zero"), collection=collection) == report
    with django_assert_num_queries(3):
        compute_report(AgreementReport("zero"), collection=collection)


def test_a_revision_and_a_decision_each_make_a_new_report():
    collection = an_opened_collection()
    judge_all(collection, GRADES)
    compute_report(AgreementReport("zero"), collection=collection)

    decide_all(collection, RULINGS)
    compute_report(AgreementReport("zero"), collection=collection)
    judge(slot_of(collection, "q1_method", "d1", 1), 0)
    compute_report(AgreementReport("zero"), collection=collection)

    assert StoredReport.objects.count() == 3


def test_a_pair_judged_once_never_affects_the_report():
    collection = an_opened_collection()
    judge_all(collection, {key: both for key, both in GRADES.items() if key[1] != "d3"})
    before = compute_report(AgreementReport("zero"), collection=collection)

    for query, number, grade in [("q1_method", 1, 3), ("q1_background", 2, 0), ("q2_method", 1, 2)]:
        judge(slot_of(collection, query, "d3", number), grade)

    after = compute_report(AgreementReport("zero"), collection=collection)
    assert (after, after.digest) == (before, before.digest)


def test_a_query_with_no_judged_pair_is_not_in_the_report():
    collection = an_opened_collection()
    judge(slot_of(collection, "q1_method", "d1", 1), 3)

    assert compute_report(AgreementReport("zero"), collection=collection).payload["queries"] == []


def test_another_collections_judgments_are_not_in_the_report(collection):
    payload = compute_report(AgreementReport("zero"), collection=a_collection(slug="other")).payload

    assert payload["queries"] == []


def test_a_policy_that_does_not_exist_is_refused():
    with pytest.raises(UnknownPolicy, match='Use "exclude" or "zero"'):
        compute_report(AgreementReport("ignore"), collection=a_collection())


# Reports of another version of the statistics


def test_a_stored_report_of_another_version_is_computed_again(collection):
    old = an_old_report(collection, "zero")

    report = compute_report(AgreementReport("zero"), collection=collection)

    assert report != old
    assert report.digest != old.digest
    assert report.payload["statistics"] == STATISTICS_VERSION
    assert report.payload["facets"][2]["overruled_mean"] is not None
    assert stored_report(AgreementReport("zero"), collection) == report


def test_the_command_never_prints_a_report_of_another_version(collection):
    old = an_old_report(collection, "exclude")

    assert printed_json("small") != old.payload


@pytest.mark.parametrize("statistics", [1, STATISTICS_VERSION + 1])
def test_only_a_report_of_this_version_is_current(statistics):
    collection = a_collection()
    an_agreement_report(collection, "zero", digest="0", version=statistics)

    assert stored_report(AgreementReport("zero"), collection) is None


def test_after_a_new_version_reports_that_were_asked_for_are_due_again(collection):
    ((_, reason),) = tasks.due_reports()
    finished = tasks._finished_queries()[collection.pk]
    for missing in ("exclude", "zero"):
        an_old_report(collection, missing)
        # What the version before asked for, under the digest that it took.
        before = hashlib.sha256(canonical_json(sorted(finished))).hexdigest()[:16]
        assert before != reason
        request_report(AgreementReport(missing), collection=collection, reason=before)
    Job.objects.update(state=State.SUCCEEDED)

    assert asked_for() == ["exclude", "zero"]
    assert reports_of(AgreementReport, collection).count() == 2
    assert asked_for() == []


def test_the_database_refuses_to_change_or_delete_a_report():
    report = compute_report(AgreementReport("zero"), collection=a_collection())

    changes = [{"payload": {}}, {"summary": {}}, {"digest": "0"}, {"version": 1}]
    for change in changes:
        with pytest.raises(IntegrityError, match="never_edited"), transaction.atomic():
            StoredReport.objects.filter(pk=report.pk).update(**change)
    with pytest.raises(IntegrityError, match="never_deleted"), transaction.atomic():
        StoredReport.objects.filter(pk=report.pk)._raw_delete("default")


# The command


def test_the_command_prints_the_promised_json(collection):
    content = printed_json("small")

    assert set(content) == {
        *("statistics", "collection", "missing", "intervals", "queries", "facets"),
    }
    assert (content["collection"], content["missing"]) == ("small", "exclude")
    assert content["statistics"] == STATISTICS_VERSION
    for row in content["queries"]:
        assert set(row) == {"query", "facet", "stage", "n", "missing", "undefined"} | COEFFICIENTS
        assert {key for key in COEFFICIENTS if row[key] is None} == set(row["undefined"])
    for row in content["facets"]:
        assert set(row) == {
            *("facet", "stage", "queries", "pairs", "median", "defined", "interval"),
            *("overruled", "overruled_mean"),
        }
        assert set(row["median"]) == set(row["defined"]) == COEFFICIENTS


def test_undefined_is_null_with_its_reason():
    collection = an_opened_collection()
    judge_all(collection, {("q1_method", "d1"): (1, 0), ("q1_method", "d2"): (1, 1)})

    row = printed_json("small")["queries"][0]

    assert row["spearman"] is None
    assert row["undefined"] == {"spearman": "constant rater", "kendall": "constant rater"}


def test_the_command_prints_the_same_text_twice(collection):
    assert printed("small", "--format", "json") == printed("small", "--format", "json")


def test_the_command_prints_a_table_to_read(collection):
    lines = printed("small").splitlines()

    assert lines[0] == "Agreement in small; missing judgments: exclude"
    assert any(line.split()[:4] == ["method", "pre", "2", "6"] for line in lines)
    # Of background one of three labels is neither judgment; no label of result is there.
    assert ["background", "33.33%", "33.33%"] in [line.split() for line in lines]
    assert ["result", "undefined", "undefined"] in [line.split() for line in lines]
    assert any("undefined" in line for line in lines)


def test_the_command_needs_a_collection_that_exists():
    with pytest.raises(CommandError, match="No collection 'nowhere'"):
        printed("nowhere")


def test_the_command_makes_no_job(collection):
    printed("small")

    assert not Job.objects.exists()


# The job


def test_the_job_computes_the_report(collection):
    job = finish(request_report(AgreementReport("zero"), collection=collection))

    report = StoredReport.objects.get()
    assert job.state == State.SUCCEEDED
    assert job.result == {"report": report.pk, "missing": "zero", "state": report.digest}


def test_the_job_for_a_report_that_exists_succeeds_with_it(collection):
    report = compute_report(AgreementReport("zero"), collection=collection)

    job = finish(request_report(AgreementReport("zero"), collection=collection))

    assert (job.state, job.result["report"]) == (State.SUCCEEDED, report.pk)


def test_asking_twice_is_one_job_per_policy(collection):
    for missing in ("zero", "zero", "exclude"):
        request_report(AgreementReport(missing), collection=collection)

    assert sorted(Job.objects.values_list("key", flat=True)) == [
        "compute_agreement:exclude",
        "compute_agreement:zero",
    ]


# What is due


def asked_for() -> list[str]:
    """Do what is due until nothing is; the policies of the reports that were asked for."""
    tasks.request_due_reports()
    jobs = list(Job.objects.live().order_by("key"))
    for job in jobs:
        assert finish(job).state == State.SUCCEEDED
    return [job.parameters["missing"] for job in jobs]


def test_nothing_is_due_before_a_query_is_fully_judged():
    collection = an_opened_collection()
    judge_all(collection, {key: both for key, both in GRADES.items() if key[1] != "d3"})

    assert asked_for() == []


def test_a_fully_judged_query_makes_a_report_due_once():
    collection = an_opened_collection()
    judge_all(collection, {key: both for key, both in GRADES.items() if key[0] == "q1_method"})

    assert asked_for() == ["exclude", "zero"]
    assert asked_for() == []
    assert StoredReport.objects.count() == 2


def test_a_second_worker_does_not_ask_again(collection, monkeypatch):
    asked_for()
    monkeypatch.setattr(tasks, "last_look", tasks.LastLook())

    assert asked_for() == []


def test_judgments_of_a_query_at_work_make_nothing_due():
    collection = an_opened_collection()
    judge_all(collection, {key: both for key, both in GRADES.items() if key[0] == "q1_method"})
    asked_for()
    judge_all(collection, {("q2_method", "d1"): (1, 1)})

    assert asked_for() == []


def test_a_revision_in_a_fully_judged_query_makes_a_report_due(collection):
    asked_for()
    judge(slot_of(collection, "q1_method", "d1", 1), 0)

    assert asked_for() == ["exclude", "zero"]


def test_only_the_last_decision_of_a_query_makes_a_report_due():
    collection = an_opened_collection()
    judge_all(collection, GRADES)
    asked_for()

    decide_pair(collection, "q1_method", "d2", Ruling(grade=2))
    assert asked_for() == []
    decide_pair(collection, "q1_method", "d3", Ruling(grade=0))
    assert asked_for() == ["exclude", "zero"]


def test_a_report_that_failed_is_not_asked_for_again_and_again(collection, monkeypatch):
    tasks.request_due_reports()
    Job.objects.update(state=State.FAILED)
    monkeypatch.setattr(tasks, "last_look", tasks.LastLook())

    assert asked_for() == []


def test_a_look_reads_counts_and_neither_slots_nor_pairs(collection):
    asked_for()
    tasks.last_look.valid_until = 0

    with CaptureQueriesContext(connection) as captured:
        assert asked_for() == []

    for table in ("annotation_pair", "annotation_slot"):
        assert not any(f'"{table}"' in query["sql"] for query in captured)


def test_while_nothing_is_said_a_look_costs_three_queries(collection, django_assert_num_queries):
    asked_for()

    with django_assert_num_queries(3):
        tasks.request_due_reports()


def test_a_look_that_is_long_ago_is_not_relied_on(collection, monkeypatch):
    last_look = tasks.LastLook()
    last_look.note(tasks.newest_rows())
    last_look.valid_until = 0
    monkeypatch.setattr(tasks, "last_look", last_look)

    assert asked_for() == ["exclude", "zero"]
