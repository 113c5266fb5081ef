"""`beir/`: corpus, queries and qrels as BEIR's loader reads them.

The loader takes `qrels/<split>.tsv` for a split, `test` by default. A split here is every label
(`test`, and `all` beside facets), a facet, or a development or test set of a fold, such as
`fold1_dev` and `method_fold1_dev`. A facet's key has no underscore, so no two have one name. In a
collection with a facet that is called `test`, that split is the facet's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from bundle.content import Content, FileNote, Files, LayoutLoader, UnpackedBundle
from bundle.layouts.splits import ALL, sets_of
from bundle.names import SPLITS
from bundle.query_texts import ReleasedQueryText
from bundle.reading.fields import each_line
from bundle.reading.opened import BundleError, OpenedBundle, read_json, read_lines
from bundle.records import Label, ReleasedDocument, ReleasedQuery
from bundle.snapshot import Snapshot
from bundle.verification.data import ReleaseData
from bundle.verification.failures import Failure
from bundle.verification.label_copies import (
    Row,
    labelled_queries,
    read_grade,
    require_folder,
    same_labels,
    varying_names,
    wrong_documents,
    wrong_queries,
)
from bundle.zip.draft_files import DraftFile, DraftFolder
from bundle.zip.writing import StoredFile

FOLDER = "beir/"
CORPUS, QUERIES, QRELS = "beir/corpus.jsonl", "beir/queries.jsonl", "beir/qrels/"
TEST = "test"  # what BEIR's loader reads unless told otherwise


def qrels_file(split: str) -> str:
    return f"{QRELS}{split}.tsv"


FILES = (
    FileNote(
        CORPUS,
        "the documents: `_id`, `title`, `text`; `metadata` has the year, the authors, and the end "
        "and the label of each sentence of the text",
    ),
    FileNote(
        QUERIES,
        "the queries: `_id`, `text`; `metadata` has the facet, the query paper and its sentences",
    ),
    FileNote(qrels_file(TEST), "all final labels: `query-id`, `corpus-id`, `score`"),
    FileNote(qrels_file(ALL), "the same again, named like `trec/qrels.all.txt`"),
    FileNote(
        qrels_file("fold<number>_<dev or test>"),
        "those of a set of `splits.json`, folds {folds}",
    ),
    FileNote(
        qrels_file("<facet>_fold<number>_<dev or test>"),
        "those of a facet in a set of `splits.json`, folds {folds}",
    ),
    FileNote(qrels_file("<facet>"), "the final labels of one facet"),
)
_JSON = json.JSONEncoder(ensure_ascii=False)
COLUMNS = ["query-id", "corpus-id", "score"]
SET = re.compile(r"(?:(?P<facet>.+)_)?(?P<set>fold[1-9]\d*_(?:dev|test))")


def write(folder: DraftFolder, content: Content) -> Files:
    snapshot = content.snapshot
    files: Files = {**_write_qrels(folder, snapshot)}
    if snapshot.query_texts:
        files[QUERIES] = folder.write(_query_lines(snapshot))
    if snapshot.options.texts.included:
        files[CORPUS] = folder.write(map(_document_line, snapshot.documents))
    return files


def _json_line(value: object) -> bytes:
    return _JSON.encode(value).encode() + b"\n"


def _document_line(document: ReleasedDocument) -> bytes:
    text, ends = joined(document.sentences)
    return _json_line(
        {
            "_id": document.docno,
            "title": document.title,
            "text": text,
            "metadata": {
                "year": document.year,
                "venue": document.venue,
                "authors": document.authors,
                "fields": document.fields,
                "references": document.references,
                "sentence_ends": ends,
                "labels": document.labels,
            },
        }
    )


def joined(sentences: tuple[str, ...]) -> tuple[str, list[int]]:
    """The sentences with a space between them, and where in that text each of them ends."""
    ends, end = [], -1
    for sentence in sentences:
        end += 1 + len(sentence)
        ends.append(end)
    return " ".join(sentences), ends


def _query_lines(snapshot: Snapshot) -> Iterator[bytes]:
    queries = {query.name: query for query in snapshot.queries}
    for text in snapshot.query_texts:
        yield _json_line(
            {"_id": text.query, "text": text.text, "metadata": _about(text, queries[text.query])}
        )


def _about(text: ReleasedQueryText, query: ReleasedQuery) -> dict[str, Any]:
    if query.is_topic:
        return {
            "title": text.title,
            "description": text.description,
            "narrative": text.narrative,
        }
    return {
        "facet": query.facet,
        "query_paper": query.query_paper,
        "title": text.title,
        "sentences": text.sentences,
    }


def _write_qrels(folder: DraftFolder, snapshot: Snapshot) -> dict[str, StoredFile]:
    facets = {facet.key for facet in snapshot.collection.facets}
    drafts: dict[str, DraftFile] = {}
    for query, grouped in groupby(snapshot.labels, attrgetter("query")):
        labels = list(grouped)
        content = b"".join(map(_label_line, labels))
        fold = snapshot.folds.numbers.get(query)
        sets = sets_of(fold, snapshot.folds.number)
        for split in _splits_of(labels[0].facet, sets, facets):
            name = qrels_file(split)
            if name not in drafts:
                drafts[name] = folder.draft()
                drafts[name].write("\t".join(COLUMNS).encode() + b"\n")
            drafts[name].write(content)
    return {name: draft.stored() for name, draft in drafts.items()}


def _label_line(label: Label) -> bytes:
    return f"{label.query}\t{label.docno}\t{label.grade}\n".encode()


def _splits_of(facet: str, sets: Sequence[str], facets: set[str]) -> Iterator[str]:
    """The splits that a query is in. `sets` are those of its folds."""
    if TEST not in facets:
        yield TEST
    yield from sets
    if facet:
        yield ALL
        yield facet
        yield from (f"{facet}_{name}" for name in sets)


def check(data: ReleaseData) -> Iterator[Failure]:
    require_folder(data.bundle, FOLDER)
    for name, split in varying_names(data.bundle, QRELS, ".tsv"):
        yield from same_labels(data, name, _rows(data.bundle, name), _queries_of(data, split))
    for name, wrong_ids in ((CORPUS, wrong_documents), (QUERIES, wrong_queries)):
        if name in data.bundle.names:
            ids = (fields.text("_id") for fields in each_line(data.bundle, name))
            yield from wrong_ids(data, name, ids)


def _rows(bundle: OpenedBundle, name: str) -> Iterator[Row]:
    lines = read_lines(bundle, name)
    _, header = next(lines, (1, ""))
    if header.split("\t") != COLUMNS:
        raise BundleError(name, 1, f"must be the columns {', '.join(COLUMNS)}.")
    for line, text in lines:
        cells = text.split("\t")
        if len(cells) != len(COLUMNS):
            raise BundleError(name, line, f"must have 3 columns, got {len(cells)}.")
        yield line, cells[0], cells[1], read_grade(cells[2], name, line)


def _queries_of(data: ReleaseData, split: str) -> set[str]:
    """The labelled queries of a split: all, a facet, or a set of `splits.json`."""
    facets = {query.facet for query in data.queries.values()}
    if split in facets:
        return labelled_queries(data, split)
    match = SET.fullmatch(split)
    if match is None:
        return set(data.labels)
    splits = read_json(data.bundle, SPLITS)
    sets = splits.get(match["facet"] or ALL) if isinstance(splits, dict) else None
    names = sets.get(match["set"]) if isinstance(sets, dict) else None
    return set(map(str, names or ())) & data.labels.keys()


def loading_code(folder: str, split: str) -> str:
    return (
        "from beir.datasets.data_loader import GenericDataLoader\n\n"
        f'corpus, queries, qrels = GenericDataLoader("{folder}").load(split="{split}")'
    )


NEEDED = (CORPUS, QUERIES, qrels_file(TEST))


def _loading(bundle: UnpackedBundle) -> str:
    if bundle.is_sample or not set(NEEDED) <= set(bundle.files):
        return ""
    return loading_code(f"{bundle.folder}/{FOLDER.rstrip('/')}", TEST)


LOADER = LayoutLoader("beir", "BEIR", _loading, NEEDED)
