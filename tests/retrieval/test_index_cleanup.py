"""Builds remove the drafts of killed builds and superseded indexes, and nothing else."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import subprocess
import sys
import time

import pytest

from retrieval.indexes.cleanup import DAY, LOCK, draft_folder, sweep
from retrieval.retrievers import IndexedText, QueryText
from retrieval.retrievers.bm25 import Bm25
from retrieval.retrievers.tfidf import Tfidf
from tests.support.running import ROOT

BM25 = Bm25("abstract")
DOCUMENTS = [IndexedText("1", "", "cats and dogs"), IndexedText("2", "", "cats")]
KEYS = [f"{number:016x}" for number in range(4)]
# A build that stops for ever in the middle of its documents.
HANGING = """
import sys, time
from pathlib import Path
from retrieval.indexes import external_sort
from retrieval.retrievers.bm25 import Bm25
from retrieval.interface import IndexedText

external_sort.CHUNK_DOCUMENTS = 5
def documents():
    for number in range(20):
        yield IndexedText(str(number), "", "cats")
    print("in the middle", flush=True)
    time.sleep(600)
Bm25("abstract").build(documents(), Path(sys.argv[1]), lambda done: None)
"""


def quiet(done):
    pass


@pytest.fixture
def indexes(tmp_path):
    (tmp_path / "indexes").mkdir()
    return tmp_path / "indexes"


@pytest.fixture
def hanging(indexes):
    """Start builds that do not end; those that still live are killed with the test."""
    started = []

    def start(name):
        process = subprocess.Popen(
            [sys.executable, "-c", HANGING, str(indexes / name)], cwd=ROOT, stdout=subprocess.PIPE
        )
        started.append(process)
        assert process.stdout.readline() == b"in the middle\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def built(indexes, name, retriever=BM25):
    retriever.build(DOCUMENTS, indexes / name, quiet)
    return indexes / name


def let_pass(seconds, *folders):
    """As if these were written so long ago."""
    when = time.time() - seconds
    for folder in folders:
        for path in (folder, *folder.rglob("*")):
            os.utime(path, (when, when))


def test_the_next_build_removes_the_draft_of_a_killed_build_and_keeps_that_of_a_living_one(
    indexes, hanging
):
    dead, alive = hanging("bm25_abstract-dead"), hanging("bm25_abstract-alive")
    dead.send_signal(signal.SIGKILL)
    dead.wait()
    assert [name.rpartition(".")[0] for name in names(indexes)] == [
        ".bm25_abstract-alive",
        ".bm25_abstract-dead",
    ]

    built(indexes, "tfidf_abstract-next", Tfidf("abstract"))
    living, index = names(indexes)
    assert (living.rpartition(".")[0], index) == (".bm25_abstract-alive", "tfidf_abstract-next")

    let_pass(2 * DAY, indexes / living)  # a lock that is held counts for more than any age
    sweep(indexes)
    assert names(indexes) == [living, index]
    alive.kill()
    alive.wait()
    sweep(indexes)
    assert names(indexes) == [index]


def test_a_build_of_the_same_index_goes_through_beside_what_a_killed_one_left(indexes, hanging):
    process = hanging("bm25_abstract-key")
    process.kill()
    process.wait()
    folder = built(indexes, "bm25_abstract-key")
    assert names(indexes) == ["bm25_abstract-key"]
    assert BM25.open(folder)


def removed_only_after_a_day(indexes, draft):
    let_pass(DAY - 600, draft)
    sweep(indexes)
    assert draft.exists()
    let_pass(DAY + 600, draft)
    (draft / "index" / "part").write_text("")  # its builder is still writing
    sweep(indexes)
    assert draft.exists()
    let_pass(DAY + 600, draft)
    sweep(indexes)
    return not draft.exists()


@pytest.mark.parametrize("content", ["", None], ids=["not locked yet", "no lock file yet"])
def test_a_draft_that_was_never_locked_is_removed_only_after_a_day(indexes, content):
    draft = indexes / ".bm25_title-key.abcd1234"
    (draft / "index").mkdir(parents=True)
    if content is not None:
        (draft / LOCK).write_text(content)
    assert removed_only_after_a_day(indexes, draft)


def test_without_locks_in_the_file_system_a_draft_is_removed_only_after_a_day(indexes, monkeypatch):
    def no_locks(file, operation):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with draft_folder(indexes / "bm25_title-key") as draft:
        assert (draft / LOCK).read_text() == ""
        (draft / "index").mkdir()
        assert removed_only_after_a_day(indexes, draft)
        draft.mkdir()  # for the builder to remove


def test_indexes_of_earlier_states_go_a_day_after_they_were_last_opened(indexes):
    old, older, newest = (built(indexes, f"bm25_abstract-{key}") for key in KEYS[:3])
    other = built(indexes, f"tfidf_abstract-{KEYS[0]}", Tfidf("abstract"))
    let_pass(3 * DAY, newest, other)
    let_pass(4 * DAY, old, older)
    BM25.open(old)  # the corpus is again what it was
    sweep(indexes)
    assert names(indexes) == sorted([old.name, other.name])


def test_what_was_opened_within_a_day_stays(indexes):
    folders = [built(indexes, f"bm25_abstract-{key}") for key in KEYS]
    let_pass(DAY - 600, *folders[:3])
    sweep(indexes)
    assert names(indexes) == sorted(folder.name for folder in folders)


def test_the_next_build_is_what_sweeps(indexes):
    old, newer = (built(indexes, f"bm25_abstract-{key}") for key in KEYS[:2])
    let_pass(2 * DAY, old)
    newest = built(indexes, f"bm25_abstract-{KEYS[2]}")
    assert names(indexes) == sorted([newer.name, newest.name])


def test_an_index_that_is_open_on_this_machine_answers_when_its_folder_is_gone(indexes):
    old, _ = (built(indexes, f"bm25_abstract-{key}") for key in KEYS[:2])
    ranker = BM25.open(old)
    let_pass(2 * DAY, old)
    sweep(indexes)
    assert not old.exists()
    ((_, ranking),) = ranker.rank([QueryText("q", "", "dogs")], 5, quiet)
    assert [scored.docno for scored in ranking] == ["1"]


def test_kept_vectors_of_a_killed_encoder_wait_for_it_until_a_later_state_has_its_index(indexes):
    parts = indexes / f".bm25_abstract-{KEYS[0]}.parts"
    parts.mkdir()
    let_pass(30 * DAY, parts)
    sweep(indexes)
    assert parts.exists()
    later = built(indexes, f"bm25_abstract-{KEYS[1]}")
    sweep(indexes)
    assert names(indexes) == [later.name]


def test_what_is_not_ours_is_left_alone(indexes):
    for name in ("models", "notes-2024", ".hidden", "bm25_abstract-short"):
        (indexes / name).mkdir()
        let_pass(30 * DAY, indexes / name)
    before = names(indexes)
    sweep(indexes)
    sweep(indexes / "nowhere")
    assert names(indexes) == before
