"""The paragraph of an up-to-date report in the README of a release."""

import zipfile

import pytest

from evaluation.pool_bias.services import PoolBiasReport
from release.services import build_bundle
from release.snapshot import take_snapshot
from reports.services import compute_report
from tests.support.release_scenes import a_judged_collection
from tests.support.releases import accepting

pytestmark = pytest.mark.django_db

ACCEPT = accepting(["provenance", "old-reports"])


def readme_of(collection):
    bundle = build_bundle(take_snapshot(collection), "1.0", ACCEPT)
    with zipfile.ZipFile(bundle.reader()) as archive:
        return archive.read("README.md").decode(), bundle.manifest


def about_open_lists(readme):
    """The answer and its reason."""
    (line,) = [line for line in readme.splitlines() if line.startswith("- **Open** (")]
    return line.partition("): ")[2]


def test_a_release_has_the_paragraph_of_an_up_to_date_report_only():
    collection = a_judged_collection()
    before, manifest = readme_of(collection)
    assert manifest["accepted"] == []
    assert about_open_lists(before).startswith("cannot be said")
    assert "supports" not in manifest
    report = compute_report(PoolBiasReport(), collection=collection)
    readme, with_paragraph = readme_of(collection)
    assert " ".join(report.summary["paragraph"].split()) in " ".join(readme.split())
    assert with_paragraph["supports"] == report.summary["paragraph"]
    assert "reports/pool_bias.json" in with_paragraph["files"]
    type(collection).objects.update(corpus_version=collection.corpus_version + 1)
    after, without = readme_of(collection)
    assert about_open_lists(after) == about_open_lists(before)
    assert " ".join(report.summary["paragraph"].split()) not in " ".join(after.split())
    assert "incomplete or not included:\n`pool_bias`." in after
    unchanged = manifest.keys() - {"files", "accepted"}
    assert {key: without[key] for key in unchanged} == {key: manifest[key] for key in unchanged}
    assert without["files"].keys() == manifest["files"].keys()
    assert without["out_of_date_reports"] == ["pool_bias"]
