"""Reports of the database in a release, and those that are older than the labels."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from agreement.services import AgreementReport
from evaluation.label_effects.services import (
    CitedPapersReport,
    LabelEffectsReport,
    ShadowJudgeReport,
)
from evaluation.pool_bias.services import PoolBiasReport
from release.gate.stored_reports import stale_reports
from reports.services import compute_report
from scoring.models import Scores
from scoring.services import evaluate
from tests.support.label_scenes import a_shadow_judge, a_system, two_systems
from tests.support.release_scenes import a_judged_collection, slot_of
from tests.support.released_files import files_of
from tests.support.sittings import judge

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

ALL_STALE = [
    "agreement",
    "evaluation",
    "pool_bias",
    "label_effects",
    "cited_papers",
]
MEASURE = "NDCG%100"
JSON_FILES = [f"reports/{key}.json" for key in ALL_STALE]


@pytest.fixture
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


def test_reports_are_stale_after_a_judgment_is_revised(collection):
    assert stale_reports(collection) == []
    judge(slot_of(collection, "q1_method", "d1", 1), 2)
    assert stale_reports(collection) == ALL_STALE


def test_reports_that_were_never_computed_are_not_stale():
    collection = a_judged_collection()
    a_system(collection, "new", {"q1_method": ["d1"]})
    assert stale_reports(collection) == []


def test_stale_reports_take_as_many_queries_for_more_reports(
    collection, django_assert_num_queries, django_assert_max_num_queries
):
    a_system(collection, "third", {"q1_method": ["d1"]})
    with django_assert_max_num_queries(25) as captured:
        stale_reports(collection)
    compute_report(LabelEffectsReport("NDCG%20"), collection=collection)
    a_system(collection, "fourth", {"q1_method": ["d1"]})
    with django_assert_num_queries(len(captured)):
        stale_reports(collection)


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

    assert stale_reports(collection) == []
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
