"""A label record describes the text of its document as it is."""

from __future__ import annotations

import pytest

from corpus.models import Document
from curation.models import LabelRecord
from tests.support.curation import a_label_record
from tests.support.factories import DocumentFactory

pytestmark = pytest.mark.django_db


def test_other_labels_delete_the_record_of_the_old_ones(collection):
    document, other = DocumentFactory.create_batch(2, collection=collection)
    a_label_record(document)
    a_label_record(other)
    document.labels = ["method", "method", "result"]

    Document.objects.filter(pk=document.pk).update(
        labels=document.labels, digest=document.text_digest()
    )

    assert LabelRecord.objects.get().document == other


def test_a_record_with_the_new_digest_stays(collection):
    document = DocumentFactory(collection=collection)
    record = a_label_record(document)
    document.labels = ["method", "method", "result"]
    LabelRecord.objects.filter(pk=record.pk).update(digest=document.text_digest())

    Document.objects.filter(pk=document.pk).update(
        labels=document.labels, digest=document.text_digest()
    )

    assert LabelRecord.objects.filter(pk=record.pk).exists()
