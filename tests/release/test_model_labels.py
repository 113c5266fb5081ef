"""The labels of models in a release: chosen by name, apart from all others, and never counted."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings

from accounts.models import Collection
from bundle.layouts import model_labels
from bundle.options import DEFAULT_OPTIONS, LabelSource
from bundle.verification.service import verify
from release.errors import GateClosed
from release.files import path_of
from release.importing.service import import_release
from release.models import Release
from release.services import build_bundle, find_faults, publish_release
from release.snapshot import take_snapshot
from release.snapshot.model_labels import NoModelLabels
from tests.support.asking_scenes import a_plan, asked
from tests.support.label_scenes import MODEL_LABELS, a_shadow_judge
from tests.support.model_server import model_server, says
from tests.support.release_scenes import GRADES, a_judged_collection
from tests.support.releases import EVERY_EXCEPTION
from tests.support.visits import address, client_of, text_of
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db
CHOSEN = replace(DEFAULT_OPTIONS, model_labels=("model",))
FILE, ABOUT = "model_labels/model_labels.model.tsv", "model_labels/model_labels.json"
DESCRIBED_IN = {"README.md", "datasheet.md", "croissant.json", "manifest.json", "SHA256SUMS"}


@once_a_file
def judged():
    collection = a_judged_collection()
    a_shadow_judge(collection, Path(settings.DATA_DIR))
    return collection


def files_of(collection, options) -> dict[str, bytes]:
    bundle = build_bundle(take_snapshot(collection, options), "1.0", EVERY_EXCEPTION)
    with zipfile.ZipFile(bundle.reader()) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def published(collection, options=CHOSEN) -> Release:
    return publish_release(
        collection=collection, version="1.0", accept=EVERY_EXCEPTION, options=options
    )


def test_the_labels_are_in_files_that_say_so_and_in_no_other(judged):
    files, without = files_of(judged, CHOSEN), files_of(judged, DEFAULT_OPTIONS)

    lines = files[FILE].decode().splitlines()
    assert lines[0] == "query\tdocno\tmodel\tmodel_grade"
    assert {tuple(line.split("\t")) for line in lines[1:]} == {
        (query, docno, "model", str(grade)) for (query, docno), grade in MODEL_LABELS.items()
    }
    assert json.loads(files[ABOUT])["never_count_as_labels"] is True
    assert files.keys() - without.keys() == {FILE, ABOUT}
    changed = {name for name in without if files[name] != without[name]}
    assert changed == DESCRIBED_IN
    for name in ("README.md", "croissant.json", "datasheet.md"):
        assert b"never count as labels" in files[name]
        assert b"model_labels" not in without[name]


def test_it_is_chosen_by_name_and_must_have_labels(judged):
    with pytest.raises(NoModelLabels, match=r'"other" with labels. Those with labels: model\.'):
        published(judged, replace(DEFAULT_OPTIONS, model_labels=("other",)))
    assert not judged.releases.exists()


def test_what_an_asked_model_was_asked_is_in_it_without_its_address(settings):
    collection = a_judged_collection()
    answers = {1: "2"}
    with model_server(lambda number, received: says(answers.get(number, '{"grade": 2}'))) as server:
        settings.MODEL_ADDRESSES = [server.url]
        asked(collection, a_plan(server.url, "tiny"))
    files = files_of(collection, replace(DEFAULT_OPTIONS, model_labels=("tiny",)))
    (about,) = json.loads(files[ABOUT])["models"]

    assert (about["name"], about["model"], about["labels"]) == ("tiny", "tiny-1", 8)
    assert (about["template"], about["template_version"]) == ("guideline", 1)
    assert about["answers_without_a_grade"] == {"no-grade": 1}
    assert all(b"127.0.0.1" not in content for content in files.values())


def outcome_of(path):
    return next(each for each in verify(path) if each.name == "model_labels")


def test_verification_compares_the_folder_with_the_manifest_and_the_people(judged, tmp_path):
    published(judged)
    path = path_of(judged.slug, "1.0")
    assert all(outcome.ok for outcome in verify(path))
    assert not outcome_of(path).skipped
    folder = tmp_path / "unpacked"
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder)
    labels = folder / FILE
    kept = labels.read_text()

    for broken, reason in (
        (kept.replace("model_grade", "grade"), "must be the columns"),
        (kept + "q1_method\td1\tmodel\t3\n", "has a second label"),
        (kept.replace("d1\tmodel\t0", "d1\tother\t0"), "is not the model of this file"),
        (kept + "q1_method\tzz\tmodel\t3\n", "the document 'zz' is unknown"),
        (kept + "zz\td1\tmodel\t3\n", "the query 'zz' is unknown"),
        (kept.replace("d1\tmodel\t0", "d1\tmodel\t4"), "is not on the scale"),
        (kept.replace("d1\tmodel\t0", "d1\tmodel\tx"), "must be a whole number"),
        (kept + "q1_method\n", "must have 4 columns"),
    ):
        labels.write_text(broken)
        assert any(reason in failure.reason for failure in outcome_of(folder).failures), reason
    labels.write_text(kept)
    (folder / "model_labels" / "model_labels.more.tsv").write_text(kept)
    assert "not one of the models" in outcome_of(folder).failures[0].reason
    labels.unlink()
    assert any("is missing" in failure.reason for failure in outcome_of(folder).failures)


def labels_of_ann1(collection, tmp_path):
    """A shadow judge whose labels are what annotator 1 said."""
    grades = {pair: first for pair, (first, _) in GRADES.items() if first is not None}
    return a_shadow_judge(collection, tmp_path, "copy", grades)


@pytest.mark.wrong_release("its annotator is a model, if so few pairs count")
def test_neither_gate_nor_verification_let_a_model_be_a_person(judged, tmp_path, monkeypatch):
    labels_of_ann1(judged, tmp_path)
    chosen = replace(DEFAULT_OPTIONS, model_labels=("copy",))
    published(judged, chosen)  # 8 pairs prove nothing
    path = path_of(judged.slug, "1.0")
    assert outcome_of(path).ok
    monkeypatch.setattr(model_labels, "LEAST_COMPARED", 8)

    (failure,) = outcome_of(path).failures
    assert "judgments of annotator-" in failure.reason
    assert "are the labels of the model copy" in failure.reason
    faults = {found.check: found for found in find_faults(collection=judged, options=chosen)}
    assert faults["model-labels"].items == ("ann1 and copy",)
    with pytest.raises(GateClosed):
        publish_release(collection=judged, version="1.1", accept=EVERY_EXCEPTION, options=chosen)
    assert "model-labels" not in {found.check for found in find_faults(collection=judged)}
    other = {found.check: found.ok for found in find_faults(collection=judged, options=CHOSEN)}
    assert other["model-labels"]


def test_a_model_that_always_gives_one_grade_is_no_person():
    assert model_labels.are_copies(100, 100, 2)
    assert not model_labels.are_copies(99, 99, 2)
    assert not model_labels.are_copies(100, 99, 2)
    assert not model_labels.are_copies(100, 100, 1)


def test_it_is_chosen_on_the_page(judged):
    admin = client_of("admin")
    page = admin.get(address("releases"))
    assert 'name="model_labels" value="model"' in page.text
    form = {"version": "1.0", "model_labels": ["model"], "texts": "none"}
    form |= {"accept": list(EVERY_EXCEPTION)}
    form |= {f"reason-{check}": reason for check, reason in EVERY_EXCEPTION.items()}
    asked_page = admin.post(address("publish"), form)
    assert "In a folder of their own, and never counted: the labels of model." in text_of(
        asked_page
    )
    admin.post(address("publish"), form | {"confirmed": "yes"})
    job = judged.jobs.get(kind="publish_release")
    assert job.parameters["options"]["model_labels"] == ["model"]


def test_an_import_leaves_the_labels_of_models_out(judged):
    published(judged)
    import_release(slug="copy", path=path_of(judged.slug, "1.0"))
    assert not Collection.objects.get(slug="copy").shadow_judges.exists()


def test_citations_have_another_scale_than_models(judged):
    with pytest.raises(NoModelLabels, match="A release of citations cannot have labels of models"):
        published(judged, replace(CHOSEN, labels=LabelSource.CITATIONS))
