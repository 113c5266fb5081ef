"""An index is read whole once; after that, a seal says that it was not written to."""

import json
import os
import shutil
import time

import pytest

from retrieval.indexes import folders
from retrieval.indexes.folders import SEAL, check_folder
from retrieval.retrievers import IndexCorrupt, IndexedText
from retrieval.retrievers.bm25 import Bm25

BM25 = Bm25("abstract")


@pytest.fixture
def folder(tmp_path):
    documents = [IndexedText(str(number), "", f"cats {number}") for number in range(9)]
    BM25.build(documents, tmp_path / "key", lambda done: None)
    return tmp_path / "key"


@pytest.fixture
def any_age(monkeypatch):
    """Seals count at once, without waiting for the clock to go on."""
    monkeypatch.setattr(folders, "SEAL_YOUNGER_NS", 0)


def forge_a_seal(folder):
    """As if the bytes on the disk had changed without a write."""
    (folder / SEAL).write_text(json.dumps({"files": folders._states(folder)}))


def damage(folder):
    path = folder / "docnos.txt"
    path.write_bytes(b"X" + path.read_bytes()[1:])


def test_the_first_opening_seals_the_index(folder):
    assert not (folder / SEAL).exists()
    check_folder(folder, BM25)
    assert (folder / SEAL).exists()
    assert [path.name for path in folder.iterdir() if path.name.startswith(".checked")] == [SEAL]


@pytest.mark.usefixtures("any_age")
def test_a_sealed_index_is_not_read_again(folder):
    damage(folder)
    forge_a_seal(folder)
    assert check_folder(folder, BM25)


@pytest.mark.usefixtures("any_age")
def test_a_thorough_check_reads_it_all_the_same(folder):
    damage(folder)
    forge_a_seal(folder)
    with pytest.raises(IndexCorrupt, match=r"changed: docnos\.txt"):
        check_folder(folder, BM25, thorough=True)


@pytest.mark.usefixtures("any_age")
def test_a_changed_byte_breaks_the_seal_even_when_size_and_time_are_put_back(folder):
    check_folder(folder, BM25)
    before = (folder / "docnos.txt").stat()
    time.sleep(0.02)  # the clock of the file system ticks every few milliseconds
    damage(folder)
    os.utime(folder / "docnos.txt", ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(IndexCorrupt, match=r"changed: docnos\.txt"):
        check_folder(folder, BM25)


def test_a_seal_as_young_as_the_files_proves_nothing(folder):
    damage(folder)
    forge_a_seal(folder)
    with pytest.raises(IndexCorrupt, match=r"changed: docnos\.txt"):
        check_folder(folder, BM25)


@pytest.mark.usefixtures("any_age")
@pytest.mark.parametrize("seal", ["", "[]", "null", '{"files": {}}', '{"files": {"a": 1}}'])
def test_a_seal_of_something_else_proves_nothing(folder, seal):
    damage(folder)
    (folder / SEAL).write_text(seal)
    with pytest.raises(IndexCorrupt):
        check_folder(folder, BM25)


@pytest.mark.usefixtures("any_age")
def test_a_copy_is_read_and_sealed_anew(folder, tmp_path):
    check_folder(folder, BM25)
    (tmp_path / "elsewhere").mkdir()
    copy = shutil.copytree(folder, tmp_path / "elsewhere" / "key")
    kept = (copy / SEAL).read_bytes()
    check_folder(copy, BM25)
    assert (copy / SEAL).read_bytes() != kept


@pytest.mark.usefixtures("any_age")
def test_an_added_file_breaks_the_seal(folder):
    check_folder(folder, BM25)
    (folder / "more").write_bytes(b"")
    with pytest.raises(IndexCorrupt, match="added or changed: more"):
        check_folder(folder, BM25)
