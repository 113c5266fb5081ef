"""An unpacked release read by each tool, as its users read it, and a run scored on what it read."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import subprocess
import sys
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from types import ModuleType

import ir_datasets
import ir_measures
import pandas as pd
import pyarrow.parquet as pq
import pytrec_eval
from ir_measures import nDCG

from release.services import PackedBundle
from tests.support.running import environment

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]
CUT = 10


def unpack(bundle: PackedBundle, folder: Path) -> Path:
    with zipfile.ZipFile(bundle.reader()) as archive:
        archive.extractall(folder)
    return folder


def a_fixed_run(qrels: Qrels) -> Run:
    """Scores that depend on the ids only. A third of the documents is not in the run."""
    digest = {
        query: {docno: sha256(f"{query} {docno}".encode()).digest() for docno in labels}
        for query, labels in qrels.items()
    }
    return {
        query: {docno: value[0] + value[1] / 256 for docno, value in of.items() if value[2] % 3}
        for query, of in digest.items()
    }


@contextmanager
def loaded_script(folder: Path) -> Iterator[ModuleType]:
    """The release's `load_ir_datasets`; what it registered is removed at the end."""
    spec = importlib.util.spec_from_file_location(
        "load_ir_datasets", folder / "load_ir_datasets.py"
    )
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    before = set(ir_datasets.registry)
    spec.loader.exec_module(module)
    try:
        yield module
    finally:
        for name in set(ir_datasets.registry) - before:
            del ir_datasets.registry._registered[name]


def as_qrels(rows: Iterator[tuple[str, str, int]]) -> Qrels:
    qrels: Qrels = defaultdict(dict)
    for query, docno, grade in rows:
        assert docno not in qrels[query]
        qrels[query][docno] = int(grade)
    return dict(qrels)


def by_ir_measures(folder: Path, facet: str) -> Qrels:
    qrels = ir_measures.read_trec_qrels(str(folder / f"trec/qrels.{facet}.txt"))
    return as_qrels((row.query_id, row.doc_id, row.relevance) for row in qrels)


def by_pytrec_eval(folder: Path, facet: str) -> Qrels:
    with (folder / f"trec/qrels.{facet}.txt").open() as lines:
        return pytrec_eval.parse_qrel(lines)


def by_pandas(folder: Path, facet: str) -> Qrels:
    path = folder / f"beir/qrels/{_split(facet)}.tsv"
    table = pd.read_csv(path, sep="\t", dtype={"query-id": str, "corpus-id": str})
    return as_qrels(table.itertuples(index=False, name=None))


def by_pyarrow(folder: Path, facet: str) -> Qrels:
    names = "*" if facet == "all" else f"{facet}-*"
    tables = [
        pq.read_table(path) for path in sorted((folder / "hf/qrels").glob(f"{names}.parquet"))
    ]
    return as_qrels(
        (row["query-id"], row["corpus-id"], row["score"])
        for table in tables
        for row in table.to_pylist()
    )


def by_beir(folder: Path, facet: str) -> Qrels:
    return read_beir(folder / "beir", _split(facet))[2]


def by_ir_datasets(folder: Path, facet: str) -> Qrels:
    with loaded_script(folder) as script:
        dataset = ir_datasets.load(f"{script.NAME}/{_split(facet)}")
        return as_qrels((row.query_id, row.doc_id, row.relevance) for row in dataset.qrels_iter())


def _split(facet: str) -> str:
    return "test" if facet == "all" else facet


READERS: dict[str, Callable[[Path, str], Qrels]] = {
    "ir_measures": by_ir_measures,
    "pytrec_eval": by_pytrec_eval,
    "pandas": by_pandas,
    "pyarrow": by_pyarrow,
    "BEIR": by_beir,
    "ir_datasets": by_ir_datasets,
}


def scores(qrels: Qrels, run: Run) -> dict[str, float]:
    """nDCG of each query, by the queries of the qrels that were read."""
    metrics = ir_measures.iter_calc([nDCG @ CUT], qrels, run)
    return {metric.query_id: metric.value for metric in metrics}


def read_beir(folder: Path, split: str) -> tuple[dict, dict, Qrels]:
    """Corpus, queries and qrels by the rules of BEIR's `GenericDataLoader`.

    A line of the corpus has `_id`, `text` and mostly `title`; one of the queries `_id` and `text`.
    The first line of a qrels file is skipped, and its columns are read as text, text and integer.
    Only queries with a label are kept.
    """
    corpus = {line["_id"]: line for line in _unique(folder / "corpus.jsonl")}
    queries = {line["_id"]: line["text"] for line in _unique(folder / "queries.jsonl")}
    with (folder / f"qrels/{split}.tsv").open(encoding="utf-8", newline="") as lines:
        reader = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_MINIMAL)
        assert next(reader) == ["query-id", "corpus-id", "score"]
        qrels = as_qrels((query, docno, int(grade)) for query, docno, grade in reader)
    for line in corpus.values():
        assert isinstance(line["_id"], str)
        assert isinstance(line["title"], str)
        assert isinstance(line["text"], str)
    assert all(text.strip() for text in queries.values())
    assert qrels.keys() <= queries.keys()
    assert {docno for labels in qrels.values() for docno in labels} <= corpus.keys()
    return corpus, {query: queries[query] for query in qrels}, qrels


def _unique(path: Path) -> list[dict]:
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    assert len({line["_id"] for line in lines}) == len(lines)
    return lines


def run_script(folder: Path, *command: str) -> str:
    """What a Python script of the release prints, as a reader runs it: without this project."""
    done = subprocess.run(
        [sys.executable, *command],
        env=environment(PYTHONPATH=""),
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def front_matter_of(readme: str) -> dict:
    import yaml

    first, text, _ = readme.split("---\n", 2)
    assert first == ""
    return yaml.safe_load(io.StringIO(text))
