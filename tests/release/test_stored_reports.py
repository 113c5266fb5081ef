"""Reports of the database in a release, and those that are older than the labels."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from accounts.models import User
from agreement.services import AgreementReport
from evaluation.label_effects.services import (
    CitedPapersReport,
    LabelEffectsReport,
    ShadowJudgeReport,
)
from evaluation.pool_bias.services import PoolBiasReport
from release.gate.stored_reports import old_reports, request_old_reports
from release.services import find_faults
from reports.services import compute_report
from scoring.models import Scores
from scoring.services import evaluate, make_folds
from tests.support.label_scenes import a_shadow_judge, a_system, two_systems
from tests.support.release_scenes import a_judged_collection, slot_of
from tests.support.released_files import files_of
from tests.support.releases import USUAL_CHECKS
from tests.support.sittings import judge
from tests.support.visits import address, text_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

ALL_STALE = [
    "agreement",
    "evaluation",
    "pool_bias",
    "label_effects",
    "cited_papers",
]
MEASURE = "NDCG%100"
OLD = "old-reports"
JSON_FILES = [f"reports/{key}.json" for key in ALL_STALE]


@once_a_file
def collection():
    """With two systems, and every report that a release can have."""
    collection = a_judged_collection()
    two_systems(collection)
    compute_report(AgreementReport("exclude"), collection=collection)
    evaluate(collection=collection)
    compute_report(PoolBiasReport(), collection=collection)
    for kind in (LabelEffectsReport, CitedPapersReport):
        compute_report(kind(MEASURE), collection=collection)
    return collection


def reports_in(files):
    return {name for name in files if name.startswith("reports/") and "/figures/" not in name}


def keys(reports):
    return [report.key for report in reports]


def test_reports_are_old_after_a_judgment_is_revised(collection):
    assert old_reports(collection) == []
    judge(slot_of(collection, "q1_method", "d1", 1), 2)

    old = old_reports(collection)

    assert keys(old) == ALL_STALE
    assert all(report.stops_release for report in old)
    assert [(report.name, report.because) for report in old] == [
        ("Agreement (missing judgments left out)", "the judgments or decisions"),
        ("Scores of 2 systems", "the labels"),
        ("Pool bias", "the labels"),
        ("Label effects (NDCG%100)", "the labels"),
        ("Cited papers (NDCG%100)", "the labels"),
    ]


def test_reports_that_were_never_computed_are_not_old():
    collection = a_judged_collection()
    a_system(collection, "new", {"q1_method": ["d1"]})
    assert old_reports(collection) == []


def test_reports_with_other_runs_alone_are_old_and_stop_no_release(collection):
    """Their figures are of the released labels; the leaderboard gets new runs all the time."""
    a_system(collection, "third", {"q1_method": ["d1"]})

    old = old_reports(collection)

    assert keys(old) == ["pool_bias", "label_effects", "cited_papers"]
    assert {report.because for report in old} == {"the lists of systems"}
    assert not any(report.stops_release for report in old)
    assert next(found for found in find_faults(collection=collection) if found.check == OLD).ok


def test_a_release_leaves_out_reports_with_other_runs_and_says_so(collection):
    a_system(collection, "third", {"q1_method": ["d1"]})

    files = files_of(collection)

    assert "reports/pool_bias.json" not in files
    manifest = json.loads(files["manifest.json"])
    assert manifest["out_of_date_reports"] == ["pool_bias", "label_effects", "cited_papers"]


def test_other_folds_make_scores_old_and_stop_a_release(collection):
    make_folds(collection=collection, number=0)

    (scores,) = old_reports(collection)

    assert (scores.name, scores.because) == ("Scores of 2 systems", "the folds")
    assert scores.stops_release


def test_exactly_the_old_reports_are_computed_again(collection):
    a_system(collection, "third", {"q1_method": ["d1"]})
    admin = User.objects.get(username="admin")

    request_old_reports(old_reports(collection), collection=collection, requested_by=admin)

    kinds = ["compare_citations", "compare_labels", "pool_bias"]
    assert sorted(collection.jobs.values_list("kind", flat=True)) == kinds


def test_the_page_names_old_reports_and_recomputes_those_of_other_labels(collection, admin):
    judge(slot_of(collection, "q1_method", "d1", 1), 2)
    compute_report(PoolBiasReport(), collection=collection)
    evaluate(collection=collection)
    for kind in (LabelEffectsReport, CitedPapersReport):
        compute_report(kind(MEASURE), collection=collection)

    page = text_of(admin.get(address("releases")))
    admin.post(address("recompute-reports"), {"which": "labels"})

    assert "Agreement (missing judgments left out)</a>: the judgments or decisions changed" in page
    assert "Recompute 1 report" in page
    assert [*collection.jobs.values_list("kind", flat=True)] == ["compute_agreement"]


def test_the_page_offers_reports_with_other_runs_beside_the_checks(collection, admin):
    a_system(collection, "third", {"q1_method": ["d1"]})

    page = text_of(admin.get(address("releases")))
    admin.post(address("recompute-reports"), {"which": "labels"})
    assert not collection.jobs.exists()
    admin.post(address("recompute-reports"), {"which": "other-runs"})

    assert f"All {len(USUAL_CHECKS)} checks passed." in page
    assert "Recompute 3 reports" in page
    assert collection.jobs.count() == 3


def test_old_reports_take_as_many_queries_for_more_reports(
    collection, django_assert_num_queries, django_assert_max_num_queries
):
    a_system(collection, "third", {"q1_method": ["d1"]})
    with django_assert_max_num_queries(25) as captured:
        old_reports(collection)
    compute_report(LabelEffectsReport("NDCG%20"), collection=collection)
    a_system(collection, "fourth", {"q1_method": ["d1"]})
    with django_assert_num_queries(len(captured)):
        old_reports(collection)


def test_a_release_has_the_reports_that_are_up_to_date(collection):
    files = files_of(collection)

    assert reports_in(files) == {
        *JSON_FILES,
        "reports/agreement.csv",
        "reports/agreement.missing-zero.json",
    }
    bias = json.loads(files["reports/pool_bias.json"])
    assert bias == json.loads(json.dumps(collection.stored_reports.get(kind="pool_bias").payload))
    (effects,) = json.loads(files["reports/label_effects.json"])
    assert (effects["measure"], effects["queries"]) == (MEASURE, 3)


def test_the_evaluation_has_means_intervals_and_folds_of_each_system(collection):
    evaluation = json.loads(files_of(collection)["reports/evaluation.json"])
    profile = evaluation["profiles"]["csfcube"]

    assert evaluation["labels"] == "final"
    assert list(profile["measures"]) == ["NDCG%100", "NDCG%20", "P@20", "R@20", "RP"]
    assert [row["system"] for row in profile["systems"]] == ["bad", "good"]
    (stored,) = Scores.objects.filter(system__name="good", profile="csfcube")
    assert profile["systems"][1] == {
        "system": "good",
        "kind": "file",
        "repetition_of": "",
        "in_pool": False,
        "rows": json.loads(json.dumps(stored.summary)),
    }
    assert {"measures", "intervals", "folds", "split"} <= stored.summary[0].keys()


def test_a_report_on_a_shadow_judge_is_in_no_release(collection, tmp_path):
    model = a_shadow_judge(collection, tmp_path)
    compute_report(ShadowJudgeReport(MEASURE, model.name), collection=collection)

    assert old_reports(collection) == []
    reports = {name: text for name, text in files_of(collection).items() if "reports/" in name}
    assert not any(b"the model" in text or b"shadow" in text for text in reports.values())


def test_a_release_leaves_out_what_is_out_of_date_and_says_so(collection):
    judge(slot_of(collection, "q1_method", "d1", 1), 2)
    judge(slot_of(collection, "q1_method", "d1", 1), 3)  # the labels of before, made anew

    files = files_of(collection)

    assert reports_in(files) == {
        "reports/agreement.csv",
        "reports/agreement.json",
        "reports/agreement.missing-zero.json",
    }
    out_of_date = json.loads(files["manifest.json"])["out_of_date_reports"]
    assert out_of_date == ALL_STALE[1:]
    listed = ", ".join(f"`{key}`" for key in out_of_date)
    assert f"not included:\n{listed}." in files["README.md"].decode()


def test_scores_of_a_system_that_are_missing_leave_the_others_in(collection):
    a_system(collection, "third", {"q1_method": ["d1"]})

    evaluation = json.loads(files_of(collection)["reports/evaluation.json"])

    systems = evaluation["profiles"]["csfcube"]["systems"]
    assert [row["system"] for row in systems] == ["bad", "good"]


def test_figures_are_svg_files_that_need_no_other_file(collection):
    files = files_of(collection)
    figures = {name: text for name, text in files.items() if name.endswith(".svg")}

    assert {name.removeprefix("reports/figures/").split("-")[0] for name in figures} == {
        "agreement",
        "pool_bias",
        "label_effects",
    }
    for content in figures.values():
        root = ElementTree.fromstring(content)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert not root.findall(".//{http://www.w3.org/2000/svg}script")
        assert b"href" not in content


def test_no_report_has_the_name_of_a_person(collection):
    files = files_of(collection)
    reports = b"".join(text for name, text in files.items() if name.startswith("reports/"))

    for name in (b"ann1", b"ann2", b'adju"', b"admin"):
        assert name not in reports
