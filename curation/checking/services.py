"""Labels and sentence boundaries that a person has checked."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.locking import lock_collection
from accounts.models import Collection, User
from corpus.digests import json_digest, text_digest
from corpus.documents.importing import FROZEN_TEXT
from corpus.models import Document
from corpus.services import labels_in, note_documents_changed
from corpus.topics.queries import sentence_queries
from curation.checking.boundaries import lengths_of, origins, same_words
from curation.models import LabelRecord
from web.errors import UserFacingError
from web.words import count_noun


class LabelError(UserFacingError):
    """Labels or boundaries that cannot be saved. The message is for the person who sent them."""


class LabelsChanged(LabelError):
    """The document, or who checked it, changed since the page was shown."""

    status = 409


class FrozenText(LabelError):
    """The document is in a frozen pool, so its labels and boundaries cannot change."""

    status = 409


def record_of(document: Document) -> LabelRecord | None:
    return LabelRecord.objects.select_related("checked_by").filter(document=document).first()


def state_digest(document: Document, record: LabelRecord | None) -> str:
    """SHA-256 (hex) of the text, and of who checked its labels at what time.

    A page sends it back, so that no person overwrites what another has just saved.
    """
    checked_at = record.checked_at if record else None
    checked_by = record.checked_by_id if record else None
    return json_digest([document.digest, checked_by, checked_at and checked_at.timestamp()])


def check_labels(
    *,
    document: Document,
    labels: Sequence[str],
    checked_by: User,
    seen: str,
    sentences: Sequence[str] | None = None,
) -> LabelRecord:
    """Save the label of each sentence as checked by this person now; "" means no label.

    `seen` is the `state_digest` of what the page showed. `sentences` are the same words with other
    boundaries. Labels that stay as they are can be checked in a frozen pool, too. The same
    submission sent twice counts once.

    Raises:
        LabelsChanged: the document was changed or checked since the page was shown.
        FrozenText: it is in a frozen pool, and labels or boundaries would change.
        LabelError: the labels or the sentences are invalid.
    """
    try:
        with transaction.atomic():
            collection = lock_collection(document.collection)
            document.refresh_from_db(fields=["title", "sentences", "labels", "digest"])
            record = record_of(document)
            new_sentences = list(document.sentences if sentences is None else sentences)
            digest = text_digest(document.title, new_sentences, labels)
            if record and record.checked_by == checked_by and digest == document.digest:
                return record  # a repeated submission
            if seen != state_digest(document, record):
                raise LabelsChanged(_what_changed(document, record))
            _check_sentences(document, new_sentences)
            _check_labels(collection, document, new_sentences, labels)
            # Before the document: a change of its text deletes a record with another digest.
            record = _save_record(document, record, new_sentences, digest, checked_by)
            if digest != document.digest:
                Document.objects.filter(pk=document.pk).update(
                    sentences=new_sentences, labels=list(labels), digest=digest
                )
                document.refresh_from_db(fields=["sentences", "labels", "digest"])
                note_documents_changed(collection)
    except IntegrityError as error:
        if FROZEN_TEXT not in str(error):
            raise
        raise FrozenText(
            f"{document.docno} is in a frozen pool, so its labels and sentences cannot change. "
            "You can only save them as they were."
        ) from error
    return record


def _what_changed(document: Document, record: LabelRecord | None) -> str:
    if record and record.checked_by:
        what = f"{record.checked_by.shown_name} checked {document.docno}"
    else:
        what = f"{document.docno} changed"
    return f"{what} since this page was shown, so nothing was saved. Reload it and check again."


def _check_sentences(document: Document, sentences: Sequence[str]) -> None:
    """Raise LabelError if the boundaries cannot be these."""
    if list(sentences) == document.sentences:
        return
    if not same_words(document.sentences, sentences):
        raise LabelError(
            f"The sentences have other words than {document.docno}. Only boundaries can move."
        )
    if queries := sentence_queries(document):
        raise LabelError(
            f"{queries[0]} names sentences of {document.docno} by number, so boundaries cannot "
            "move. Remove the query, move the boundaries, and add it again."
        )


def _check_labels(
    collection: Collection, document: Document, sentences: Sequence[str], labels: Sequence[str]
) -> None:
    if len(labels) != len(sentences):
        raise LabelError(
            f"{document.docno} has {count_noun(len(sentences), 'sentence')}, "
            f"got {count_noun(len(labels), 'label')}. Send one label for each sentence."
        )
    known = labels_in(collection)
    # The document may have imported labels that its facets do not name. They can stay.
    unknown = set(labels) - {*known, *document.labels, ""}
    if unknown:
        raise LabelError(f"Unknown label {min(unknown)!r}. Use one of {', '.join(known)}.")


def _save_record(
    document: Document,
    record: LabelRecord | None,
    sentences: Sequence[str],
    digest: str,
    checked_by: User,
) -> LabelRecord:
    if record is None:
        record = LabelRecord(collection_id=document.collection_id, document=document)
    elif record.predicted_labels:
        kept = origins(lengths_of(document.sentences), lengths_of(sentences))
        record.predicted_labels = [record.predicted_labels[number] for number in kept]
        record.confidences = [record.confidences[number] for number in kept]
        record.lowest_confidence = min(record.confidences, default=record.lowest_confidence)
    record.digest = digest
    record.checked_by = checked_by
    record.checked_at = timezone.now()
    record.save()
    return record
