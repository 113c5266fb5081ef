"""Records on disk: written once, read any number of times."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudication.standing import LabelledPair, Standing
from bundle.zip.draft_files import draft_folder
from bundle.zip.writing import sha256
from release.snapshot.stored_records import WRITTEN_TOGETHER, StoredRecords

ROWS = st.lists(st.tuples(st.text(), st.integers() | st.none() | st.floats(allow_nan=False)))


@given(ROWS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_read_is_what_was_written(release_folder, rows):
    records = StoredRecords(rows, tuple)

    assert list(records) == list(records) == rows
    assert len(records) == len(rows)


@pytest.fixture
def release_folder(settings, tmp_path):
    settings.RELEASE_DIR = tmp_path / "releases"
    return settings.RELEASE_DIR


@pytest.mark.parametrize("size", [0, 1, WRITTEN_TOGETHER, 3 * WRITTEN_TOGETHER + 1])
def test_two_readers_do_not_disturb_each_other(release_folder, size):
    records = StoredRecords(((number,) for number in range(size)), tuple)

    assert [pair[0] == pair[1] for pair in zip(records, records, strict=True)] == [True] * size


def test_the_rows_can_be_read_as_records(release_folder):
    pair = LabelledPair("q", "method", "d", Standing.AGREED, 1, 1, 1)
    records = StoredRecords([tuple(pair)], LabelledPair._make)

    assert list(records) == [pair]
    assert list(records.reading(lambda row: row[2])) == ["d"]


def test_no_other_user_sees_the_file_and_nothing_is_left(release_folder):
    records = StoredRecords([(1,)], tuple)

    assert list(Path(release_folder).iterdir()) == []
    assert list(records) == [(1,)]


def test_a_file_in_the_folder_has_its_size_and_its_digest(release_folder):
    with draft_folder(release_folder) as files:
        stored = files.write([b"one ", b"", b"two"])
        assert stored.path.read_bytes() == b"one two"
        assert (stored.size, stored.sha256) == (7, sha256(b"one two"))

    assert list(Path(release_folder).iterdir()) == []
