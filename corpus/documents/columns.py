"""Columns, filters and rows of the table of documents, for `curation.labels.document_table`."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import NamedTuple

from django.db.models import Count, Q, QuerySet

from corpus.models import Document, DocumentQuerySet
from web.tables.columns import Column
from web.tables.filters import Filter, FilterChoice

CHUNK = 2_000
SCANNED_UP_TO = 200_000  # documents; scanning the text of more would make the page slow

COLUMNS: list[Column[Document]] = [
    Column("title", "Title", {"docno": attrgetter("docno"), "title": attrgetter("title")}),
    Column("year", "Year", {"year": attrgetter("year")}),
    Column("sentences", "Sentences", {"sentences": lambda document: len(document.sentences)}),
]
TEXT = Filter("text", "Text", [FilterChoice("none", "Without text", Q(sentences=[]))])
YEAR = Filter(
    "year",
    "Year",
    [
        FilterChoice("known", "Known", Q(year__isnull=False)),
        FilterChoice("unknown", "Unknown", Q(year=None)),
    ],
)


class Gaps(NamedTuple):
    """The numbers of documents without a text or a year; None in a corpus too large to scan."""

    text: int | None
    year: int | None

    @classmethod
    def of(cls, documents: DocumentQuerySet, total: int) -> Gaps:
        if total > SCANNED_UP_TO:
            return cls(None, None)
        counts = documents.aggregate(
            text=Count("pk", filter=Q(sentences=[])), year=Count("pk", filter=Q(year=None))
        )
        return cls(**counts)

    @property
    def filters(self) -> list[Filter[Q]]:
        """Those that leave something out. By year only where scanning is quick."""
        return [*([TEXT] if self.text != 0 else []), *([YEAR] if self.year else [])]


def document_lines(documents: QuerySet[Document]) -> Iterator[Document]:
    """The documents in their natural order, a few at a time."""
    columns = ("collection", "docno", "title", "year", "sentences")
    rows = documents.order_by("docno_order").only(*columns)
    return rows.iterator(chunk_size=CHUNK)
