"""Documents whose labels were predicted, without a labeller."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from accounts.models import Collection, User
from corpus.models import Document
from curation.checking.services import check_labels, record_of, state_digest
from curation.models import LabelRecord
from tests.support.factories import DocumentFactory


def predicted(
    document: Document, confidences: Sequence[float] = (0.9, 0.8, 0.7), labeller: str = "tiny-1"
) -> LabelRecord:
    """A record that says that the document's labels were predicted."""
    return LabelRecord.objects.create(
        collection=document.collection,
        document=document,
        digest=document.digest,
        labeller=labeller,
        predicted_labels=document.labels,
        confidences=list(confidences),
        lowest_confidence=min(confidences),
    )


def a_predicted_document(
    collection: Collection, confidences: Sequence[float] = (0.9, 0.8, 0.7), **document: Any
) -> Document:
    made: Document = DocumentFactory(collection=collection, **document)
    predicted(made, confidences)
    return made


def seen(document: Document) -> str:
    """What a page of the document sends back."""
    return state_digest(document, record_of(document))


def checked(document: Document, labels: Sequence[str], username: str = "admin") -> LabelRecord:
    """The person checks the labels as a page shows the document now."""
    person = User.objects.get(username=username)
    return check_labels(document=document, labels=labels, checked_by=person, seen=seen(document))
