"""Uploaded files are there for as long as a job may read them, and no longer."""

import errno
import os
import time
import uuid
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from jobs import registry, services, tasks, uploaded_files
from jobs.context import RetryLater
from jobs.listing import jobs_to_show
from jobs.models import Job, State
from jobs.uploads import KeyTaken, enqueue_upload
from jobs.wording import advice
from tests.support.uploading import kept
from web.disk import NoRoom
from web.errors import UserFacingError

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def read(monkeypatch):
    """Jobs of the kind "read" note what is in their file, then do what `read.ends` says."""

    reading = SimpleNamespace(contents=[], ends=lambda: None)

    def handler(lease):
        reading.contents.append(uploaded_files.place_of(lease.parameters).read_bytes())
        reading.ends()
        return {}

    monkeypatch.setattr(registry, "_handlers", {"read": handler})
    monkeypatch.setattr(registry, "_kinds", {"read": registry.JobKind("Read", reads=("path",))})
    return reading


@pytest.fixture
def upload(collection):
    def upload(content=b"text", **options):
        file = SimpleUploadedFile("my.txt", content)
        asked = {"kind": "read", "parameters": {"colour": "red"}, "requested_by": None, **options}
        return enqueue_upload(collection=collection, files={"path": file}, **asked)

    return upload


def everything_is_old(hours=2):
    for path in kept():
        then = time.time() - hours * 3600
        os.utime(path, (then, then))


def ended(job):
    job.refresh_from_db()
    return State(job.state)


def test_the_job_finds_the_file_and_its_name(upload, read):
    job = upload()

    assert (job.parameters["filename"], job.parameters["colour"]) == ("my.txt", "red")
    services.run(job.pk)

    assert (ended(job), read.contents) == (State.SUCCEEDED, [b"text"])


def test_a_file_goes_when_its_job_has_ended_well(upload):
    job = upload()
    assert len(kept()) == 1

    services.run(job.pk)

    assert kept() == []


def test_nothing_is_kept_for_a_job_whose_key_is_taken(upload):
    first = upload(key="mine")

    with pytest.raises(KeyTaken) as caught:
        upload(b"other", key="mine")

    assert caught.value.job == first
    assert [path.read_bytes() for path in kept()] == [b"text"]
    assert Job.objects.count() == 1


def test_a_full_disk_is_said_and_leaves_nothing(collection):
    class Overflowing(SimpleUploadedFile):
        def chunks(self, chunk_size=None):
            yield b"a beginning"
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(NoRoom, match=r"disk is full, so my\.txt was not saved"):
        enqueue_upload(
            kind="read",
            collection=collection,
            files={"path": Overflowing("my.txt", b"x")},
            parameters={},
            requested_by=None,
        )
    assert kept() == []
    assert not Job.objects.exists()


def fails():
    raise UserFacingError("no")


def waits():
    raise RetryLater("another", seconds=0)


@pytest.mark.parametrize(("ends", "state"), [(fails, State.FAILED), (waits, State.QUEUED)])
def test_a_file_stays_while_its_job_can_still_be_done(upload, read, ends, state):
    read.ends = ends
    job = upload()
    services.run(job.pk)
    everything_is_old()

    assert ended(job) == state
    assert uploaded_files.sweep() == 0
    assert len(kept()) == 1


def test_a_job_that_a_dead_worker_left_behind_is_done_from_the_same_file(upload, read):
    job = upload()
    services.claim(job.pk)  # and its worker is killed
    everything_is_old()
    assert uploaded_files.sweep() == 0
    Job.objects.update(heartbeat_at=timezone.now() - timedelta(hours=1))

    services.run(job.pk)

    assert (ended(job), read.contents, kept()) == (State.SUCCEEDED, [b"text"], [])


def test_a_failed_job_can_be_tried_again_for_a_day(upload, read):
    read.ends = fails
    job = upload()
    services.run(job.pk)
    everything_is_old()
    Job.objects.update(finished_at=timezone.now() - timedelta(hours=23))
    assert uploaded_files.sweep() == 0

    Job.objects.update(finished_at=timezone.now() - timedelta(hours=25))

    assert uploaded_files.sweep() == 1
    assert kept() == []


def test_a_failure_that_cannot_be_tried_again_is_not_shown(upload, read):
    read.ends = fails
    job = upload()
    services.run(job.pk)
    assert jobs_to_show(job.collection, ["read"]) == [job]

    Job.objects.update(finished_at=timezone.now() - timedelta(hours=25))

    assert jobs_to_show(job.collection, ["read"]) == []


def test_the_card_of_a_failed_import_asks_for_another_file(upload, read):
    read.ends = fails
    job = upload()
    services.run(job.pk)
    job.refresh_from_db()

    assert "upload it" in advice(job, timezone.now())


def test_a_second_try_keeps_the_file_after_the_first_is_forgotten(upload, read):
    read.ends = fails
    job = upload()
    services.run(job.pk)
    again = services.enqueue(kind="read", collection=job.collection, parameters=job.parameters)
    Job.objects.filter(pk=job.pk).update(finished_at=timezone.now() - timedelta(days=2))
    everything_is_old()

    assert uploaded_files.sweep() == 0
    read.ends = lambda: None
    services.run(again.pk)

    assert (ended(again), kept()) == (State.SUCCEEDED, [])


def test_a_file_without_a_job_is_swept_when_it_cannot_be_on_its_way_any_more():
    orphan = Path(settings.UPLOAD_DIR) / "small" / str(uuid.uuid4())
    orphan.parent.mkdir(parents=True)
    orphan.write_bytes(b"x")
    assert uploaded_files.sweep() == 0

    everything_is_old()

    assert uploaded_files.sweep() == 1
    assert not orphan.exists()


def test_what_a_killed_web_process_was_receiving_is_swept():
    half = Path(settings.FILE_UPLOAD_TEMP_DIR) / "tmpabcdefgh.upload.jsonl"
    half.write_bytes(b"x")
    assert uploaded_files.sweep() == 0

    os.utime(half, (0, 0))

    assert uploaded_files.sweep() == 1
    assert not half.exists()


def test_what_is_not_ours_is_never_swept():
    strange = Path(settings.UPLOAD_DIR) / "small" / "notes.txt"
    strange.parent.mkdir(parents=True)
    strange.write_bytes(b"x")
    everything_is_old()

    assert uploaded_files.sweep() == 0
    assert strange.exists()


def test_the_reconciler_sweeps():
    assert tasks.sweep_uploads in registry.due_checks()


def test_a_job_whose_file_is_gone_says_what_to_do(upload):
    job = upload()
    kept()[0].unlink()

    services.run(job.pk)

    assert ended(job) == State.FAILED
    assert job.error.startswith("my.txt is no longer on the server")


def test_trying_again_without_the_file_is_refused_in_words(upload, read):
    read.ends = fails
    job = upload()
    services.run(job.pk)
    kept()[0].unlink()
    client = Client()
    client.force_login(User.objects.get(username="admin"))

    page = client.post(reverse("try-job-again", args=["small", job.pk]), follow=True)

    assert "my.txt is no longer on the server" in page.text
    assert Job.objects.count() == 1
