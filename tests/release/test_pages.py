"""The admin's pages of releases."""

from __future__ import annotations

import io
import zipfile

import pytest
from django.urls import reverse

from jobs import work
from jobs.models import Job
from release.models import Datasheet, Release
from tests import builders
from tests.release.helpers import ACCEPT_ALL, files_of, pair_of
from tests.release.test_publishing import publish

pytestmark = pytest.mark.django_db


def content_of(response) -> bytes:
    return b"".join(response.streaming_content)


@pytest.fixture
def admin(as_):
    return as_("admin")


@pytest.fixture
def published(judged, admin):
    """Version 1.0, published from the page by a worker."""
    answers = {f"accept_{key}": reason for key, reason in ACCEPT_ALL.items()}
    response = admin.post(reverse("release", args=["papers"]), {"version": "1.0", "notes": "First.", **answers})
    assert response.status_code == 302
    work.run(Job.objects.get(kind="publish_release").pk)
    return judged.releases.get()


def test_the_page_shows_each_fault_with_its_page(judged, admin):
    response = admin.get(reverse("release", args=["papers"]))
    faults = {finding.check.key for finding, _ in response.context["form"].faults}
    assert {"unresolved", "unjudged-pairs", "datasheet"} <= faults
    assert reverse("cases", args=["papers"]) in response.content.decode()


def test_publishing_without_a_reason_is_refused_and_keeps_what_was_typed(judged, admin):
    answers = {"version": "1.0", "accept_unresolved": "Later, in 1.1."}
    response = admin.post(reverse("release", args=["papers"]), answers)
    assert response.status_code == 200
    assert "Later, in 1.1." in response.content.decode()
    assert not Job.objects.exists()


def test_a_second_press_starts_no_second_job(judged, admin):
    answers = {"version": "1.0"} | {f"accept_{key}": reason for key, reason in ACCEPT_ALL.items()}
    for _ in range(2):
        admin.post(reverse("release", args=["papers"]), answers)
    assert Job.objects.count() == 1
    page = admin.get(reverse("release", args=["papers"]))
    assert "Publish release" in page.content.decode()  # the job's card, where the button was
    assert 'name="version"' not in page.content.decode()


def test_a_version_has_a_page_and_its_file(published, admin):
    assert published.published_by.username == "admin"
    page = admin.get(reverse("version", args=["papers", "1.0"]))
    assert published.sha256 in page.content.decode()
    response = admin.get(reverse("release-file", args=["papers", "1.0"]))
    assert response["Content-Disposition"] == 'attachment; filename="papers-1.0.zip"'
    assert zipfile.ZipFile(io.BytesIO(content_of(response))).testzip() is None


def test_the_next_version_is_proposed_with_the_reasons_of_the_last(published, admin):
    form = admin.get(reverse("release", args=["papers"])).context["form"]
    assert (form["version"].value(), form["accept_unresolved"].value()) == ("1.1", "So it is.")


def test_a_file_that_cannot_be_read_is_said_so(published, admin):
    published.file.storage.delete(published.file.name)
    response = admin.get(reverse("release-file", args=["papers", "1.0"]))
    assert response.status_code == 404
    assert published.sha256 in response.content.decode()


@pytest.mark.parametrize("asked", ["", "?texts"])
def test_a_draft_needs_no_publication(judged, admin, asked):
    files = files_of(content_of(admin.get(reverse("export", args=["papers"]) + asked)))
    assert "This is a draft" in files["README.md"]
    assert ("beir/corpus.jsonl" in files) == bool(asked)
    assert not Release.objects.exists()


def test_the_list_of_versions_is_a_file_too(published, admin):
    response = admin.get(reverse("release", args=["papers"]) + "?format=csv")
    assert content_of(response).decode().splitlines()[1].startswith("1.0,6,")


def test_a_version_is_compared_with_any_earlier_one(published, people, admin):
    method = published.collection.queries.get(name="d00_method")
    builders.decide(pair_of(method, "d04"), people.ada, 1)
    publish(published.collection, "1.1")
    builders.decide(pair_of(method, "d02"), people.ada, 0)
    publish(published.collection, "1.2")
    url = reverse("version-changes", args=["papers", "1.2"])
    assert [each.version for each in admin.get(url).context["earlier"]] == ["1.1", "1.0"]
    found = {
        since: [
            row.split(",") for row in content_of(admin.get(url, {"since": since, "format": "csv"})).decode().split()
        ]
        for since in ("1.0", "1.1", "1.2", "x")
    }
    assert found["1.0"] == [
        ["query", "docno", "kind", "before", "after"],
        ["d00_method", "d02", "changed", "3", "0"],
        ["d00_method", "d04", "added", "", "1"],
    ]
    assert found["1.1"] == found["1.0"][:2]
    assert found["1.2"] == found["x"] == found["1.1"]  # no earlier version: the one just before
    added = admin.get(url, {"since": "1.0", "kind": "added"})
    assert [row["docno"] for row in added.context["table"].page.object_list] == ["d04"]
    assert (added.context["changes"]["changed"], added.context["changes"]["same"]) == (1, 5)
    assert admin.get(reverse("version-changes", args=["papers", "1.0"])).status_code == 404


def test_a_datasheet_is_saved_half_answered(collection, admin):
    url = reverse("datasheet", args=["papers"])
    assert admin.post(url, {"purpose": "To compare."}).status_code == 302
    assert Datasheet.objects.get().answers["purpose"] == "To compare."
    assert admin.get(url).context["answered"] == 1
    refused = admin.post(url, {"purpose": "x" * 5001})
    assert refused.status_code == 200
    assert Datasheet.objects.get().answers["purpose"] == "To compare."


@pytest.mark.parametrize("person", ["ann", "ada"])
@pytest.mark.parametrize("page", ["release", "export", "datasheet"])
def test_only_admins_see_releases(judged, as_, person, page):
    assert as_(person).get(reverse(page, args=["papers"])).status_code == 403


def test_no_judge_reads_a_published_file(published, as_):
    for page in ("version", "version-changes", "release-file"):
        assert as_("ann").get(reverse(page, args=["papers", "1.0"])).status_code == 403
