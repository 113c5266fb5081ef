"""Agreement, releases and jobs."""

import hashlib

import pytest

from agreement.summary import STATISTICS_VERSION
from jobs import services
from jobs.models import Job, State
from release.files import path_of
from tests.support.old_reports import an_old_report
from tests.support.releases import EVERY_EXCEPTION

WHERE = "/api/v1/collections/small/"


def test_the_latest_report_is_what_was_computed(world, admin):
    answer = admin.get(f"{WHERE}agreement/").json()

    assert answer["missing"] == "exclude"
    assert answer["state"] == world.report.digest
    assert answer["queries"] == world.report.payload["queries"]
    assert answer["facets"] == world.report.payload["facets"]
    assert answer["statistics"] == STATISTICS_VERSION
    assert {"overruled", "overruled_mean"} <= answer["facets"][0].keys()


def test_a_report_of_another_version_of_the_statistics_is_not_found(world, admin):
    an_old_report(world.collection, "zero")

    assert admin.get(f"{WHERE}agreement/?missing=zero").status_code == 404


def test_a_report_that_was_never_computed_is_not_found(world, admin):
    assert admin.get(f"{WHERE}agreement/?missing=zero").status_code == 404


def test_an_unknown_way_with_missing_judgments_is_refused(world, admin):
    response = admin.get(f"{WHERE}agreement/?missing=guess")

    assert (response.status_code, list(response.json()["fields"])) == (400, ["missing"])


def test_a_report_is_computed_when_asked_for(world, admin):
    response = admin.post(f"{WHERE}agreement/", {"missing": "zero"}, format="json")

    assert response.status_code == 202
    services.run(response.json()["id"])
    assert admin.get(f"{WHERE}agreement/?missing=zero").json()["missing"] == "zero"


def test_releases_are_listed_and_shown(world, admin):
    [line] = admin.get(f"{WHERE}releases/").json()["results"]
    whole = admin.get(f"{WHERE}releases/1.0/").json()

    assert (line["version"], line["sha256"]) == ("1.0", world.release.sha256)
    assert whole == line | {"manifest": world.release.manifest}


def test_the_zip_is_what_was_published(world, admin):
    response = admin.get(f"{WHERE}releases/1.0/bundle.zip", headers={"Accept": "application/zip"})

    content = b"".join(response.streaming_content)
    assert hashlib.sha256(content).hexdigest() == world.release.sha256
    assert response["ETag"] == f'"{world.release.sha256}"'
    assert response["Content-Disposition"] == 'attachment; filename="small-1.0.zip"'
    assert response["Content-Type"] == "application/zip"


def test_a_client_that_has_the_zip_is_not_sent_it_again(world, admin):
    etag = f'"{world.release.sha256}"'

    response = admin.get(f"{WHERE}releases/1.0/bundle.zip", headers={"If-None-Match": etag})

    assert (response.status_code, response.content) == (304, b"")


def test_a_damaged_zip_is_not_handed_out(world, admin):
    path_of("small", "1.0").write_bytes(b"something else")

    response = admin.get(f"{WHERE}releases/1.0/bundle.zip")

    assert (response.status_code, response.json()["code"]) == (500, "release_damaged")


def test_a_version_is_published(world, admin):
    body = {"version": "1.1", "accept": EVERY_EXCEPTION}

    response = admin.post(f"{WHERE}releases/", body, format="json")

    assert response.status_code == 202
    job = Job.objects.get(pk=response.json()["id"])
    services.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error) == (State.SUCCEEDED, "")
    assert admin.get(f"{WHERE}releases/1.1/").status_code == 200


def test_the_gate_says_what_stands_in_the_way(world, admin):
    response = admin.post(f"{WHERE}releases/", {"version": "1.1"}, format="json")

    assert (response.status_code, response.json()["code"]) == (409, "gate_closed")
    findings = {finding["check"]: finding for finding in response.json()["findings"]}
    assert findings.keys() == {"unjudged-pairs", "datasheet"}
    finding = findings["unjudged-pairs"]
    assert (finding["count"], finding["can_accept"]) == (1, True)
    assert not world.collection.jobs.filter(kind="publish_release").exists()


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"version": "1.0"}, 409, "version_taken"),
        ({"version": "../1"}, 400, "bad_version"),
        ({"version": "2", "accept": {"empty": "Why not?"}}, 400, "unknown_check"),
        ({}, 400, "invalid"),
    ],
)
def test_a_release_that_cannot_be_is_refused(body, status, code, world, admin):
    response = admin.post(f"{WHERE}releases/", body, format="json")

    assert (response.status_code, response.json()["code"]) == (status, code)


def test_a_job_says_how_far_it_is(world, admin):
    answer = admin.get(f"{WHERE}jobs/{world.job.pk}/").json()

    assert answer["state"] == "queued"
    assert answer["title"] == "Build the pools"
    assert "parameters" not in answer
    assert answer in admin.get(f"{WHERE}jobs/").json()["results"]


def test_a_waiting_job_is_cancelled_at_once(world, admin):
    response = admin.post(f"{WHERE}jobs/{world.job.pk}/cancel/")

    assert (response.status_code, response.json()["state"]) == (200, "cancelled")
    world.job.refresh_from_db()
    assert world.job.state == State.CANCELLED
