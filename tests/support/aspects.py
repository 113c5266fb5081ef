"""Queries with several bold sentences, and judgments that say which of them a match is about."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from accounts.models import Collection
from annotation.models import Judgment, Opening, Pair, Slot
from annotation.services import Answer, open_query, presentation_of, submit_judgment
from corpus.models import Query
from corpus.services import create_query
from tests.support.factories import DocumentFactory, a_collection, a_pool, annotators

LABELS = ["background", "method", "method", "result", "method"]
SENTENCES = [f"Sentence {number} says {word}." for number, word in enumerate("abcde", start=1)]


def an_asking_collection(**settings: object) -> Collection:
    collection = a_collection(**settings)
    collection.marks_aspects = True
    collection.save(update_fields=["marks_aspects"])
    return collection


def a_query_with_aspects(collection: Collection, size: int = 3) -> Query:
    """A method query whose bold sentences are 2, 3 and 5, not yet open."""
    paper = DocumentFactory(collection=collection, sentences=SENTENCES, labels=LABELS)
    query = create_query(collection=collection, docno=paper.docno, facet_key="method")
    a_pool(query.query_paper, DocumentFactory.create_batch(size, collection=collection))
    return query


def an_open_query_with_aspects(
    collection: Collection, size: int = 3, names: Sequence[str] = ()
) -> Opening:
    query = a_query_with_aspects(collection, size)
    Query.objects.filter(pk=query.pk).update(aspect_names=list(names))
    query.refresh_from_db()
    return open_query(query=query, annotators=annotators(collection), opened_by=None)


STEPS = ("parse", "prune", "search")


def a_proposing_collection(proposes_grades: str = "all", **settings: object) -> Collection:
    collection = a_collection(**settings)
    collection.proposes_grades = proposes_grades
    collection.save(update_fields=["proposes_grades"])
    return collection


def an_open_query_with_steps(
    collection: Collection, size: int = 2, names: Sequence[str] = STEPS
) -> Opening:
    """The two first annotators of the collection judge it."""
    return an_open_query_with_aspects(collection, size, names)


def digest_of(slot: Slot) -> str:
    return presentation_of(slot.pair, slot.pair.query.opening.guideline.version).digest


def mark(slot: Slot, grade: int | None, *aspects: int, **changes: object) -> Judgment:
    """The annotator of the slot gives the grade, and says what it is about."""
    return submit_judgment(
        **{
            "slot_id": slot.pk,
            "annotator": slot.annotator,
            "answer": Answer(
                grade=grade, reason="" if grade is not None else "garbled", aspects=aspects
            ),
            "presentation_digest": digest_of(slot),
            "key": uuid.uuid4(),
            "supersedes": None,
            **changes,
        }
    )


def mark_both(
    pair: Pair, first: tuple[int | None, Sequence[int]], second: tuple[int | None, Sequence[int]]
) -> None:
    """Both annotators judge the pair."""
    for slot, (grade, aspects) in zip(pair.slots.order_by("number"), (first, second), strict=True):
        mark(slot, grade, *aspects)
