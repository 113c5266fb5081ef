"""A round is proven by the command and by the script of the docs, or a difference is named."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from evaluation.top_ups.runs import late_runs
from jobs.context import DirectRun
from pooling.models import Candidate, Contribution, RoundList
from pooling.rounds.lists import round_run_lines
from pooling.rounds.manifest import round_digest, round_manifest_file, round_manifest_text
from pooling.rounds.plans import RoundPlan
from pooling.rounds.services import add_round
from pooling.services import manifest_text
from retrieval.services import run_lines
from scoring.models import SystemKind
from tests.support.factories import DocumentFactory
from tests.support.rounds import a_frozen_collection, a_round, late
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
SCRIPT = Path(__file__).parents[2] / "docs" / "rebuild_pools.py"
SAMPLE = {"choice": "sample", "depth": 4, "parameters": {"bounds": [1, 4], "rates": [1.0, 0.5]}}


@once_a_file
def collection():
    """The pool of q1 lacks d06 to d09, and documents that only late runs have."""
    collection = a_frozen_collection()
    late(collection, "one", ["d06", "d01", "d13", "d14", "d15"])
    late(collection, "two", ["d12", "d09", "d16", "d06", "d17"])
    return collection


def a_system(collection, name="sys"):
    """A system with one list for the query. Its second document is not in the corpus."""
    system = collection.systems.create(name=name, kind=SystemKind.FILE, sha256="1" * 64)
    query = collection.queries.get()
    system.rankings.create(
        query=query, docnos=["d18", "elsewhere", "d06", "d19"], scores=[0.1, 0.2, 0.3, 0.4]
    )
    return system


def two_rounds(collection):
    first = a_round(collection, "one", depth=3)
    a_system(collection)
    runs = late_runs(collection, ["two", "sys"])
    plan = RoundPlan("More.", **SAMPLE)
    second = add_round(collection=collection, plan=plan, runs=runs, work=DirectRun())
    return first, second


def proved(collection, folder, manifest, capsys):
    path = folder / "round.json"
    path.write_text(json.dumps(manifest) if isinstance(manifest, dict) else manifest)
    call_command("rebuild_pools", collection.slug, str(path))
    return capsys.readouterr().out


def test_the_command_proves_each_round_and_the_pools_before_it(collection, tmp_path, capsys):
    for number, pool_round in enumerate(two_rounds(collection), start=2):
        out = proved(collection, tmp_path, round_manifest_text(pool_round), capsys)

        size = Candidate.objects.filter(round=number).count()
        assert f"Equal: round {number} adds {size} documents to 1 pools" in out
        assert "Equal: 1 pools of the first round, as stored" in out


def exported(collection, folder, rounds):
    """Every file that the script needs."""
    paths = {"manifest.json": manifest_text(collection.pool_builds.get())}
    for run in collection.runs.filter(name__in=["up", "down"]):
        paths[f"{run.name}.txt"] = "".join(run_lines(run))
    for pool_round in rounds:
        paths[f"round-{pool_round.number}.json"] = round_manifest_text(pool_round)
        for run in pool_round.manifest["runs"]:
            name = f"round-{pool_round.number}-{run['name']}.txt"
            paths[name] = "".join(round_run_lines(pool_round, run["name"]))
    for name, text in paths.items():
        (folder / name).write_text(text)
    with (folder / "documents.jsonl").open("w") as documents:
        call_command("export_documents", collection.slug, stdout=documents)
    return sorted([*paths, "documents.jsonl"])


def scripted(folder, names):
    command = [sys.executable, "-I", "-S", str(SCRIPT), *names]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout, done.stderr


def test_the_script_proves_the_builds_and_each_round(collection, tmp_path):
    rounds = two_rounds(collection)
    sizes = [Candidate.objects.filter(round=number).count() for number in (1, 2, 3)]

    out, errors = scripted(tmp_path, exported(collection, tmp_path, rounds))

    assert errors == ""
    assert out == (
        f"Equal: 1 pools with {sizes[0]} documents\n"
        f"Equal: round 2 adds {sizes[1]} documents\n"
        f"Equal: round 3 adds {sizes[2]} documents\n"
    )


def test_the_script_gives_the_same_probabilities_of_a_sample(collection, tmp_path):
    _, second = two_rounds(collection)
    script = runpy.run_path(str(SCRIPT))
    before = Candidate.objects.filter(round__lt=3).order_by("position")
    pooled = list(before.values_list("document__docno", flat=True))
    runs = {
        run["name"]: script["read_run"]("".join(round_run_lines(second, run["name"])).encode())
        for run in second.manifest["runs"]
    }

    pool = script["choose"](second.manifest, "q1", pooled, runs)

    stored = Candidate.objects.filter(round=3).values_list("document__docno", "inclusion")
    assert pool.inclusion == dict(stored)
    assert set(pool.inclusion.values()) == {1.0, 2 / 3}


def test_a_larger_corpus_does_not_prevent_the_proof(collection, tmp_path, capsys):
    pool_round = a_round(collection, "one", depth=3)
    DocumentFactory(collection=collection, docno="later")

    out = proved(collection, tmp_path, round_manifest_text(pool_round), capsys)

    assert "Equal: round 2" in out
    assert "Equal: 1 pools of the first round, as stored" in out
    assert "corpus.documents: the manifest says 21, here there are 22" in out


def past_the_rules(statement):
    """As a person with a database could who drops the triggers."""
    with connection.cursor() as cursor:
        names = [
            "candidate_of_frozen_pool_update",
            "contribution_of_frozen_pool_update",
            "list_of_frozen_round_update",
            "pool_round_stays_frozen",
        ]
        tables = ["candidate", "contribution", "roundlist", "poolround"]
        for name, table in zip(names, tables, strict=True):
            on = f" ON pooling_{table}" if connection.vendor == "postgresql" else ""
            cursor.execute(f"DROP TRIGGER {name}{on}")
    statement()


FORGERIES = {
    "a document of the first round": (
        lambda: Contribution.objects.filter(candidate__round=1, drawn=True, rank=1).update(rank=2),
        "differs from the manifest of its build",
    ),
    "a document of the round": (
        lambda: Contribution.objects.filter(candidate__round=2).update(rank=9),
        "the documents that are stored here for this round are not those of the manifest",
    ),
    "a list of the round": (
        lambda: RoundList.objects.update(docnos=["d13", "d01", "d06"]),
        "runs.one.sha256",
    ),
    "the round of a document": (
        lambda: Candidate.objects.filter(position=1).update(round=2),
        "differs from the manifest of its build",
    ),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_change_past_the_rules_is_named(collection, tmp_path, capsys, name):
    forge, difference = FORGERIES[name]
    pool_round = a_round(collection, "one", depth=3)
    manifest = round_manifest_text(pool_round)
    past_the_rules(forge)

    with pytest.raises(CommandError, match=difference):
        proved(collection, tmp_path, manifest, capsys)


CHANGES = {
    "seed": "other",
    "depth": 2,
    "previous": {"builds": [], "round": None},
    "only": {"q1": ["d06"]},
    "choice": "decisive",
}


@pytest.mark.parametrize("field", CHANGES)
def test_a_changed_manifest_is_found_by_its_digest(collection, tmp_path, capsys, field):
    manifest = round_manifest_file(a_round(collection, "one", depth=3))
    with pytest.raises(CommandError, match="sha256: the manifest says"):
        proved(collection, tmp_path, manifest | {field: CHANGES[field]}, capsys)


def signed(manifest, **changes):
    changed = manifest | changes
    return changed | {"sha256": round_digest(changed)}


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({"previous": {"builds": ["0" * 64], "round": None}}, "previous.builds: no build"),
        ({"previous": {"builds": [], "round": "0" * 64}}, "previous.round"),
        ({"depth": 2}, r"pools.query_papers.q1.size"),
        ({"only": {"q1": ["d06"]}}, r"pools.query_papers.q1.size"),
        ({"only": {"q1": None}, "round": 7}, "has no pool round 7"),
    ],
)
def test_a_manifest_of_another_round_is_told_from_its_content(
    collection, tmp_path, capsys, changes, difference
):
    manifest = round_manifest_file(a_round(collection, "one", depth=3))
    with pytest.raises(CommandError, match=difference):
        proved(collection, tmp_path, signed(manifest, **changes), capsys)


def test_the_command_tops_up_the_pools_and_exports_the_manifest(collection, tmp_path, capsys):
    arguments = [collection.slug, "one", "two", "--depth", "3", "--reason", "Late."]
    call_command("top_up_pools", *arguments, "--dry-run")
    assert "Round 2 would add 4 documents to 1 pool: 4 pairs to judge." in capsys.readouterr().out
    assert not collection.pool_rounds.exists()

    call_command("top_up_pools", *arguments)
    assert "Round 2 adds 4 documents" in capsys.readouterr().out
    call_command("export_manifest", collection.slug, "--round", "2")

    assert "Equal: round 2 adds 4" in proved(collection, tmp_path, capsys.readouterr().out, capsys)
