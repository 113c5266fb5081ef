"""Builds that are killed, cancelled or written wrong publish nothing and leave nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings

from bundle.zip.draft_files import remove_abandoned_drafts, temporary_folder
from bundle.zip.interruption import check_interruption, interruptible
from jobs import services as job_services
from jobs.context import DirectRun
from jobs.lease import Cancelled, Lease
from jobs.models import Job, State
from release import services
from release.errors import NotWritten
from release.files import open_release, path_of
from release.models import Release
from release.services import publish_release, request_release
from release.snapshot.stored_records import StoredRecords
from tests.support.release_scenes import a_judged_collection
from tests.support.running import ROOT, environment
from tests.support.worlds import once_a_file

# In a process of its own, because a test should not fork a process with threads. Its children are
# killed at a call of a function, so the moments are the same at every speed of the machine. Counted
# calls take longer, so half of the builds count those of their last step only.
KILLED_BUILDS = """
import json, os, random, signal, sys
import django
django.setup()
from django.db import connections
from accounts.models import Collection
from jobs.context import DirectRun
from release.services import publish_release

def publish(version, from_step, moment):
    calls = 0
    def count(frame, event, arg):
        nonlocal calls
        calls += 1
        if calls == moment:
            os.kill(os.getpid(), signal.SIGKILL)
    class Counting(DirectRun):
        def progress(self, done, total, note=""):
            if note == from_step:
                sys.setprofile(count)
    collection = Collection.objects.get(slug="small")
    publish_release(collection=collection, version=version, work=Counting())
    sys.setprofile(None)
    return calls

def in_a_child(version, from_step, moment=0):
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.write(writing, str(publish(version, from_step, moment)).encode())
        os._exit(0)
    os.close(writing)
    status = os.wait()[1]
    return os.waitstatus_to_exitcode(status), os.read(reading, 100)

connections.close_all()
chance = random.Random(13)
codes = []
for step in ("reading the collection", "checking it and putting it in place"):
    calls = int(in_a_child(f"whole{len(codes)}", step)[1])
    for _ in range(6):
        moment = chance.randrange(1, calls * 99 // 100)
        codes.append(in_a_child(f"k{len(codes)}", step, moment)[0])
print(json.dumps(codes))
"""


@once_a_file
def collection():
    return a_judged_collection()


def hidden(root: Path) -> list[str]:
    return sorted(path.name for path in root.rglob(".*"))


@pytest.mark.faults
@pytest.mark.one_database  # the files of a killed build are the same on each
@pytest.mark.django_db(transaction=True)
@pytest.mark.by_day(4)
def test_a_build_that_is_killed_at_any_moment_leaves_no_half_of_a_release(client):
    collection = a_judged_collection()
    done = subprocess.run(
        [sys.executable, "-c", KILLED_BUILDS],
        cwd=ROOT,
        env=environment(DJANGO_SETTINGS_MODULE="config.settings"),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert json.loads(done.stdout) == [-9] * 12, done.stderr

    for release in Release.objects.all():
        open_release(release).close()
    assert "/releases/small/" not in client.get("/releases/").text

    names = {"whole0", "whole6", *(f"k{number}" for number in range(12))}
    left = sorted(names - set(collection.releases.values_list("version", flat=True)))
    assert len(left) >= 6
    again = {*left[:3], *(version for version in left if path_of("small", version).exists())}
    for version in sorted(again):
        publish_release(collection=collection, version=version)
    assert hidden(Path(settings.RELEASE_DIR)) == []
    files = {path.stem for path in path_of("small", "k1").parent.iterdir()}
    assert files == names - {*left} | again


@pytest.mark.django_db
def test_the_draft_of_a_build_that_lives_stays():
    with temporary_folder(Path(settings.RELEASE_DIR)) as folder:
        remove_abandoned_drafts(Path(settings.RELEASE_DIR))

        assert folder.is_dir()


class StopsAt(DirectRun):
    """Work that is cancelled at the nth check."""

    def __init__(self, checks: int) -> None:
        super().__init__(StringIO())
        self.checks = checks

    def check(self) -> None:
        self.checks -= 1
        if self.checks == 0:
            raise Cancelled


@pytest.mark.django_db
@pytest.mark.one_database
@pytest.mark.parametrize("checks", [1, 5, 10, 20, 40])
def test_a_build_that_is_cancelled_inside_a_file_leaves_nothing(collection, checks):
    work = StopsAt(checks)

    with pytest.raises(Cancelled):
        publish_release(collection=collection, version="1.0", work=work)

    assert not Release.objects.exists()
    assert [path for path in Path(settings.RELEASE_DIR).rglob("*") if path.is_file()] == []
    check_interruption()  # it ended with the build


@pytest.mark.django_db
@pytest.mark.one_database
def test_reading_the_collection_and_reading_its_records_can_be_stopped():
    calls = []
    records = StoredRecords([(number,) for number in range(1200)], tuple)

    with interruptible(lambda: calls.append("checked")):
        assert len(list(records)) == 1200
        assert len(calls) == 3
        StoredRecords([(1,)], tuple)
    assert len(calls) == 4


@pytest.mark.django_db
def test_a_cancelled_job_stops_at_the_next_check_without_asking_the_database(
    collection,
    django_assert_num_queries,
):
    job = request_release(collection=collection, version="1.0")
    lease = job_services.claim(job.pk)
    assert isinstance(lease, Lease)
    lease.check()
    Job.objects.filter(pk=job.pk).update(cancel_requested=True)
    with pytest.raises(Cancelled) as found:
        lease.beat()
    lease._stopped = found.value  # as the thread of the heartbeat does

    with django_assert_num_queries(0), pytest.raises(Cancelled):
        lease.check()


@pytest.mark.django_db
def test_a_job_that_is_cancelled_inside_a_file_ends_as_cancelled(collection, monkeypatch):
    job = request_release(collection=collection, version="1.0")

    def check(lease):
        raise Cancelled(lease.job_id)

    monkeypatch.setattr(Lease, "check", check)
    job_services.run(job.pk)

    job.refresh_from_db()
    assert (job.state, Release.objects.count()) == (State.CANCELLED, 0)
    assert hidden(Path(settings.RELEASE_DIR)) == []


@pytest.mark.django_db
@pytest.mark.one_database
@pytest.mark.parametrize("place", [0, 60, -60, None])
def test_a_file_that_the_disk_changed_is_not_published(collection, monkeypatch, place):
    staged = services.staged

    def damaging(path, content):
        changed = bytearray(content.read())
        if place is None:
            del changed[-100:]
        else:
            changed[place] ^= 1
        return staged(path, bytes(changed))

    monkeypatch.setattr(services, "staged", damaging)

    with pytest.raises(NotWritten, match="read back"):
        publish_release(collection=collection, version="1.0")
    assert not Release.objects.exists()
    assert not path_of("small", "1.0").exists()
