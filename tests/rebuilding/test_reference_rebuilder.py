"""docs/rebuild_pools.py rebuilds what the services built, from exported files and nothing else."""

from __future__ import annotations

import ast
import hashlib
import io
import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command

from corpus.services import create_query
from jobs.context import DirectRun
from pooling.models import Candidate
from pooling.services import PoolPlan, build_pools
from pooling.services import manifest_file as file_of
from pooling.services.manifest import digest_of
from pooling.strategies import STRATEGIES
from retrieval.formats import Scored, trec_order
from retrieval.models import Run
from retrieval.services import run_lines
from retrieval.services.runs import RunReport, store_run
from tests.pooling.test_same_pools import GOLDEN, PLAN, a_large_collection, a_run
from tests.support.factories import DocumentFactory, a_collection, a_topic
from tests.support.pooling_scenes import a_listed_run
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
SCRIPT = Path(__file__).parents[2] / "docs" / "rebuild_pools.py"
PAPERS = ("p1", "p2", "päper-3")
TOPIC = "d11"  # also the docno of a document, which its lists contain

PARAMETERS = [
    ("interleaved", {"n": 2}),
    ("interleaved", {"n": 30}),
    ("sequential", {"n": 3}),
    ("depth_k", {"k": 4}),
    ("depth_k", {"k": 40}),
    ("take_b", {"size": 9}),
    ("rrf", {"size": 9, "depth": 20, "k": 7.5}),
    ("combmnz", {"size": 9, "depth": 12}),
    ("rbp", {"size": 9, "depth": 15, "p": 0.9}),
    ("uniform", {"size": 6, "depth": 12}),
    ("uniform", {"size": 60, "depth": 12}),
    ("stratified", {"bounds": [2, 10, 20], "rates": [1.0, 0.3, 0.07]}),
    ("mdcr", {"n": 3, "top": 8}),
]
LEAVING_OUT = [
    {"forced": ()},
    {"forced": ("cited", "known")},
    {"forced": ("known",), "excluded": ("cited",)},
    {"excluded": ("known",), "only": ("not_later",)},
    {"forced": (), "excluded": ("cited", "known"), "only": ("same_field", "not_later")},
]


@once_a_file
def collection():
    """Lists of different lengths with ties, one empty; documents with and without year and field;
    a query paper that cites itself, one document twice, and one that is not in the corpus."""
    collection = a_collection("papers", seed="a seed | with ü")
    docnos = [f"d{number:02}" for number in range(40)]
    for number, docno in enumerate([*docnos, *PAPERS]):
        DocumentFactory(
            collection=collection,
            docno=docno,
            title=f"Parsing “{number}”\n\ttrees",
            sentences=[] if number == 7 else [f"We parse {number} trees.", "It works — well."],
            labels=["method", ""] if docno in PAPERS or number % 5 == 0 else [],
            year=None if number % 7 == 3 else 1990 + number % 11,
            fields=[] if number % 6 == 4 else ["CS", "Law"][: 1 + number % 2],
            references=[docno, "d05", "nowhere", "d07", "d05", "d31"] if docno in PAPERS else [],
        )
    for docno in PAPERS:
        create_query(collection=collection, docno=docno, facet_key="method")
    a_topic(collection, TOPIC)
    for step, name in ((7, "specter"), (11, "bm25-of-others"), (13, "graph"), (17, "ä")):
        lists = {
            paper: [docnos[(place * step + at) % 40] for place in range(38 - step - at)]
            for at, paper in enumerate((*PAPERS, TOPIC))
            if (name, paper) != ("ä", "p2")
        }
        a_listed_run(collection, name, lists)
    a_listed_run(collection, "known", {"p1": ["d09", "d31"], "p2": ["d14"]})
    lists = {paper: with_ties(docnos[at:30]) for at, paper in enumerate((*PAPERS, TOPIC))}
    tied = Run(collection=collection, name="tied", kind="file", depth=30)
    store_run(tied, lists, RunReport(), DirectRun())
    return collection


def with_ties(docnos: list[str]) -> list[Scored]:
    """Three documents to a score, and scores that are written in several ways."""
    scores = (1e22, 3.0, 2.5, 0.1 + 0.2, 1e-7, 0.0, -1.5)
    return trec_order(
        Scored(docno, scores[number // 3 % len(scores)]) for number, docno in enumerate(docnos)
    )


def exported(collection, manifest, folder: Path) -> list[str]:
    """The public files: manifest, documents, runs."""
    files = {"manifest.json": json.dumps(manifest)}
    documents = io.StringIO()
    call_command("export_documents", collection.slug, stdout=documents)
    files["documents.jsonl"] = documents.getvalue()
    for number, run in enumerate(collection.runs.order_by("-pk")):
        files[f"{number}.txt"] = "".join(run_lines(run))
    for name, text in files.items():
        (folder / name).write_bytes(text.encode())
    return [str(folder / name) for name in files]


def rebuilt(files: list[str]) -> subprocess.CompletedProcess[str]:
    """By a Python that does not find the project or any package."""
    return subprocess.run(
        [sys.executable, "-I", "-S", str(SCRIPT), *files],
        capture_output=True,
        text=True,
        cwd="/",
        check=False,
    )


def test_the_script_is_short_and_needs_the_standard_library_alone():
    text = SCRIPT.read_text()
    imports = {
        name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [node.module]
            if isinstance(node, ast.ImportFrom)
            else [name.name for name in node.names]
        )
    }

    assert len(text.splitlines()) < 400
    assert {name.split(".")[0] for name in imports} <= sys.stdlib_module_names


def test_all_strategies_are_rebuilt_here():
    assert {name for name, _ in PARAMETERS} == set(STRATEGIES)


@pytest.mark.parametrize(("strategy", "parameters"), PARAMETERS)
def test_pools_of_every_strategy_are_rebuilt(collection, tmp_path, strategy, parameters):
    runs = ("specter", "bm25-of-others", "graph", "ä", "tied")
    rebuild = reference()["rebuild"]
    files = read(exported(collection, {}, tmp_path))  # the same for each manifest
    for asked in ({}, *LEAVING_OUT):
        plan = PoolPlan(strategy=strategy, parameters=parameters, runs=runs, depth=60, **asked)
        build = build_pools(collection=collection, plan=plan, work=DirectRun())
        manifest = file_of(build)

        pools = rebuild(manifest, *files)

        assert {paper: pool.inclusion for paper, pool in pools.items()} == inclusion_of(build)


def test_the_pool_of_a_topic_may_contain_the_document_with_its_id(collection):
    plan = PoolPlan(strategy="depth_k", parameters={"k": 40}, runs=("specter",), depth=60)

    build = build_pools(collection=collection, plan=plan, work=DirectRun())

    documents = dict(build.drawn_lists.values_list("query_paper", "documents"))
    assert TOPIC in documents[TOPIC]
    facts = build.manifest["pools"]["query_papers"]
    assert {paper for paper in facts if facts[paper].get("topic")} == {TOPIC}


def inclusion_of(build) -> dict[str, dict[str, float]]:
    found = {paper: {} for paper in (*PAPERS, TOPIC)}
    rows = Candidate.objects.filter(pool__build=build).exclude(inclusion=None)
    for paper, docno, inclusion in rows.values_list(
        "pool__query_paper__name", "document__docno", "inclusion"
    ):
        found[paper][docno] = inclusion
    return found


def reference():
    """What docs/rebuild_pools.py defines, by name."""
    return runpy.run_path(str(SCRIPT))


def read(files: list[str]) -> tuple[dict[str, dict], dict[str, bytes]]:
    """The exported documents by docno, and the runs by their SHA-256."""
    documents = map(json.loads, Path(files[1]).read_text().splitlines())
    runs = [Path(file).read_bytes() for file in files[2:]]
    return (
        {document["docno"]: document for document in documents},
        {hashlib.sha256(run).hexdigest(): run for run in runs},
    )


def test_a_difference_is_named(collection, tmp_path):
    plan = PoolPlan(parameters={"n": 2}, runs=("specter", "graph"), depth=60)
    manifest = file_of(build_pools(collection=collection, plan=plan, work=DirectRun()))
    manifest["seed"] = "another"
    manifest["sha256"] = digest_of(manifest)

    done = rebuilt(exported(collection, manifest, tmp_path))

    assert done.returncode == 1
    assert done.stderr.startswith("Different. ")
    assert "of the pool of p" in done.stderr


@pytest.mark.django_db(transaction=True)
def test_the_golden_pools_are_rebuilt(tmp_path):
    collection = a_large_collection("small")
    a_run(collection, tmp_path)
    manifest = file_of(build_pools(collection=collection, plan=PLAN, work=DirectRun()))
    (tmp_path / "files").mkdir()

    done = rebuilt(exported(collection, manifest, tmp_path / "files"))

    assert (done.stdout.split(" with")[0], done.stderr) == ("Equal: 120 pools", "")
    assert manifest["pools"]["sha256"] == GOLDEN
