"""The table of documents, with the source of their labels."""

from __future__ import annotations

from operator import attrgetter

from django.db.models import Case, Q, Value, When

from corpus.documents.columns import COLUMNS
from corpus.models import Document
from web.tables.columns import Column, Table
from web.tables.filters import Filter, FilterChoice

LABELS = Column[Document]("labels", "Labels from", {"labels_from": attrgetter("labels_from")})
DOCUMENTS: Table[Document] = Table("documents", [*COLUMNS, LABELS])

# By the word for each source, and exclusive of each other.
SOURCES = {
    "imported": Q(label_record=None) & ~Q(labels=[]),
    "predicted": Q(label_record__isnull=False, label_record__checked_at=None),
    "checked": Q(label_record__checked_at__isnull=False),
    "none": Q(label_record=None, labels=[]) & ~Q(sentences=[]),
}
SOURCE = Filter(
    "labels",
    "Labels",
    [FilterChoice(word, word.capitalize(), test) for word, test in SOURCES.items()],
)


def labels_from() -> Case:
    """The word for the source of a document's labels in SQL; "" without text."""
    cases = [When(test, then=Value(word)) for word, test in SOURCES.items()]
    return Case(*cases, default=Value(""))
