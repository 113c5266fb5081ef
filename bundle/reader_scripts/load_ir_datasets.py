"""Register this release with ir_datasets, from the files beside this script.

    import ir_datasets
    import load_ir_datasets

    dataset = ir_datasets.load(load_ir_datasets.NAME)

`python load_ir_datasets.py` prints what there is. NAME has the documents, all queries and all
labels. NAME/<split> has the queries and labels of a file of beir/qrels, such as NAME/fold1_test.
Nothing is downloaded.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import ir_datasets
from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import BaseDocs, BaseQrels, BaseQueries, GenericQuery, TrecQrel
from ir_datasets.indices import Docstore

FOLDER = Path(__file__).resolve().parent
BEIR = FOLDER / "beir"
MANIFEST = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
NAME = f"{MANIFEST['collection']['slug']}-{MANIFEST['version']}"
ALL = "test"  # the split with all labels


class Doc(NamedTuple):
    doc_id: str
    title: str
    text: str
    metadata: dict[str, Any]

    def default_text(self) -> str:
        return f"{self.title} {self.text}"


def json_lines(name: str) -> Iterator[dict[str, Any]]:
    with (BEIR / name).open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


class Docs(BaseDocs):  # type: ignore[misc, unused-ignore]
    def docs_iter(self) -> Iterator[Doc]:
        for line in json_lines("corpus.jsonl"):
            yield Doc(line["_id"], line["title"], line["text"], line["metadata"])

    def docs_cls(self) -> type[Doc]:
        return Doc

    def docs_count(self) -> int:
        return sum(1 for _ in json_lines("corpus.jsonl"))

    def docs_store(self) -> Docstore:
        return Store({doc.doc_id: doc for doc in self.docs_iter()})

    def docs_namespace(self) -> str:
        return NAME


class Store(Docstore):  # type: ignore[misc, unused-ignore]
    """All documents in memory."""

    def __init__(self, docs: dict[str, Doc]) -> None:
        super().__init__(Doc)
        self.docs = docs

    def get_many_iter(self, doc_ids: Iterable[str]) -> Iterator[Doc]:
        return (self.docs[doc_id] for doc_id in doc_ids if doc_id in self.docs)


class Qrels(BaseQrels):  # type: ignore[misc, unused-ignore]
    def __init__(self, split: str) -> None:
        self.path = BEIR / "qrels" / f"{split}.tsv"

    def qrels_iter(self) -> Iterator[TrecQrel]:
        with self.path.open(encoding="utf-8", newline="") as lines:
            rows = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
            next(rows)  # the header
            for query_id, doc_id, grade in rows:
                yield TrecQrel(query_id, doc_id, int(grade), "0")

    def qrels_cls(self) -> Any:
        return TrecQrel

    def qrels_defs(self) -> dict[int, str]:
        """The grades. The README says what each means."""
        grades = range(MANIFEST["collection"]["highest_grade"] + 1)
        return {grade: f"grade {grade}" for grade in grades}

    def qrels_path(self) -> str:
        return str(self.path)


class Queries(BaseQueries):  # type: ignore[misc, unused-ignore]
    """The queries of a split, or all of them.

    They have one text and nothing else, so that PyTerrier knows what to search for. What is known
    of the query papers is in beir/queries.jsonl.
    """

    def __init__(self, qrels: Qrels | None = None) -> None:
        self.qrels = qrels

    def queries_iter(self) -> Iterator[GenericQuery]:
        wanted = self.qrels and {qrel.query_id for qrel in self.qrels.qrels_iter()}
        for line in json_lines("queries.jsonl"):
            if wanted is None or line["_id"] in wanted:
                yield GenericQuery(line["_id"], line["text"])

    def queries_namespace(self) -> str:
        return NAME


def datasets() -> Iterator[tuple[str, Dataset]]:
    """Every data set with its id. A release without texts has none until they were got."""
    docs = Docs() if (BEIR / "corpus.jsonl").exists() else None
    has_queries = (BEIR / "queries.jsonl").exists()
    yield NAME, Dataset(docs, Queries() if has_queries else None, Qrels(ALL))
    for path in sorted((BEIR / "qrels").glob("*.tsv")):
        qrels = Qrels(path.stem)
        queries = Queries(qrels) if has_queries else None
        yield f"{NAME}/{path.stem}", Dataset(docs, queries, qrels)


for dataset_id, dataset in datasets():
    if dataset_id not in ir_datasets.registry:
        ir_datasets.registry.register(dataset_id, dataset)

if __name__ == "__main__":
    for dataset_id, dataset in datasets():
        documents = dataset.docs_count() if dataset.has_docs() else 0
        queries = len(dataset.qrels_dict())
        labels = sum(1 for _ in dataset.qrels_iter())
        print(f"{dataset_id}: {documents} documents, {queries} queries with {labels} labels")
