"""What means that a disk is full, and that a job which meets it ends at once and says so."""

import errno
import sqlite3
from pathlib import Path

import psycopg
import pytest
from django.db import OperationalError

from accounts.models import Collection
from jobs import registry
from jobs.models import Job, State
from jobs.services import enqueue, run
from web.disk import DiskFull, discard, is_full, room_in


def of_sqlite(tmp_path):
    """What SQLite really says when a database may not grow."""
    small = sqlite3.connect(tmp_path / "small")
    small.execute("PRAGMA max_page_count = 2")
    small.execute("CREATE TABLE t (x)")
    with pytest.raises(sqlite3.OperationalError) as caught:
        small.execute("INSERT INTO t VALUES (zeroblob(100000))")
    small.close()
    return caught.value


def django_s(cause):
    error = OperationalError(str(cause))
    error.__cause__ = cause
    return error


@pytest.fixture
def full(tmp_path):
    return {
        "a file": OSError(errno.ENOSPC, "No space left on device", "/data/x"),
        "a quota": OSError(errno.EDQUOT, "Disk quota exceeded"),
        "numpy": OSError("4096 requested and 512 written"),
        "tantivy": ValueError("An IO error occurred: 'No space left on device (os error 28)'"),
        "SQLite": django_s(of_sqlite(tmp_path)),
        "PostgreSQL": django_s(psycopg.errors.DiskFull("could not extend file")),
    }


KINDS = ["a file", "a quota", "numpy", "tantivy", "SQLite", "PostgreSQL"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_full_disk_is_recognized_from_every_kind_of_error(full, kind):
    assert is_full(full[kind])


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.EACCES, "Permission denied"),
        ValueError("not a number"),
        OperationalError("database is locked"),
        django_s(psycopg.errors.AdminShutdown("restarting")),
    ],
)
def test_other_trouble_is_not_taken_for_it(error):
    assert not is_full(error)
    with pytest.raises(type(error)) as caught, room_in("/data"):
        raise error
    assert caught.value is error


def test_the_innermost_error_names_the_folder():
    with pytest.raises(DiskFull) as caught, room_in("/data"), room_in("/data/indexes"):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert str(caught.value) == (
        "No space left on device: /data/indexes. Free some space, then try again."
    )


def test_a_temporary_file_is_closed_though_its_last_bytes_do_not_fit():
    file = Path("/dev/full").open("wb")  # noqa: SIM115 - closed by what is tried
    file.write(b"the last bytes")
    discard(file)
    assert file.closed


@pytest.mark.django_db
@pytest.mark.parametrize("kind", KINDS)
def test_a_job_that_meets_it_fails_at_once_and_in_words(full, kind, monkeypatch):
    def work(lease):
        raise full[kind]

    monkeypatch.setattr(registry, "_handlers", {"work": work})
    collection = Collection.objects.create(slug="small", name="Small")
    job = enqueue(kind="work", collection=collection, parameters={})
    run(job.pk)
    job = Job.objects.get(pk=job.pk)
    where = ": /data/x" if kind == "a file" else ""
    assert (job.state, job.attempts) == (State.FAILED, 1)
    assert job.error == f"No space left on device{where}. Free some space, then try again."
