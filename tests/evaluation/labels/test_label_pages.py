"""The admin's pages about labels, shadow judges and cited papers."""

from __future__ import annotations

import csv
import json
from dataclasses import asdict

import pytest

from evaluation.label_effects.comparison import Flip, FlipKind
from evaluation.label_effects.services import (
    CitedPapersReport,
    LabelEffectsReport,
    ShadowJudgeReport,
)
from evaluation.models import ShadowJudge
from jobs.models import Job, State
from jobs.services import run
from release.services import build_bundle
from release.snapshot import take_snapshot
from reports.models import StoredReport
from reports.services import compute_report
from tests.support.label_scenes import MODEL_LABELS, a_shadow_judge, qrels_file, two_systems
from tests.support.release_scenes import a_judged_collection
from tests.support.uploading import done
from tests.support.visits import address, client_of, queries_of, text_of

pytestmark = pytest.mark.django_db
FILES = {
    LabelEffectsReport: ("label-effects", []),
    CitedPapersReport: ("cited-papers", []),
    ShadowJudgeReport: ("shadow-judge", ["model"]),
}


@pytest.fixture
def judged(tmp_path):
    collection = a_judged_collection()
    collection.documents.filter(docno="q1").update(references=["d1", "d2"])
    two_systems(collection)
    a_shadow_judge(collection, tmp_path)
    return collection


@pytest.fixture
def reader(judged):
    return client_of("admin")


@pytest.mark.parametrize("kind", FILES)
def test_a_comparison_is_requested_computed_shown_and_downloaded(reader, judged, kind):
    name, arguments = FILES[kind]
    page_name = "shadow-judge" if kind == ShadowJudgeReport else "label-effects"
    url = address(page_name, *arguments)
    assert "No comparison by this measure yet" in text_of(reader.get(url))
    compute = "compare-shadow-judge" if kind == ShadowJudgeReport else "compute-label-effects"
    reader.post(address(compute, *arguments), {"measure": "NDCG%100"})
    for job in Job.objects.filter(state=State.QUEUED):
        run(job.pk)
        job.refresh_from_db()
        assert job.state == State.SUCCEEDED
    page = text_of(reader.get(url))
    assert "The report is up to date" in page
    assert "Mean NDCG%100" in page
    assert "No comparison by this measure yet" not in page
    rows = list(csv.reader(reader.get(address(f"{name}-csv", *arguments)).text.splitlines()))
    assert ["mean", "final", "good", "", "1.0", "1", "", "", "", ""] in rows
    report = json.loads(reader.get(address(f"{name}-json", *arguments)).text)
    assert report == StoredReport.objects.get(kind=kind.name).payload
    two_systems(judged)  # they replace those of the same names, with the same lists
    assert "The report is up to date" in text_of(reader.get(url))
    judged.systems.get(name="bad").delete()
    assert "Changed since then: the lists of systems. Compare again" in text_of(reader.get(url))
    assert queries_of(reader, url) < 40


def test_the_finding_and_the_figures_come_first_and_values_are_in_percent(reader, judged):
    for kind in (
        LabelEffectsReport("AP"),
        CitedPapersReport("AP"),
        ShadowJudgeReport("AP", "model"),
    ):
        compute_report(kind, collection=judged)
    page = reader.get(address("label-effects"))
    for section in ("labels", "cited"):
        finding = page.context[section].findings[-1]
        assert finding.startswith(
            "Of 1 pair of systems, these are in another order than under the final labels: "
        )
    (figure,) = (shown.figure for shown in page.context["labels"].figures)
    assert figure.rows[0][0] == "good"
    assert figure.rows[0][1] == pytest.approx(float(figure.table[0][1].text) / 100, abs=1e-4)
    assert address("system", "good") in page.text
    judge = reader.get(address("shadow-judge", "model"))
    assert (
        judge.context["parts"][0]["part"]
        .findings[0]
        .startswith("Over 7 pairs of 3 queries, the median α of the model is ")
    )
    for name in ("model-agreement", "model-means"):
        figure = address("shadow-judge-figure", "model", name, "csv")
        assert figure in judge.text
        assert reader.get(figure).status_code == 200


def test_the_replaced_pages_lead_to_their_sections(reader):
    for name in ("cited-papers", "shadow-judges"):
        assert reader.get(address(name)).url == f"{address('label-effects')}#{name}"


def test_an_undefined_p_is_shown_and_downloaded_with_its_reason(reader, judged):
    report = compute_report(LabelEffectsReport("NDCG%100"), collection=judged)
    row = next(row for row in report.payload["rankings"] if row["source"] == "slot1")
    row["flips"] = [
        asdict(
            Flip("good", "bad", FlipKind.LOST, 0.5, 0.1, 0.01, None, "all differences are equal")
        )
    ]
    row["undefined"] = {"rbo": "an empty ranking"}
    report.save()
    page = reader.get(address("label-effects"))
    assert 'title="all differences are equal"' in page.text
    assert "0.0100" in page.text
    lines = reader.get(address("label-effects-csv")).text.splitlines()
    assert "flip lost,slot1,good,bad,0.1,,0.5,0.01,,all differences are equal" in lines
    assert any(line.startswith("rbo,slot1,") and line.endswith("ranking") for line in lines)
    del row["flips"][0]["undefined"]  # as in a report of an old version
    report.save()
    assert reader.get(address("label-effects")).status_code == 200


def test_an_unknown_measure_is_an_error_on_the_page_and_no_address(reader):
    assert reader.get(address("label-effects"), {"measure": "nope"}).status_code == 404
    page = reader.post(address("compute-label-effects"), {"measure": "nope"}, follow=True)
    assert "is not a measure" in text_of(page)


def test_a_shadow_judge_is_uploaded_listed_and_deleted(reader, judged, tmp_path):
    path = qrels_file(tmp_path, {**MODEL_LABELS, ("q1_method", "x"): 1})
    form = {"name": "second", "model": "m-1", "labelled_on": "2026-11-23"}
    with path.open("rb") as file:
        reader.post(address("import-shadow-judge"), form | {"file": file})
    job = done()
    assert job.result == {"shadow_judge": "second", "labels": 8, "unknown_documents": 1}
    page = text_of(reader.get(address("label-effects")))
    assert "m-1" in page
    assert "1: the document is not in the corpus" in page
    with path.open("rb") as file:
        again = reader.post(address("import-shadow-judge"), form | {"file": file})
    assert again.status_code == 422
    assert "There is a shadow judge &quot;second&quot; already" in again.text
    url = address("delete-shadow-judge", "second")
    assert "Delete the shadow judge second?" in text_of(reader.post(url))
    reader.post(url, {"confirmed": "yes"})
    assert [judge.name for judge in ShadowJudge.objects.all()] == ["model"]


def test_a_release_has_the_same_bytes_with_a_shadow_judge(tmp_path):
    collection = a_judged_collection()

    def bundle() -> bytes:
        return build_bundle(take_snapshot(collection), "1.0", {}).content

    before = bundle()
    two_systems(collection)
    a_shadow_judge(collection, tmp_path)
    compute_report(ShadowJudgeReport("AP", "model"), collection=collection)
    assert bundle() == before
