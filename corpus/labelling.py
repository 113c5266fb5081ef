"""Sentence labels: predicting them, the order in which they are checked, and checking.

Labels decide which sentences a judge sees in bold, and a judgment carries the digest of what was shown. So the labels
of a document in an opened query stay, of the query paper and of candidates; they can only be confirmed.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.db.models import F, Q

from accounts.models import Collection
from accounts.services import lock_collection
from corpus.digests import json_digest
from corpus.labeller import LABELS, OTHER, load
from corpus.models import Document, DocumentQuerySet, Query
from jobs.work import Work, job
from web.errors import BadInput, Conflict

BATCH = 200  # documents, written in about 0.1 s, for which a judge on SQLite waits


@job("predict_labels")
def predict_labels(work: Work, *, again: bool = False) -> None:
    """Label the documents without labels; `again`: and those whose predicted labels nobody checked yet.

    The result counts `labelled`, and `kept`: those of opened queries, and of papers that would have no sentence of
    their query's facet.
    """
    check_facets(work.collection)
    labeller = load()
    wanted = to_predict(work.collection, again=again)
    free = wanted.not_opened()
    done, kept, total, last = 0, 0, free.count(), 0
    while batch := list(free.filter(pk__gt=last).order_by("pk").only("sentences")[:BATCH]):
        predicted = labeller.predict([document.sentences for document in batch])
        for document, (labels, certainties) in zip(batch, predicted, strict=True):
            document.labels, document.labels_predicted = labels, True
            document.certainties, document.certainty = certainties, min(certainties)
        with work.step():
            lock_collection(work.collection)
            still = set(free.filter(pk__in=[document.pk for document in batch]).values_list("pk", flat=True))
            papers = set(Query.objects.filter(document__in=batch).values_list("document", flat=True))
            changed = [
                document
                for document in batch
                if document.pk in still and not (document.pk in papers and unmarked_query(document, document.labels))
            ]
            fields = ["labels", "labels_predicted", "certainties", "certainty"]
            Document.objects.bulk_update(changed, fields)
        done, kept, last = done + len(changed), kept + len(still) - len(changed), batch[-1].pk
        work.progress(done, total, "documents labelled")
    with work.commit() as result:
        collection = lock_collection(work.collection)
        merge_objective(collection)
        result |= {"labelled": done, "kept": kept + wanted.count() - free.count()}


def merge_objective(collection: Collection) -> None:
    """An objective counts as background, as CSFCube has it: not where it is a facet, or judges saw a background."""
    is_seen = collection.queries.filter(facet="background", openings__isnull=False).exists()
    if "background" in collection.facets and "objective" not in collection.facets and not is_seen:
        collection.merged_labels.setdefault("objective", "background")
        collection.save(update_fields=["merged_labels"])


def unmarked_query(document: Document, labels: Sequence[str | None]) -> Query | None:
    """A query of the document's that none of these labels would mark a sentence of."""
    asked = document.queries.filter(sentence_numbers=[]).exclude(facet="")
    return next((query for query in asked if not document.collection.labels_of(query.facet) & {*labels}), None)


def to_predict(collection: Collection, *, again: bool) -> DocumentQuerySet:
    wanted = Q(labels=[]) | Q(labels_predicted=True) if again else Q(labels=[])
    return collection.documents.filter(wanted).exclude(sentences=[])


def check_facets(collection: Collection) -> None:
    """Raise BadInput where a facet would get no sentence."""
    if not collection.facets:
        raise BadInput(f"{collection} has no facets, so its sentences need no labels.")
    known = {*LABELS} - {OTHER}
    if without := [facet for facet in collection.facets if not known & collection.labels_of(facet)]:
        raise BadInput(
            f"Only {', '.join(sorted(known))} can be predicted, so no sentence would be labelled {without[0]}. "
            "Import documents with their labels."
        )


def to_check(collection: Collection) -> DocumentQuerySet:
    """Least certain first. Labels that came predicted, without a certainty, are last."""
    unchecked = collection.documents.unchecked().not_opened()
    return unchecked.order_by(F("certainty").asc(nulls_last=True), "pk")


def next_to_check(collection: Collection) -> Document | None:
    """Query papers come before all others: judges see their labels with each candidate."""
    waiting = to_check(collection)
    return waiting.filter(queries__isnull=False).first() or waiting.first()


def labels_to_choose(document: Document) -> list[str]:
    """The facets, what counts as one, `other`, and what the document has beside them ("": no label)."""
    collection = document.collection
    return list(dict.fromkeys([*collection.facets, *collection.merged_labels, OTHER, *document.labels]))


def labels_digest(document: Document) -> str:
    return json_digest(document.labels)


@transaction.atomic
def check_labels(*, document: Document, labels: Sequence[str | None], seen: str) -> None:
    """Save what a person says of each sentence. `seen` is the digest of the labels that the page showed."""
    document.collection = lock_collection(document.collection)
    document.refresh_from_db(fields=["sentences", "labels", "labels_predicted"])
    if len(labels) != len(document.sentences) or not {*labels} <= {*labels_to_choose(document)}:
        raise BadInput(f"Choose a label for each of the {len(document.sentences)} sentences of {document}.")
    if list(labels) != document.labels:
        if seen != labels_digest(document):
            raise Conflict(f"The labels of {document} changed after the page was loaded. Look at them again.")
        if not Document.objects.not_opened().filter(pk=document.pk).exists():
            raise Conflict(
                f"{document} is in an opened query: judges saw it with these labels, so they stay. "
                "You can only confirm them."
            )
        if query := unmarked_query(document, labels):
            raise Conflict(
                f"{query} asks for the sentences on {query.facet}, so label at least one {query.facet}, "
                "or delete the query first."
            )
    document.labels, document.labels_predicted = list(labels), False
    document.certainties, document.certainty = [], None
    document.save(update_fields=["labels", "labels_predicted", "certainties", "certainty"])
