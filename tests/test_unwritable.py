"""Uploads and releases into a data folder that is full or read-only are refused in words."""

from __future__ import annotations

import io

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.models import User
from bundle.options import ReleaseOptions
from jobs.models import Job, State
from jobs.services import enqueue, run
from release.services import JOB_KIND
from tests.support.disks import read_only, small_disk
from tests.support.release_scenes import a_judged_collection
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

REASONS = {"full": "disk is full", "read-only": "(Read-only file system)"}
RELEASE_REASONS = {"full": "No space left on device", "read-only": "Read-only file system"}


@pytest.fixture(params=["full", "read-only"])
def broken(request, tmp_path, settings):
    """The data folder, full or read-only, and how it is."""
    if request.param == "full":
        with small_disk(tmp_path / "disk", "1m") as disk:
            disk.fill()
            use(settings, disk.folder)
            yield request.param
        return
    (tmp_path / "real").mkdir()
    with read_only(tmp_path / "real", tmp_path / "seen") as folder:
        use(settings, folder)
        yield request.param


def use(settings, folder) -> None:
    settings.DATA_DIR = folder
    settings.UPLOAD_DIR = settings.MEDIA_ROOT = folder / "uploads"
    settings.RELEASE_DIR = folder / "releases"


@once_a_file
def collection():
    return a_judged_collection()


@pytest.fixture
def admin(collection):
    client = Client()
    client.force_login(User.objects.get(username="admin"))
    return client


def file(name="x.txt"):
    return SimpleUploadedFile(name, b"d1\n" * 1_000)


def vectors():
    stream = io.BytesIO()
    np.save(stream, np.ones((2, 2), np.float32))
    return SimpleUploadedFile("x.txt", stream.getvalue())


UPLOADS = {
    "import-documents": lambda: {"file": file(), "format": "auto"},
    "import-topics": lambda: {"file": file(), "facet": "method"},
    "import-run": lambda: {"file": file(), "name": "mine", "holds": "run"},
    "import-embeddings": lambda: {"vectors": vectors(), "docnos": file(), "name": "mine"},
}


API = {"documents": {}, "topics": {"facet": "method"}, "runs": {"name": "mine"}}


def test_pages_and_the_api_say_that_an_upload_cannot_be_kept(admin, broken):
    wrong = []
    for page, fields in UPLOADS.items():
        answer = admin.post(reverse(page, args=["small"]), fields())
        words = (REASONS[broken], "so x.txt was not saved")
        if answer.status_code != 507 or not all(word in answer.text for word in words):
            wrong.append((page, answer.status_code, answer.text))
    for address, fields in API.items():
        answer = admin.post(f"/api/v1/collections/small/{address}/", {"file": file(), **fields})
        if (answer.status_code, answer.json()["code"]) != (507, "no_room") or (
            REASONS[broken] not in answer.json()["detail"]
        ):
            wrong.append((address, answer.status_code, answer.text))

    assert wrong == []
    assert not Job.objects.exists()


def test_an_upload_that_is_too_large_for_memory_is_refused_in_words(admin, broken, settings):
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 0
    settings.FILE_UPLOAD_TEMP_DIR = settings.DATA_DIR
    for address in ("/c/small/runs/import/", "/api/v1/collections/small/runs/"):
        answer = admin.post(address, {"file": file(), "name": "mine", "holds": "run"})
        assert (address, answer.status_code) == (address, 507)
        assert REASONS[broken] in answer.text
    assert not Job.objects.exists()


def test_the_page_says_that_a_release_cannot_be_kept(admin, broken):
    sent = {"version": "1.0", "confirmed": "yes"}
    answer = admin.post(reverse("publish", args=["small"]), sent)
    assert answer.status_code == 507
    assert RELEASE_REASONS[broken] in answer.text
    assert "Nothing was published" in answer.text
    assert not Job.objects.exists()


def test_the_api_says_that_a_release_cannot_be_kept(admin, broken):
    answer = admin.post(
        "/api/v1/collections/small/releases/", {"version": "1.0"}, "application/json"
    )
    assert (answer.status_code, answer.json()["code"]) == (507, "cannot_keep")
    assert RELEASE_REASONS[broken] in answer.json()["detail"]
    assert not Job.objects.exists()


def test_a_job_and_the_command_say_that_a_release_cannot_be_kept(collection, broken, tmp_path):
    parameters = {"version": "1.0", "accept": {}, "options": ReleaseOptions().as_json()}
    job = enqueue(kind=JOB_KIND, collection=collection, parameters=parameters)
    run(job.pk)
    job.refresh_from_db()
    assert job.state == State.FAILED
    assert job.error.startswith("Nothing was published, because the release folder cannot be")
    assert RELEASE_REASONS[broken] in job.error
    with pytest.raises(CommandError, match="Nothing was published"):
        call_command("publish_release", "small", "1.0", output=tmp_path / "zips")
    assert not collection.releases.exists()
