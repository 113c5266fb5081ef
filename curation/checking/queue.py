"""The abstracts whose labels are to be checked, in order, and what their page shows."""

from __future__ import annotations

import uuid
from collections.abc import Collection as Items
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from django.db.models import Count, Q

from accounts.models import Collection, User
from corpus.models import Document
from corpus.ordering import order_key
from corpus.services import labels_in
from curation.checking.boundaries import cut, lengths_of, origins, places_to_split
from curation.checking.services import record_of, state_digest
from curation.models import LabelRecord, LabelRecordQuerySet

AHEAD = 3  # abstracts that a page has ready; more would often be checked by another meanwhile
# Several people work on the first abstracts of the queue, each in an own order, so that two of them
# rarely have the same one open. A claim would need rows that go stale when a browser is closed.
WINDOW = 24
COUNTED_UP_TO = 10_000
IN_FROZEN_POOL = Q(document__candidacies__pool__frozen_at__isnull=False)


class CheckProgress(NamedTuple):
    """`papers` are query papers with a record; `left` are other unchecked abstracts."""

    papers: int
    papers_checked: int
    left: int

    @property
    def words(self) -> str:
        more = " or more" if self.left == COUNTED_UP_TO else ""
        left = f"{self.left:,}{more} left"
        if not self.papers:
            return left
        return f"{self.papers_checked:,} of {self.papers:,} query papers checked · {left}"

    @property
    def is_done(self) -> bool:
        return self.papers_checked == self.papers and not self.left


class ShownSentence(NamedTuple):
    """`confidence` is in percent, or None without a prediction; `places` are where it may split."""

    text: str
    label: str
    length: int
    predicted: str
    confidence: int | None
    was_corrected: bool
    places: list[tuple[int, str]]


@dataclass(frozen=True)
class ShownAbstract:
    """An abstract as its page shows it. `seen` proves which text that was."""

    document: Document
    sentences: list[ShownSentence]
    labels: list[str]  # to choose from
    record: LabelRecord | None
    is_query_paper: bool
    is_frozen: bool
    seen: str
    key: uuid.UUID = field(default_factory=uuid.uuid4)

    @property
    def is_checked(self) -> bool:
        return self.record is not None and self.record.is_checked


def next_documents(
    collection: Collection, person: User, *, without: Items[int] = ()
) -> list[Document]:
    """The next few documents to check: query papers first, then by lowest confidence.

    `without` are the ids of documents that the page has already.
    """
    records = list(_query_papers(collection).exclude(document__in=without)[:WINDOW])
    records = _in_own_order(collection, person, records)
    if len(records) < AHEAD:
        others = _others(collection).exclude(document__in=without)[:WINDOW]
        records += _in_own_order(collection, person, others)
    return [record.document for record in records[:AHEAD]]


def _query_papers(collection: Collection) -> LabelRecordQuerySet:
    papers = LabelRecord.objects.unchecked().filter(document__query_paper__collection=collection)
    return papers.select_related("document").order_by("lowest_confidence", "pk")


def _others(collection: Collection) -> LabelRecordQuerySet:
    """Unchecked records of other documents whose labels can still change.

    The query papers are a list of ids and not a join: PostgreSQL expects almost no row of such a
    join, and so it sorted all records, which took 4 s for 250,000 instead of following the index.
    """
    papers = collection.query_papers.filter(document__isnull=False).values("document")
    unchecked = LabelRecord.objects.unchecked().filter(collection=collection)
    others = unchecked.exclude(document__in=papers).exclude(IN_FROZEN_POOL)
    return others.select_related("document").order_by("lowest_confidence", "pk")


def _in_own_order(
    collection: Collection, person: User, records: Iterable[LabelRecord]
) -> list[LabelRecord]:
    purpose = f"checking:{person.username}"
    return sorted(
        records,
        key=lambda record: order_key(collection.seed, purpose, "", record.document.docno),
    )


def progress(collection: Collection) -> CheckProgress:
    papers = LabelRecord.objects.filter(document__query_paper__collection=collection)
    counts = papers.aggregate(total=Count("pk"), checked=Count("checked_at"))
    left = _others(collection).order_by()[:COUNTED_UP_TO].count()
    return CheckProgress(counts["total"], counts["checked"], left)


def checked_before(collection: Collection, person: User, document_id: int) -> Document | None:
    """The document that the person checked last; from a checked document, the one before it."""
    own = _checked_by(collection, person)
    here = own.filter(document=document_id).first()
    if here is not None:
        own = own.filter(checked_at__lt=here.checked_at)
    record = own.first()
    return record.document if record else None


def last_checked(collection: Collection, person: User, number: int) -> list[LabelRecord]:
    return list(_checked_by(collection, person)[:number])


def _checked_by(collection: Collection, person: User) -> LabelRecordQuerySet:
    """The newest first."""
    own = LabelRecord.objects.filter(collection=collection, checked_by=person)
    return own.select_related("document").order_by("-checked_at", "-pk")


def shown_abstract(
    collection: Collection,
    document: Document,
    lengths: Sequence[int] | None = None,
    labels: Sequence[str] | None = None,
) -> ShownAbstract:
    """The abstract with its labels, or with other boundaries and labels that are not saved yet.

    Raises:
        ValueError: the lengths are not those of the text.
    """
    record = record_of(document)
    before = lengths_of(document.sentences)
    lengths = before if lengths is None else lengths
    padded = [*document.labels, *[""] * (len(before) - len(document.labels))]
    kept = origins(before, lengths)
    labels = [padded[number] for number in kept] if labels is None else labels
    return ShownAbstract(
        document=document,
        sentences=_shown_sentences(cut(document.sentences, lengths), labels, kept, record),
        labels=list(dict.fromkeys([*labels_in(collection), *filter(None, padded)])),
        record=record,
        is_query_paper=collection.query_papers.filter(document=document).exists(),
        is_frozen=is_frozen(document),
        seen=state_digest(document, record),
    )


def is_frozen(document: Document) -> bool:
    """Return whether the document is in a frozen pool, as a candidate or a query paper.

    Pools belong to an app above this one, so they are asked for by the names of the relations.
    """
    frozen = Q(query_paper__pool__frozen_at__isnull=False)
    frozen |= Q(candidacies__pool__frozen_at__isnull=False)
    return Document.objects.filter(frozen, pk=document.pk).exists()


def _shown_sentences(
    sentences: Sequence[str],
    labels: Sequence[str],
    kept: Sequence[int],
    record: LabelRecord | None,
) -> list[ShownSentence]:
    predicted = [""] * len(kept)
    confidences: list[int | None] = [None] * len(kept)
    if record and record.predicted_labels:
        predicted = [record.predicted_labels[number] for number in kept]
        confidences = [round(100 * record.confidences[number]) for number in kept]
    return [
        ShownSentence(
            text=text,
            label=label,
            length=length,
            predicted=predicted[number],
            confidence=confidences[number],
            was_corrected=bool(predicted[number]) and predicted[number] != label,
            places=places_to_split(text),
        )
        for number, (text, label, length) in enumerate(
            zip(sentences, labels, lengths_of(sentences), strict=True)
        )
    ]
