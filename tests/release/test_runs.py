"""A release holds the runs that its pools were drawn from, and the pools rebuild from it."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.services import open_query
from bundle.errors import ReleaseError
from bundle.formats.run_files import file_names
from jobs.context import DirectRun
from pooling.services import PoolPlan, build_pools, freeze_pools
from release.files import open_release
from release.services import build_bundle, publish_release
from release.snapshot import take_snapshot
from retrieval.models import Run
from retrieval.services.run_files import run_lines
from tests.support.datasheets import answer_datasheet
from tests.support.factories import annotators
from tests.support.pooling_scenes import (
    DOCNOS,
    a_listed_collection,
    a_listed_run,
    a_staged_collection,
)
from tests.support.sittings import judge
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
SCRIPT = Path(__file__).parents[2] / "docs" / "rebuild_pools.py"


@once_a_file
def collection():
    """A judged pool that is a sample, with a forced and an excluded run; `unused` drew nothing."""
    collection = a_listed_collection()
    collection.licence = "CC-BY-4.0"
    collection.save()
    give_text(collection)
    for name in ("first", "known", "unused"):
        a_listed_run(collection, name, {"q1": [DOCNOS[len(name)]]})
    plan = PoolPlan(
        strategy="uniform",
        parameters={"size": 4, "depth": 10},
        runs=("up", "down", "bm25_abstract"),
        forced=("cited", "first"),
        excluded=("known",),
        depth=10,
    )
    build_pools(collection=collection, plan=plan, work=DirectRun())
    freeze_pools(collection=collection)
    judged(collection.queries.get())
    return answer_datasheet(collection)


def judged(query) -> None:
    open_query(query=query, annotators=annotators(query.collection), opened_by=None)
    for pair in query.pairs.all():
        for slot in pair.slots.all():
            judge(slot, 2)


def files_of(release) -> dict[str, bytes]:
    with open_release(release) as file, zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def unpacked(release, folder: Path) -> Path:
    path = folder / "release.zip"
    with open_release(release) as file:
        path.write_bytes(file.read())
    return path


def test_a_release_holds_the_runs_that_its_pools_were_drawn_from(collection):
    release = publish_release(collection=collection, version="1.0")

    files = files_of(release)

    run_files = {run["name"]: run["file"] for run in release.manifest["runs"]}
    assert run_files == {
        "bm25_abstract": "runs/bm25_abstract.txt",
        "down": "runs/down.txt",
        "first": "runs/first.txt",
        "known": "runs/known.txt",
        "unused": None,
        "up": "runs/up.txt",
    }
    assert {name for name in files if name.startswith("runs/")} == set(
        filter(None, run_files.values())
    )
    for run in release.manifest["runs"]:
        if run["file"]:
            assert hashlib.sha256(files[run["file"]]).hexdigest() == run["sha256"]
            assert release.manifest["files"][run["file"]]["sha256"] == run["sha256"]
            assert files[run["file"]].decode() == "".join(
                run_lines(collection.runs.get(name=run["name"]))
            )
    readme = files["README.md"].decode()
    assert "`runs/<name>.txt`" in readme
    assert "`rebuild_pools`" in readme


def test_of_two_runs_with_the_same_lists_the_newest_is_listed(collection):
    older = Run.with_retired.filter(pk=collection.runs.get(name="up").pk)
    older.update(retired_at=timezone.now())
    a_listed_run(collection, "up", {"q1": DOCNOS}, parameters={"version": 2})
    # PostgreSQL now stores the older row behind the newer one.
    older.update(retired_at=timezone.now())

    listed = {run.name: run.parameters for run in take_snapshot(collection).runs}

    assert listed["up"] == {"version": 2}


def test_the_same_database_gives_the_same_bytes_and_leaves_nothing_behind(collection, settings):
    first, second = (build_bundle(take_snapshot(collection), "1.0", {}) for _ in range(2))

    assert first.sha256 == second.sha256 == hashlib.sha256(first.content).hexdigest()
    assert first.size == len(first.content)
    assert not list(Path(settings.RELEASE_DIR).glob(".release-*"))


def test_a_run_that_is_not_what_its_digest_says_stops_the_release(collection, settings):
    snapshot = take_snapshot(collection)
    # As if a row had been changed with the rules of the database switched off.
    runs = tuple(
        run._replace(sha256="0" * 64) if run.name == "up" else run for run in snapshot.runs
    )

    with pytest.raises(ReleaseError, match="The run up has the SHA-256"):
        build_bundle(replace(snapshot, runs=runs), "1.0", {})
    assert not list(Path(settings.RELEASE_DIR).glob(".release-*"))


def test_pools_are_rebuilt_from_the_zip_alone(collection, tmp_path, capsys):
    path = unpacked(publish_release(collection=collection, version="1.0"), tmp_path)
    # On another installation the runs of other engines are not there.
    other = copied(collection)

    call_command("rebuild_pools", other.slug, str(path))

    output = capsys.readouterr().out
    assert output.startswith("Equal: 1 pools with ")
    assert "ranking again with bm25_abstract" in output
    assert not other.runs.exists()


def copied(collection):
    other = a_listed_collection("other")
    other.runs.all().delete()
    other.seed = collection.seed
    other.save()
    give_text(other)
    return other


def give_text(collection):
    for document in collection.documents.all():
        document.title, document.labels = f"Paper {document.docno}", ["method"]
        document.sentences = ["We parse."]
        document.digest = document.text_digest()
        document.save()


def test_kept_runs_are_those_of_the_zip(collection, tmp_path, capsys):
    path = unpacked(publish_release(collection=collection, version="1.0"), tmp_path)

    call_command("rebuild_pools", copied(collection).slug, str(path), "--kept-runs")

    assert "ranking again with no run" in capsys.readouterr().out


def test_two_runs_of_one_retriever_have_a_file_each_and_every_pool_is_rebuilt(tmp_path, capsys):
    collection = answer_datasheet(a_staged_collection())
    collection.licence = "CC-BY-4.0"
    collection.save()
    for query in collection.queries.all():
        judged(query)
    path = unpacked(release := publish_release(collection=collection, version="1.0"), tmp_path)

    call_command("rebuild_pools", collection.slug, str(path), "--kept-runs")

    assert capsys.readouterr().out.count("Equal: 1 pools with ") == 2
    first, second = release.manifest["runs"]
    assert first["name"] == second["name"] == "bm25_text"
    for run in (first, second):
        assert run["file"] == f"runs/bm25_text-{run['sha256'][:8]}.txt"
        assert hashlib.sha256(files_of(release)[run["file"]]).hexdigest() == run["sha256"]


def test_the_script_rebuilds_from_the_zip_and_the_documents(collection, tmp_path):
    path = unpacked(publish_release(collection=collection, version="1.0"), tmp_path)
    documents = io.StringIO()
    call_command("export_documents", collection.slug, stdout=documents)
    (tmp_path / "documents.jsonl").write_text(documents.getvalue())

    command = [sys.executable, "-I", "-S", str(SCRIPT), str(path), "documents.jsonl"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.stderr == ""
    assert done.stdout.startswith("Equal: 1 pools with ")


def altered(path: Path, name: str, old: bytes, new: bytes) -> Path:
    """The zip with one file changed."""
    copy = path.with_name("altered.zip")
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(copy, "w") as target:
        for entry in source.namelist():
            content = source.read(entry)
            if entry == name:
                assert old in content
                content = content.replace(old, new, 1)
            target.writestr(entry, content)
    return copy


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("runs/up.txt", b" d03 3 ", b" d99 3 ", r"The run up differs\. runs\.up\.sha256"),
        ("runs/up.txt", b" Q0 ", b" ", r"runs/up\.txt cannot be read"),
        ("pools/pool.jsonl", b'"rank": 1', b'"rank": 2', r"in pools/pool\.jsonl, the pool of q1"),
        ("manifest.json", b'"size": 4', b'"size": 5', "The pool of q1 differs|changed after it"),
    ],
)
def test_a_changed_file_of_the_zip_is_named(collection, tmp_path, name, old, new, message):
    path = unpacked(publish_release(collection=collection, version="1.0"), tmp_path)
    path = altered(path, name, old, new)

    with pytest.raises(CommandError, match=message):
        call_command("rebuild_pools", collection.slug, str(path), "--kept-runs")


def test_the_manifest_of_a_release_is_refused_with_the_file_that_is_wanted(collection, tmp_path):
    release = publish_release(collection=collection, version="1.0")
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps(release.manifest))

    with pytest.raises(CommandError, match=r"the manifest of a release.*Give the release's zip"):
        call_command("rebuild_pools", collection.slug, str(path))


def test_files_of_runs_have_plain_names_that_differ():
    names = ["bm25_text@method", "BM25", "bm25", "encoder:a/b?c=d", "..x", "-", "a.b", "twice"]
    runs = [(name, "0" * 64) for name in names] + [("twice", "1" * 64)]

    files = file_names(runs)

    assert files["a.b", "0" * 64] == "runs/a.b.txt"
    assert files["twice", "1" * 64] == "runs/twice-11111111.txt"
    assert len({file.lower() for file in files.values()}) == len(runs)
    for file in files.values():
        assert file.startswith("runs/")
        assert ".." not in file
        assert "/" not in file.removeprefix("runs/")
