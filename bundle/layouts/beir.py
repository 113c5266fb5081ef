"""`beir/`: corpus, queries and qrels as BEIR's loader reads them.

The loader takes `qrels/<split>.tsv` for a split, `test` by default. A split here is every label
(`test`, and `all` beside facets), a facet, or a development or test set of a fold, such as
`fold1_dev` and `method_fold1_dev`. A facet's key has no underscore, so no two have one name. In a
collection with a facet that is called `test`, that split is the facet's.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from bundle.layouts.content import Content, FileNote, Files
from bundle.query_texts import ReleasedQueryText
from bundle.records import Label, ReleasedDocument, ReleasedQuery, Snapshot
from bundle.splits import ALL, sets_of
from bundle.zip.draft_files import DraftFile, DraftFolder
from bundle.zip.writing import StoredFile

TEST = "test"  # what BEIR's loader reads unless told otherwise
FILES = (
    FileNote(
        "beir/corpus.jsonl",
        "the documents: `_id`, `title`, `text`; `metadata` has the year, the authors, and the end "
        "and the label of each sentence of the text",
    ),
    FileNote(
        "beir/queries.jsonl",
        "the queries: `_id`, `text`; `metadata` has the facet, the query paper and its sentences",
    ),
    FileNote("beir/qrels/test.tsv", "all final labels: `query-id`, `corpus-id`, `score`"),
    FileNote("beir/qrels/all.tsv", "the same again, named like `trec/qrels.all.txt`"),
    FileNote(
        "beir/qrels/fold<number>_<dev or test>.tsv",
        "those of a set of `splits.json`, folds {folds}",
    ),
    FileNote(
        "beir/qrels/<facet>_fold<number>_<dev or test>.tsv",
        "those of a facet in a set of `splits.json`, folds {folds}",
    ),
    FileNote("beir/qrels/<facet>.tsv", "the final labels of one facet"),
)
_JSON = json.JSONEncoder(ensure_ascii=False)
HEADER = b"query-id\tcorpus-id\tscore\n"


def write(folder: DraftFolder, content: Content) -> Files:
    snapshot = content.snapshot
    files: Files = {**_write_qrels(folder, snapshot)}
    if snapshot.query_texts:
        files["beir/queries.jsonl"] = folder.write(_query_lines(snapshot))
    if snapshot.options.texts.included:
        files["beir/corpus.jsonl"] = folder.write(map(_document_line, snapshot.documents))
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
            name = f"beir/qrels/{split}.tsv"
            if name not in drafts:
                drafts[name] = folder.draft()
                drafts[name].write(HEADER)
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
