"""What killed builds and earlier states of a corpus leave on the disk goes; nothing else does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from pooling.retrievers import IndexedText, QueryText
from pooling.retrievers.bm25 import Bm25
from pooling.retrievers.sweeping import DAY, LOCK, sweep
from pooling.retrievers.tfidf import Tfidf
from tests.running import ROOT

BM25 = Bm25("abstract")
DOCUMENTS = [IndexedText("1", "", "cats and dogs"), IndexedText("2", "", "cats")]
KEYS = [f"{number:016x}" for number in range(4)]
# A build that stops for ever in the middle of its documents.
HANGING = """
import sys, time
from pathlib import Path
from pooling.retrievers import spool
from pooling.retrievers.bm25 import Bm25
from pooling.retrievers.interface import IndexedText

spool.PART = 5
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
        one = subprocess.Popen(
            [sys.executable, "-c", HANGING, str(indexes / name)], cwd=ROOT, stdout=subprocess.PIPE
        )
        started.append(one)
        assert one.stdout.readline() == b"in the middle\n"
        return one

    yield start
    for one in started:
        one.kill()
        one.wait()
        one.stdout.close()


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def built(indexes, name, one=BM25):
    one.build(DOCUMENTS, indexes / name, quiet)
    return indexes / name


def let_pass(seconds, *folders):
    """As if these were written so long ago."""
    when = time.time() - seconds
    for folder in folders:
        for path in (folder, *folder.rglob("*")):
            os.utime(path, (when, when))


def test_the_workshop_of_a_killed_build_is_swept_by_the_next_and_a_living_one_s_is_not(
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
    one = hanging("bm25_abstract-key")
    one.kill()
    one.wait()
    folder = built(indexes, "bm25_abstract-key")
    assert names(indexes) == ["bm25_abstract-key"]
    assert BM25.open(folder)


@pytest.mark.parametrize("written_by", ["another kernel's number", "", None])
def test_a_workshop_of_another_machine_is_swept_only_after_a_day(indexes, written_by):
    made = indexes / ".bm25_title-key.abcd1234"
    (made / "index").mkdir(parents=True)
    if written_by is not None:  # None: its builder has only just made the folder
        (made / LOCK).write_text(written_by)
    let_pass(DAY - 600, made)
    sweep(indexes)
    assert made.exists()
    let_pass(DAY + 600, made)
    (made / "index" / "part").write_text("")  # somebody is still writing
    sweep(indexes)
    assert made.exists()
    let_pass(DAY + 600, made)
    sweep(indexes)
    assert not made.exists()


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
    assert [one.docno for one in ranking] == ["1"]


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
