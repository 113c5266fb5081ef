"""An import onto a disk that fills up: nothing of it stays, and it works once there is room."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest
from django.db import connection

from corpus.documents.importing import import_documents
from corpus.services import CorpusError
from jobs.context import DirectRun
from tests.support.disks import small_disk
from tests.support.factories import DocumentFactory, a_collection
from tests.support.running import ROOT, environment


@pytest.fixture
def disk(tmp_path):
    with small_disk(tmp_path / "disk") as made:
        yield made


@pytest.fixture
def file(tmp_path):
    lines = (
        {"docno": f"d{number:04}", "title": "A title", "sentences": [f"word{number} " * 60]}
        for number in range(3_000)
    )
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.mark.django_db
def test_rows_that_do_not_fit_beside_the_data_leave_the_corpus_as_it_was(file, disk, settings):
    collection = a_collection()
    DocumentFactory(collection=collection, docno="before")
    settings.DATA_DIR = disk.folder
    for room in (0, 100_000, 1_000_000):
        disk.fill(but=room)
        with pytest.raises(CorpusError) as caught:
            import_documents(collection=collection, path=file, work=DirectRun())
        assert str(caught.value) == (
            "No space left on device, so nothing of corpus.jsonl was imported. The import needs "
            f"about three times the size of the unpacked documents in {disk.folder}. Free some "
            "space and start it again."
        )
        assert collection.documents.get().docno == "before"
    disk.free()
    assert list(disk.folder.iterdir()) == []
    report = import_documents(collection=collection, path=file, work=DirectRun())
    assert report.created == 3_000


def manage(data, *arguments):
    env = environment(DATA_DIR=str(data), DATABASE_URL=f"sqlite:///{data}/all.sqlite3")
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=env,
        check=False,
        capture_output=True,
        text=True,
    )


def count(data):
    with closing(sqlite3.connect(data / "all.sqlite3")) as database:
        return database.execute("SELECT COUNT(*) FROM corpus_document").fetchone()[0]


@pytest.mark.by_day(2)
@pytest.mark.django_db(transaction=True)
def test_a_database_that_does_not_fit_is_left_as_it_was(on_sqlite, file, disk):
    a_collection()
    with (
        closing(sqlite3.connect(connection.settings_dict["NAME"])) as made,
        closing(sqlite3.connect(disk.folder / "all.sqlite3")) as copy,
    ):
        made.backup(copy)
    # Enough for the rows that wait to be written, and not for the database as well.
    disk.fill(but=3_000_000)
    process = manage(disk.folder, "import_documents", "small", str(file))
    assert process.returncode == 1
    assert "No space left on device, so nothing of" in process.stderr
    assert "Traceback" not in process.stderr
    assert count(disk.folder) == 0
    disk.free()
    assert manage(disk.folder, "import_documents", "small", str(file)).returncode == 0
    assert count(disk.folder) == 3_000
