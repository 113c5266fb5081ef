"""Documents as rows: how a record becomes one, and how many are written at once.

`bulk_create` makes a model instance of every document and a statement of a few hundred parameters
for every hundred of them, which took most of an import's time. Rows of plain values go in through
one prepared statement on SQLite, and through COPY on PostgreSQL.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from json.encoder import encode_basestring_ascii
from typing import Any, NamedTuple

from django.db import connection

from accounts.models import Collection
from corpus.formats import DocumentRecord
from corpus.models import Document
from database.bulk import insert_rows

COLUMNS = (
    *("docno", "title", "sentences", "labels", "digest"),
    *("year", "venue", "authors", "references", "fields"),
)
JSON_COLUMNS = frozenset({"sentences", "labels", "authors", "references", "fields"})
# Values in the order of COLUMNS, lists as JSON.
Row = tuple[str, str, str, str, str, int | None, str, str, str, str]
MANY = 5_000  # new documents; what a database knows of its tables is out of date after them
SQLITE_CACHE = -131_072  # KiB: 128 MiB, so that inserting into the index of docnos stays in memory


def row_of(record: DocumentRecord) -> Row:
    return (
        record.docno,
        record.title,
        _spelled(record.sentences),
        _spelled(record.labels),
        record.digest,
        record.year,
        record.venue,
        _spelled(record.authors),
        _spelled(record.references),
        _spelled(record.fields),
    )


def _spelled(texts: Sequence[str]) -> str:
    """As `json.dumps`, and so Django's JSONField, spells a list of texts; several times faster."""
    return f"[{', '.join(map(encode_basestring_ascii, texts))}]"


def columns_of(row: Row) -> dict[str, Any]:
    """What an update of the row's document sets."""
    pairs = zip(COLUMNS, row, strict=True)
    return {
        name: json.loads(str(value)) if name in JSON_COLUMNS else value
        for name, value in pairs
        if name != "docno"
    }


class Held(NamedTuple):
    """What tells whether a stored document is what a row says, without loading its text."""

    pk: int
    is_topic: bool
    digest: str
    year: int | None
    venue: str
    authors: list[str]
    references: list[str]
    fields: list[str]

    def says(self, row: Row) -> bool:
        *_, digest, year, venue, authors, references, fields = row
        return (self.digest, self.year, self.venue) == (digest, year, venue) and (
            [self.authors, self.references, self.fields]
            == [json.loads(authors), json.loads(references), json.loads(fields)]
        )


def held(collection: Collection, docnos: Sequence[str]) -> dict[str, Held]:
    wanted = ("docno", "pk", "is_topic", *COLUMNS[4:])
    rows = collection.documents.filter(docno__in=docnos).values_list(*wanted)
    return {docno: Held(*rest) for docno, *rest in rows}


class Inserting:
    """Writes new documents, batch after batch, inside the caller's transaction.

    Raises IntegrityError where a row breaks a constraint.
    """

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._cache = 0

    def __enter__(self) -> Inserting:
        self._cache = self._sqlite_cache(SQLITE_CACHE)
        return self

    def __exit__(self, *exc: object) -> None:
        self._sqlite_cache(self._cache)

    def _sqlite_cache(self, size: int) -> int:
        """Set the size of SQLite's cache; returns what it was."""
        if connection.vendor != "sqlite":
            return 0
        # Past Django, which lets nothing through any more once a statement has failed.
        sqlite: sqlite3.Connection = connection.connection
        (before,) = sqlite.execute("PRAGMA cache_size").fetchone()
        sqlite.execute(f"PRAGMA cache_size = {size}")
        return int(before)

    def add(self, rows: Sequence[Row]) -> None:
        if not rows:
            return
        owned = ((self._collection.pk, False, *row) for row in rows)
        insert_rows(Document, ("collection", "is_topic", *COLUMNS), owned)

    def settle(self, created: int) -> None:
        """Tell PostgreSQL what is in the table now.

        Until it looks for itself, minutes later, it reads the whole collection to find a docno.
        """
        if connection.vendor == "postgresql" and created >= MANY:
            with connection.cursor() as cursor:
                cursor.execute(f"ANALYZE {connection.ops.quote_name(Document._meta.db_table)}")
