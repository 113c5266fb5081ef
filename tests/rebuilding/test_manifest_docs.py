"""The worked example in docs/manifest.md is true, byte by byte."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command

from corpus.services import create_query
from jobs.context import DirectRun
from pooling.services import PoolPlan, build_pools
from pooling.services import manifest_file as file_of
from pooling.services.manifest import FORMAT
from pooling.strategies import STRATEGIES
from rebuilding.manifest_schema import MANIFEST
from retrieval.services import import_run, run_lines
from tests.support.factories import a_collection

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "manifest.md").read_text()
BLOCKS = dict(re.findall(r"```\w+ ([\w.]+)\n(.*?)```", TEXT, re.DOTALL))
FILES = ("manifest.json", "documents.jsonl", "a.txt", "b.txt")


@pytest.fixture
def folder(tmp_path):
    for name in FILES:
        (tmp_path / name).write_text(BLOCKS[name])
    return tmp_path


def test_the_script_rebuilds_the_example(folder):
    command = [sys.executable, "-I", "-S", str(DOCS / "rebuild_pools.py"), *FILES]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)

    assert (done.stdout, done.stderr) == ("Equal: 1 pools with 3 documents\n", "")


@pytest.mark.django_db
def test_the_example_is_what_qrelsmith_builds(folder, capsys):
    collection = a_collection("example", seed="s")
    call_command("import_documents", "example", str(folder / "documents.jsonl"))
    create_query(collection=collection, docno="p", facet_key="method")
    for name in ("a", "b"):
        path = folder / f"{name}.txt"
        run = import_run(
            collection=collection, path=path, filename=path.name, name=name, work=DirectRun()
        )
        assert "".join(run_lines(run)) == BLOCKS[path.name]
    plan = PoolPlan(parameters={"n": 1}, runs=("a", "b"), depth=3)

    built = file_of(build_pools(collection=collection, plan=plan, work=DirectRun()))

    example = json.loads(BLOCKS["manifest.json"])
    for manifest in (built, example):
        del manifest["versions"], manifest["sha256"]
    assert built == example
    call_command("rebuild_pools", collection.slug, str(folder / "manifest.json"))
    assert "Equal: 1 pools with 3 candidates" in capsys.readouterr().out


def test_the_hashes_told_are_those_of_the_keys():
    examples = re.findall(r"printf '(.*?)' \| sha256sum +# (\w+)…", TEXT)

    assert len(examples) == 2
    for key, start in examples:
        assert hashlib.sha256(key.encode()).hexdigest().startswith(start)


def test_the_contributions_told_have_the_digests_told():
    pools = json.loads(BLOCKS["manifest.json"])["pools"]
    content = BLOCKS["contributions"].strip()

    assert hashlib.sha256(content.encode()).hexdigest() == pools["query_papers"]["p"]["sha256"]
    assert hashlib.sha256(f'{{"p":{content}}}'.encode()).hexdigest() == pools["sha256"]


def test_every_field_strategy_and_format_is_told():
    fields = TEXT[TEXT.index("## Fields") :]
    runs, papers = MANIFEST["runs"].shape, MANIFEST["pools"]["query_papers"].shape
    for name in (*MANIFEST, *runs, *papers):
        assert f"`{name}" in fields or f".{name}`" in fields, name
    assert all(f"`{name}`" in TEXT for name in STRATEGIES)
    assert f"| `format` | {FORMAT} |" in fields
