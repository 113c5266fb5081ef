"""Predict the labels of a collection's sentences, in steps that a killed job keeps."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Max, QuerySet

from accounts.locking import lock_collection
from accounts.models import Collection, User
from corpus.digests import text_digest
from corpus.documents.importing import FROZEN_TEXT
from corpus.models import Document
from corpus.services import labels_in, note_documents_changed
from curation.errors import LabellingError
from curation.labelling.features import WordHashes
from curation.labelling.model import OTHER, PredictedLabels
from curation.labels.counts import predicted_documents, unlabelled_documents
from curation.labels.labellers import (
    BUILT_IN,
    check_encoder_allowed,
    check_facets_get_labels,
    embed_with,
    labeller_named,
    labels_of_labeller,
)
from curation.models import LabelRecord
from database.bulk import insert_rows, update_rows
from jobs.context import JobContext
from jobs.models import Job
from jobs.services import enqueue

JOB_KIND = "label_sentences"
UNLABELLED, PREDICTED = "unlabelled", "predicted"
ONLY = (UNLABELLED, PREDICTED)
STEP = 2_000  # documents in one transaction: the most that a kill can cost
RECORD_COLUMNS = (
    *("collection", "document", "digest", "labeller"),
    *("predicted_labels", "confidences", "lowest_confidence"),
)


Finder = Callable[[Collection], QuerySet[Document]]


class LabellingUnderWay(LabellingError):
    """A labeller is running, and another one would label the same documents."""

    status = 409

    def __init__(self, job: Job) -> None:
        super().__init__(
            f"The labeller {job.parameters['labeller']} is labelling sentences, so no other job "
            "was started. Wait until it is done, then try again."
        )


class UnlabelledText(NamedTuple):
    """A document to label, as it was when its labels were predicted."""

    pk: int
    title: str
    sentences: list[str]
    digest: str


class Labelled(NamedTuple):
    """A document with the labels to write."""

    text: UnlabelledText
    labeller: str
    labels: list[str]
    confidences: list[float]
    digest: str


@dataclass
class LabellingReport:
    """The result of a labelling job.

    `frozen` documents are in frozen pools, so their labels cannot change. `changed` documents got
    another text or labels of a person meanwhile. Both kept what they had.
    """

    labeller: str
    labelled: int = 0
    frozen: int = 0
    changed: int = 0


def request_labels(
    *,
    collection: Collection,
    labeller: str = BUILT_IN,
    only: str = UNLABELLED,
    requested_by: User | None,
) -> Job:
    """Queue a job that predicts labels. A live one of the collection is returned instead.

    Raises:
        LabellingError: as `predict_labels`, or an encoder that is not in the setting ENCODERS.
        LabellingUnderWay: the live job has another labeller or other documents.
    """
    _check_only(only)
    check_facets_get_labels(collection, labels_of_labeller(collection, labeller), labeller)
    check_encoder_allowed(labeller_named(collection, labeller).header.encoder)
    options = {"labeller": labeller or BUILT_IN, "only": only}
    job = enqueue(
        kind=JOB_KIND,
        collection=collection,
        parameters={**options, "up_to": last_record(collection)},
        requested_by=requested_by,
    )
    if {name: job.parameters[name] for name in options} != options:
        raise LabellingUnderWay(job)
    return job


def last_record(collection: Collection) -> int:
    """The id of the newest label record; 0 without one.

    Labels that are predicted again get new records. So a retry of a job that ends at this id leaves
    out the documents that the job has done.
    """
    return collection.label_records.aggregate(last=Max("pk"))["last"] or 0


def _check_only(only: str) -> None:
    if only not in ONLY:
        raise LabellingError(f"Unknown documents {only!r}. Use {' or '.join(ONLY)}.")


def predict_labels(
    *,
    collection: Collection,
    work: JobContext,
    labeller: str = BUILT_IN,
    only: str = UNLABELLED,
    up_to: int | None = None,
) -> LabellingReport:
    """Label the documents without labels, or those with unchecked predicted labels again.

    Of the latter, those with a record up to the id `up_to` (default: the newest). Labels that were
    imported or checked by a person never change. Labels of no facet become "other". Each step of
    documents is one transaction, so a retry continues after the last one.

    Raises:
        LabellingError: the collection has no facets, the labeller does not exist, or a facet would
            get no sentence.
        EncoderMissing: the labeller's encoder cannot be loaded.
    """
    _check_only(only)
    model = labeller_named(collection, labeller)
    check_facets_get_labels(collection, model.header.labels, labeller)
    embed = embed_with(model.header.encoder)
    report = LabellingReport(model.header.source)
    hashes = WordHashes()
    find = _finder(only, last_record(collection) if up_to is None else up_to)
    documents = find(collection).order_by("pk")
    done, total, last = 0, documents.count(), 0
    while texts := _texts(documents.filter(pk__gt=last)):
        work.progress(done, total, "documents labelled")
        predicted = model.predict([text.sentences for text in texts], hashes, embed)
        with work.fenced():
            _write(collection, texts, predicted, report, find)
        last = texts[-1].pk
        done += len(texts)
    with work.fenced():
        work.complete(asdict(report))
    return report


def count_to_label(
    *, collection: Collection, labeller: str = BUILT_IN, only: str = UNLABELLED
) -> int:
    """Count the documents that `predict_labels` would label now. Raises like it."""
    _check_only(only)
    model = labeller_named(collection, labeller)
    check_facets_get_labels(collection, model.header.labels, labeller)
    return _finder(only, last_record(collection))(collection).count()


def _finder(only: str, up_to: int) -> Finder:
    """The function that finds the documents of a collection to label."""
    if only == UNLABELLED:
        return unlabelled_documents
    return lambda collection: predicted_documents(collection, up_to)


def _texts(documents: QuerySet[Document]) -> list[UnlabelledText]:
    rows = documents.values_list("pk", "title", "sentences", "digest")[:STEP]
    return [UnlabelledText(*row) for row in rows]


def _write(
    collection: Collection,
    texts: Sequence[UnlabelledText],
    predicted: Sequence[PredictedLabels],
    report: LabellingReport,
    find: Finder,
) -> None:
    """Write the labels of those documents that are still to be labelled, in one transaction."""
    locked_collection = lock_collection(collection)
    first, last = texts[0].pk, texts[-1].pk
    same = find(locked_collection).filter(pk__range=(first, last))
    digests = dict(same.order_by().values_list("pk", "digest"))
    if find is unlabelled_documents:  # a person may have checked that a document has no label
        checked = LabelRecord.objects.checked().filter(document__in=digests)
        for document in checked.values_list("document_id", flat=True):
            del digests[document]
    known_labels = set(labels_in(locked_collection))
    rows = [
        _labelled(text, labels, known_labels, report.labeller)
        for text, labels in zip(texts, predicted, strict=True)
        if digests.get(text.pk) == text.digest
    ]
    written = _write_unfrozen(locked_collection, rows)
    report.changed += len(texts) - len(rows)
    report.frozen += len(rows) - written
    report.labelled += written
    if written:
        note_documents_changed(locked_collection)


def _labelled(
    text: UnlabelledText, predicted: PredictedLabels, known_labels: set[str], labeller: str
) -> Labelled:
    labels = [label if label in known_labels else OTHER for label in predicted.labels]
    digest = text_digest(text.title, text.sentences, labels)
    return Labelled(text, labeller, labels, predicted.confidences, digest)


def _write_unfrozen(collection: Collection, rows: Sequence[Labelled]) -> int:
    """Write the rows whose documents are not in frozen pools. Returns how many were written.

    Only the database knows which texts are frozen. So the rows are tried together, and by halves
    where one is refused: a few hundred frozen documents cost some thousand short statements.
    """
    if not rows:
        return 0
    try:
        with transaction.atomic():
            _write_rows(collection, rows)
    except IntegrityError as error:
        if FROZEN_TEXT not in str(error):
            raise
        if len(rows) == 1:
            return 0
        middle = len(rows) // 2
        halves = (rows[:middle], rows[middle:])
        return sum(_write_unfrozen(collection, half) for half in halves)
    return len(rows)


def _write_rows(collection: Collection, rows: Sequence[Labelled]) -> None:
    # Documents first: a changed digest deletes the record of the labels before.
    update_rows(
        Document,
        ("labels", "digest"),
        [(row.text.pk, json.dumps(row.labels, ensure_ascii=False), row.digest) for row in rows],
    )
    LabelRecord.objects.filter(document__in=[row.text.pk for row in rows]).delete()
    insert_rows(LabelRecord, RECORD_COLUMNS, [_record(collection, row) for row in rows])


def _record(collection: Collection, row: Labelled) -> tuple[Any, ...]:
    labels, confidences = json.dumps(row.labels, ensure_ascii=False), json.dumps(row.confidences)
    return (
        *(collection.pk, row.text.pk, row.digest, row.labeller),
        *(labels, confidences, min(row.confidences)),
    )
