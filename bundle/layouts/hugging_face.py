"""`hf/`: Parquet files that `datasets`, the Hub and MTEB read through the README's front matter.

The labels of a facet are in one file for each fold, so that no label is in two files: a split of a
config is a list of these files.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import Any

from bundle.content import Content, FileNote, Files, LayoutLoader, UnpackedBundle
from bundle.formats.parquet import (
    INTEGER,
    INTEGERS,
    NUMBER,
    TEXT,
    TEXTS,
    Columns,
    ParquetDraft,
    write_parquet,
)
from bundle.layouts.beir import joined
from bundle.names import RATINGS
from bundle.reading.csv_rows import read_ratings
from bundle.reading.parquet import read_parquet
from bundle.records import ReleasedDocument
from bundle.snapshot import Snapshot
from bundle.verification.data import ReleaseData
from bundle.verification.failures import CannotCheck, Failure
from bundle.verification.label_copies import (
    Row,
    require_folder,
    same_labels,
    varying_names,
    wrong_documents,
    wrong_queries,
)
from bundle.zip.draft_files import DraftFolder
from bundle.zip.writing import StoredFile

FOLDER = "hf/"
QRELS = "hf/qrels/"
CORPUS = "hf/corpus.parquet"
QUERIES = "hf/queries.parquet"
TOP_RANKED = "hf/top_ranked.parquet"
ANNOTATIONS = "hf/annotations.parquet"
FILES = (
    FileNote(CORPUS, "the documents, as in `beir/corpus.jsonl`"),
    FileNote(QUERIES, "the queries, as in `beir/queries.jsonl`"),
    FileNote(
        f"{QRELS}<facet>-fold<number>.parquet",
        "final labels: `query-id`, `corpus-id`, `score`; folds {folds}",
        "labels: `query-id`, `corpus-id`, `score`; folds {folds}",
    ),
    FileNote(
        f"{QRELS}fold<number>.parquet",
        "final labels: `query-id`, `corpus-id`, `score`; folds {folds}",
        "labels: `query-id`, `corpus-id`, `score`; folds {folds}",
    ),
    FileNote(f"{QRELS}<facet>.parquet", "final labels: `query-id`, `corpus-id`, `score`"),
    FileNote(TOP_RANKED, "the documents with a label of each query, to be ranked again"),
    FileNote(ANNOTATIONS, "the rows of `annotations/ratings.csv`"),
)
QRELS_COLUMNS: Columns = {"query-id": TEXT, "corpus-id": TEXT, "score": INTEGER}
TOP_RANKED_COLUMNS: Columns = {"query-id": TEXT, "corpus-ids": TEXTS}
QUERY_COLUMNS: Columns = {
    "_id": TEXT,
    "text": TEXT,
    "facet": TEXT,
    "query_paper": TEXT,
    "title": TEXT,
    "sentences": TEXTS,
    "narrative": TEXT,
}
CORPUS_COLUMNS: Columns = {
    "_id": TEXT,
    "title": TEXT,
    "text": TEXT,
    "year": INTEGER,
    "venue": TEXT,
    "authors": TEXTS,
    "fields": TEXTS,
    "references": TEXTS,
    "sentence_ends": INTEGERS,
    "labels": TEXTS,
}
ANNOTATION_COLUMNS: Columns = {
    **dict.fromkeys(("query", "facet", "docno"), TEXT),
    "slot": INTEGER,
    "annotator": TEXT,
    "grade": INTEGER,
    "reason": TEXT,
    "sequence": INTEGER,
    "seconds": NUMBER,
    "presentation_digest": TEXT,
    "guideline": INTEGER,
    "aspects": TEXT,
}
ROUND_COLUMN: Columns = {"pool_round": INTEGER}  # only with a second pool round


def write(folder: DraftFolder, content: Content) -> Files:
    snapshot = content.snapshot
    files: Files = {**_write_labels(folder, snapshot)}
    if snapshot.query_texts:
        files[QUERIES] = write_parquet(folder, QUERY_COLUMNS, _query_rows(snapshot))
    if snapshot.options.texts.included:
        files[CORPUS] = write_parquet(folder, CORPUS_COLUMNS, map(_corpus_row, snapshot.documents))
    if len(snapshot.ratings):
        columns = ANNOTATION_COLUMNS | (ROUND_COLUMN if snapshot.rounds else {})
        rows = (rating[: len(columns)] for rating in snapshot.ratings)
        files[ANNOTATIONS] = write_parquet(folder, columns, rows)
    return files


def _write_labels(folder: DraftFolder, snapshot: Snapshot) -> dict[str, StoredFile]:
    """The qrels by facet and fold, and the documents of each query."""
    top_ranked = ParquetDraft(folder, TOP_RANKED_COLUMNS)
    drafts: dict[str, ParquetDraft] = defaultdict(lambda: ParquetDraft(folder, QRELS_COLUMNS))
    for query, grouped in groupby(snapshot.labels, attrgetter("query")):
        labels = list(grouped)
        name = qrels_file(labels[0].facet, snapshot.folds.numbers.get(query))
        drafts[name].write((query, label.docno, label.grade) for label in labels)
        top_ranked.write([(query, [label.docno for label in labels])])
    return {name: draft.stored() for name, draft in (drafts | {TOP_RANKED: top_ranked}).items()}


def qrels_file(facet: str, fold: int | None) -> str:
    """The file with the labels of the facet's queries that this fold tests."""
    part = "no-fold" if fold is None else f"fold{fold}"
    return f"{QRELS}{facet}-{part}.parquet" if facet else f"{QRELS}{part}.parquet"


def _query_rows(snapshot: Snapshot) -> Iterator[tuple[Any, ...]]:
    """A topic has no facet and no query paper."""
    queries = {query.name: query for query in snapshot.queries}
    for text in snapshot.query_texts:
        query = queries[text.query]
        paper = "" if query.is_topic else query.query_paper
        yield (
            *(text.query, text.text, query.facet, paper),
            *(text.title, text.sentences, text.narrative),
        )


def _corpus_row(document: ReleasedDocument) -> tuple[Any, ...]:
    text, ends = joined(document.sentences)
    return (
        *(document.docno, document.title, text, document.year, document.venue),
        *(document.authors, document.fields, document.references, ends, document.labels),
    )


def check(data: ReleaseData) -> Iterator[Failure]:
    require_folder(data.bundle, FOLDER)
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise CannotCheck("needs pyarrow, which is not installed") from None
    qrels = [name for name, _ in varying_names(data.bundle, QRELS, ".parquet")]
    rows: Iterator[Row] = (
        (None, str(row["query-id"]), str(row["corpus-id"]), int(row["score"]))
        for name in qrels
        for row in read_parquet(data.bundle, name)
    )
    if qrels:
        yield from same_labels(data, QRELS.rstrip("/"), rows, set(data.labels))
    for name, wrong_ids in ((CORPUS, wrong_documents), (QUERIES, wrong_queries)):
        if name in data.bundle.names:
            ids = (str(row["_id"]) for row in read_parquet(data.bundle, name, ["_id"]))
            yield from wrong_ids(data, name, ids)
    if TOP_RANKED in data.bundle.names:
        ranked = read_parquet(data.bundle, TOP_RANKED)
        found = {str(row["query-id"]): sorted(row["corpus-ids"]) for row in ranked}
        for query, labels in data.labels.items():
            if found.get(query) != sorted(labels):
                reason = f"the documents of {query} are not those with a label."
                yield Failure(TOP_RANKED, None, reason)
    if ANNOTATIONS in data.bundle.names:
        yield from _wrong_annotations(data)


def _wrong_annotations(data: ReleaseData) -> Iterator[Failure]:
    columns = ["query", "docno", "slot", "annotator", "grade"]
    found = (
        tuple(row[column] for column in columns)
        for row in read_parquet(data.bundle, ANNOTATIONS, columns)
    )
    for line, rating in read_ratings(data.bundle):
        expected = (rating.query, rating.docno, rating.slot, rating.annotator, rating.grade)
        if next(found, None) != expected:
            reason = f"the row of {RATINGS}:{line} differs or is missing."
            yield Failure(ANNOTATIONS, None, reason)
            return
    if next(found, None) is not None:
        yield Failure(ANNOTATIONS, None, f"has more rows than {RATINGS}.")


def _loading(bundle: UnpackedBundle) -> str:
    name = next((name for name in (QUERIES, TOP_RANKED) if name in bundle.files), "")
    if not name:
        return ""
    return (
        "from datasets import load_dataset\n\n"
        f'rows = load_dataset("parquet", data_files="{bundle.folder}/{name}", split="train")\n'
        "print(rows[0])"
    )


LOADER = LayoutLoader("datasets", "datasets (Hugging Face)", _loading, (QUERIES, TOP_RANKED))
