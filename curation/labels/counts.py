"""The number of documents with labels, and where the labels come from."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import BooleanField, Count, Q
from django.db.models.expressions import RawSQL

from accounts.models import Collection
from corpus.models import Document, DocumentQuerySet
from curation.models import LabelRecord

# The words of the partial indexes in curation/rules.py. A condition with
# parameters would not use them, and a scan of the texts of 250,000 documents takes seconds.
_TABLE = Document._meta.db_table
WITHOUT_LABELS = f"{_TABLE}.labels = '[]' AND {_TABLE}.sentences <> '[]'"
WITHOUT_TEXT = f"{_TABLE}.sentences = '[]'"


class LabellerCount(NamedTuple):
    """Documents with labels that a labeller predicted: how many, and how many of them checked."""

    labeller: str
    documents: int
    checked: int


class LabelCounts(NamedTuple):
    """Documents by where their labels come from. The first four add up to those with text.

    `checked` have labels that a person checked, whether predicted before or not. `labellers`
    counts predictions by labeller.
    """

    unlabelled: int
    imported: int
    predicted: int
    checked: int
    without_text: int
    labellers: tuple[LabellerCount, ...]

    @property
    def with_text(self) -> int:
        return self.unlabelled + self.imported + self.predicted + self.checked


def _where(condition: str) -> RawSQL:
    return RawSQL(condition, (), output_field=BooleanField())


def unlabelled_documents(collection: Collection) -> DocumentQuerySet:
    """Those with text and without labels."""
    documents: DocumentQuerySet = collection.documents.all()
    return documents.filter(_where(WITHOUT_LABELS))


def predicted_documents(collection: Collection, up_to: int) -> DocumentQuerySet:
    """Those with predicted labels that no person has checked, and a record up to the id `up_to`."""
    records = LabelRecord.objects.unchecked().filter(collection=collection, pk__lte=up_to)
    documents: DocumentQuerySet = collection.documents.all()
    return documents.filter(pk__in=records.values("document_id"))


def count_labels(collection: Collection) -> LabelCounts:
    """Four queries, none of which reads texts."""
    documents = collection.documents.order_by()
    rows = list(
        LabelRecord.objects.filter(collection=collection)
        .order_by("labeller")
        .values("labeller")
        .annotate(documents=Count("pk"), checked=Count("pk", filter=Q(checked_at__isnull=False)))
    )
    total = documents.count()
    without_text = documents.filter(_where(WITHOUT_TEXT)).count()
    # A checked document may have no label: the person left every sentence without one.
    unlabelled = unlabelled_documents(collection).filter(label_record=None).order_by().count()
    records = sum(row["documents"] for row in rows)
    checked = sum(row["checked"] for row in rows)
    return LabelCounts(
        unlabelled=unlabelled,
        imported=total - without_text - unlabelled - records,
        predicted=records - checked,
        checked=checked,
        without_text=without_text,
        labellers=tuple(LabellerCount(**row) for row in rows if row["labeller"]),
    )
