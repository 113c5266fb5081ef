"""Small real objects of the room curation."""

from __future__ import annotations

from collections.abc import Sequence

from accounts.models import Collection
from corpus.models import Document
from curation.models import LabelRecord, Sample
from tests.support.factories import DocumentFactory


def a_label_record(document: Document, confidences: Sequence[float] = ()) -> LabelRecord:
    """The record of predicted labels that no person has checked; sure of each by default."""
    confidences = list(confidences) or [1.0] * len(document.sentences)
    return LabelRecord.objects.create(
        collection=document.collection,
        document=document,
        digest=document.digest,
        labeller="csabstruct-1",
        predicted_labels=document.labels,
        confidences=confidences,
        lowest_confidence=min(confidences),
    )


def a_sample(
    collection: Collection, documents: Sequence[Document] = (), name: str = "first"
) -> Sample:
    sample = collection.samples.create(name=name, per_stratum=20, seed="seed")
    for position, document in enumerate(documents, start=1):
        sample.papers.create(document=document, position=position)
    return sample


def ten_years(collection: Collection, *, year_without_text: int) -> Collection:
    """Ten documents from 2000 on, a year apart, and one without text."""
    for number in range(10):
        field = ["IR"] if number % 2 else ["NLP"]
        DocumentFactory(collection=collection, docno=f"p{number}", year=2000 + number, fields=field)
    DocumentFactory(
        collection=collection, docno="empty", year=year_without_text, sentences=[], labels=[]
    )
    return collection
