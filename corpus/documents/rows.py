"""Documents as database rows, and inserting very many of them.

`bulk_create` makes a model instance for each document and a statement with a few hundred parameters
for each hundred. That took most of an import's time. Here rows of plain values are inserted by one
prepared statement on SQLite and by COPY on PostgreSQL.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from json.encoder import encode_basestring_ascii
from typing import NamedTuple

from django.db import connection

from accounts.models import Collection
from corpus.digests import text_digest
from corpus.formats.document_lines import DocumentRecord
from corpus.models import Document
from database.bulk import insert_rows, large_cache
from database.natural_order import natural_key

COLUMNS = (
    *("docno", "title", "sentences", "labels", "digest"),
    *("year", "venue", "authors", "references", "fields"),
)
JSON_COLUMNS = frozenset({"sentences", "labels", "authors", "references", "fields"})
# Values in the order of COLUMNS, lists as JSON.
Row = tuple[str, str, str, str, str, int | None, str, str, str, str]
ANALYZE_FROM = 5_000  # new documents; PostgreSQL's statistics are out of date after so many


def row_of(record: DocumentRecord) -> Row:
    return (
        record.docno,
        record.title,
        _json_list(record.sentences),
        _json_list(record.labels),
        record.digest,
        record.year,
        record.venue,
        _json_list(record.authors),
        _json_list(record.references),
        _json_list(record.fields),
    )


def with_labels(row: Row, labels: Sequence[str]) -> Row:
    """The row with other labels."""
    docno, title, sentences, _, _, *rest = row
    digest = text_digest(title, json.loads(sentences), labels)
    return (docno, title, sentences, _json_list(labels), digest, *rest)  # type: ignore[return-value]


def _json_list(texts: Sequence[str]) -> str:
    """The same text as `json.dumps` and Django's JSONField give, several times faster."""
    return f"[{', '.join(map(encode_basestring_ascii, texts))}]"


def columns_of(row: Row) -> Mapping[str, object]:
    """The columns that an update of the row's document sets."""
    pairs = zip(COLUMNS, row, strict=True)
    return {
        name: json.loads(str(value)) if name in JSON_COLUMNS else value
        for name, value in pairs
        if name != "docno"
    }


class StoredDocument(NamedTuple):
    """A document in the database without its text, to compare with a row."""

    pk: int
    digest: str
    year: int | None
    venue: str
    authors: list[str]
    references: list[str]
    fields: list[str]

    def equals(self, row: Row) -> bool:
        *_, digest, year, venue, authors, references, fields = row
        return (self.digest, self.year, self.venue) == (digest, year, venue) and (
            [self.authors, self.references, self.fields]
            == [json.loads(authors), json.loads(references), json.loads(fields)]
        )


def stored_documents(collection: Collection, docnos: Sequence[str]) -> dict[str, StoredDocument]:
    columns = ("docno", "pk", *COLUMNS[4:])
    rows = collection.documents.filter(docno__in=docnos).values_list(*columns)
    return {docno: StoredDocument(*values) for docno, *values in rows}


class DocumentInserter:
    """Inserts new documents in batches, inside the caller's transactions.

    Raises IntegrityError if a row violates a constraint.
    """

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._cache = large_cache()

    def __enter__(self) -> DocumentInserter:
        self._cache.__enter__()
        return self

    def __exit__(self, *exc: object) -> None:
        self._cache.__exit__(None, None, None)

    def add(self, rows: Sequence[Row]) -> None:
        if not rows:
            return
        full_rows = ((self._collection.pk, natural_key(row[0]), *row) for row in rows)
        insert_rows(Document, ("collection", "docno_order", *COLUMNS), full_rows)

    def analyze(self, created: int) -> None:
        """Update PostgreSQL's statistics of the table.

        Autovacuum does so minutes later. Until then a lookup of a docno reads the whole collection.
        """
        if connection.vendor == "postgresql" and created >= ANALYZE_FROM:
            with connection.cursor() as cursor:
                cursor.execute(f"ANALYZE {connection.ops.quote_name(Document._meta.db_table)}")
