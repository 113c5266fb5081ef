"""The texts of a release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.models import Collection
from bundle.options import Texts
from bundle.records import ReleasedDocument
from corpus.models import Document
from database.consistent_reads import batched
from pooling.models import Candidate
from release.snapshot.stored_records import Row, StoredRecords

DOCUMENTS_TOGETHER = 2000
COLUMNS = ("docno", "title", "sentences", "labels", "year", "venue", "authors", "references")


def stored_documents(collection: Collection, texts: Texts) -> StoredRecords[ReleasedDocument]:
    """The documents of the release by docno; without texts, only their docnos."""
    return StoredRecords(_rows(_documents(collection, texts), texts), _as_document)


def unpooled_documents(
    collection: Collection, docnos: Iterable[str], texts: Texts
) -> StoredRecords[ReleasedDocument]:
    """Those of the docnos that `stored_documents` leaves out."""
    wanted = set(docnos)
    pooled = _documents(collection, texts).order_by().values_list("docno", flat=True)
    others = sorted(wanted.difference(pooled.iterator())) if wanted else []
    rows = (
        row
        for some in batched(others, DOCUMENTS_TOGETHER)
        for row in _rows(collection.documents.filter(docno__in=some), texts)
    )
    return StoredRecords(rows, _as_document)


def _rows(documents: QuerySet[Document], texts: Texts) -> Iterator[Row]:
    documents = documents.order_by()
    keys = [pk for _, pk in sorted(documents.values_list("docno", "pk"))]
    for some in batched(keys, DOCUMENTS_TOGETHER):
        rows = Document.objects.filter(pk__in=some).order_by().values_list(*COLUMNS, "fields")
        for row in sorted(rows):
            yield row if texts.included else (row[0], "", (), (), None, "", (), (), ())


def _documents(collection: Collection, texts: Texts) -> QuerySet[Document]:
    if texts is Texts.CORPUS:
        return collection.documents.all()
    pooled = Candidate.objects.filter(
        pool__frozen_at__isnull=False, pool__query_paper__collection=collection
    ).order_by()
    return collection.documents.filter(
        Q(pk__in=pooled.values("document")) | Q(query_paper__isnull=False)
    )


def _as_document(row: Row) -> ReleasedDocument:
    docno, title, sentences, labels, year, venue, *lists = row
    return ReleasedDocument(
        docno, title, tuple(sentences), tuple(labels), year, venue, *map(tuple, lists)
    )


def count_documents(collection: Collection, texts: Texts) -> int:
    """The documents whose texts or ids are in a release.

    It looks at each document of the collection, which takes a tenth of a second for 100,000. So the
    page of the gate, which is opened often, does not ask for it.
    """
    if texts is Texts.CORPUS:
        return collection.documents.count()
    frozen = Candidate.objects.filter(pool__frozen_at__isnull=False).order_by()
    pooled = collection.documents.filter(Exists(frozen.filter(document=OuterRef("pk"))))
    papers = collection.query_papers.filter(document__isnull=False).exclude(
        Exists(frozen.filter(document=OuterRef("document")))
    )
    return pooled.count() + papers.count()
