"""The release's own verify.py: what it finds, with nothing but Python."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys

import pytest

from annotation import openings
from annotation.models import Slot
from jobs.work import run_now
from pooling.building import freeze_pools
from release.verify import verify
from retrieval.models import RankedList
from tests import builders
from tests.release.helpers import built, unpacked

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(judged, tmp_path):
    unpacked(built(judged, with_texts=True).content, tmp_path / "release")
    return tmp_path / "release"


def change(folder, name: str, old: str, new: str) -> None:
    """And its SHA-256 in the manifest, so that only the contents tell."""
    path = folder / name
    text = path.read_bytes().decode()
    assert old in text
    path.write_bytes(text.replace(old, new, 1).encode())
    if name == "MANIFEST.json":
        return
    manifest = json.loads((folder / "MANIFEST.json").read_text())
    content = path.read_bytes()
    manifest["files"][name] = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    (folder / "MANIFEST.json").write_text(json.dumps(manifest))


def run(folder) -> subprocess.CompletedProcess[str]:
    """Isolated from the environment and from installed packages."""
    command = [sys.executable, "-I", "-S", "verify.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_a_release_verifies_itself(folder):
    assert verify(folder) == []
    passed = run(folder)
    assert (passed.returncode, passed.stderr) == (0, "")
    assert "6 labels" in passed.stdout


def test_a_changed_file_is_found_by_its_digest(folder):
    (folder / "pools.csv").write_text("")
    failed = run(folder)
    assert failed.returncode == 1
    assert "pools.csv" in failed.stdout


def test_missing_and_additional_files_are_found(folder):
    (folder / "pools.csv").unlink()
    (folder / "extra.txt").write_text("")
    assert [fault.split()[0] for fault in verify(folder)] == ["extra.txt", "pools.csv"]


WRONG = [
    ("trec/qrels.all.txt", "d00_method 0 d01 2", "d00_method 0 d01 3"),
    ("trec/qrels.method.txt", "d00_method 0 d01 2\n", ""),
    ("trec/qrels.background.txt", "d00_background 0 d01 0\n", "d00_background 0 d01 0\nd00_background 0 d01 0\n"),
    ("beir/qrels/test.tsv", "d00_method\td02\t3", "d00_method\td02\t0"),
    ("hf/qrels/method.jsonl", '"score": 3', '"score": 1'),
    ("labels.csv", "d00_method,method,d01,agreed,2", "d00_method,method,d01,agreed,3"),
    ("labels.csv", "d00_method,method,d03,set aside,", "d00_method,method,d03,undecided,"),
    ("labels.csv", "d00_method,method,d02,decided,3", "d00_method,method,d02,decided,0"),
    ("decisions.csv", "d00_method,method,d02,adjudicator-1,3", "d00_method,method,d02,adjudicator-1,2"),
    ("decisions.csv", "d00_method,method,d02,adjudicator-1,3", "d00_method,method,d02,adjudicator-1,4"),
    ("ratings.csv", "d00_method,method,d01,2,", "d00_method,method,d01,1,"),
    ("ratings.csv", "d00_method,method,d02,1,annotator-2,0", "d00_method,method,d02,1,annotator-1,0"),
    ("ratings.csv", ",,text,", ",,,"),
    ("MANIFEST.json", '"files"', '"filet"'),
]


def test_every_label_that_does_not_follow_is_found(folder, tmp_path):
    for number, (name, old, new) in enumerate(WRONG):
        copy = tmp_path / str(number)
        shutil.copytree(folder, copy)
        change(copy, name, old, new)
        assert verify(copy), (name, old)


def test_a_later_round_proves_what_it_was_added_to(judged, people, tmp_path):
    """Nothing of the first pools can be exchanged without the release saying so."""
    query = judged.queries.get(name="d00_method")
    RankedList.objects.create(run=judged.runs.get(), query=query, docnos=["d01", "d07", "d08"], scores=[3.0, 2.0, 1.0])
    plan = {"strategy": "depth-k", "n": 3, "sources": ["bm25"], "forced": [], "depths": {}, "queries": [], "adds": True}
    run_now("build_pools", collection=judged, plan=plan | {"queries": [query.name]})
    freeze_pools(collection=judged, pk=judged.pool_sets.drafts().get().pk)
    couple = (people.ann, people.bob)
    openings.open_queries(collection=judged, queries=[query], couples={query.pk: couple}, by=people.admin)
    for slot in Slot.objects.filter(pair__opening__pool_set__round=2).select_related("pair", "judge"):
        builders.judge(slot.pair, slot.judge, 1)
    made, folder = built(judged), tmp_path / "release"
    unpacked(made.content, folder)
    assert verify(folder) == []
    assert made.manifest["counts"]["rounds"][1] == {"round": 2, "queries": 1, "candidates": 2, "labels": 2}
    assert "| 2 | 1 | 2 | 2 |" in (folder / "README.md").read_text()
    change(folder, "pools.csv", "d00_method,1,2,d02", "d00_method,1,2,d06")
    assert [fault for fault in verify(folder) if "earlier pools of d00_method" in fault]
