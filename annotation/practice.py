"""Pilots and training: pairs that several people judge, and that never count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from django.db import transaction
from django.utils import timezone

from accounts.models import Collection, User, Verb
from accounts.record import record
from accounts.services import lock_collection
from annotation.models import Opening, Pair, Practice, Slot
from annotation.openings import give, make_pairs, refuse_unchecked_labels
from corpus.models import Document, Query
from corpus.ordering import order_key
from web.errors import BadInput, Conflict

Gold = Mapping[str, Mapping[str, int]]  # query: docno: grade


@transaction.atomic
def start_practice(
    *,
    collection: Collection,
    name: str,
    documents: Mapping[Query, Iterable[Document]],
    people: Sequence[User],
    gold: Gold | None = None,
    by: User | None,
    with_unchecked_labels: bool = False,
) -> Practice:
    """Give the documents of each query to all the people. With `gold` it is a training, else a pilot."""
    lock_collection(collection)
    if not with_unchecked_labels:
        refuse_unchecked_labels(collection, documents)
    if len(people) < (1 if gold else 2):
        raise BadInput("Choose somebody to train." if gold else "A pilot needs at least two people.")
    if collection.practices.filter(name=name).exists():
        raise BadInput(f"There is a practice “{name}” already. Choose another name.")
    for person in people:
        if not collection.memberships.judging().filter(user=person).exists():
            raise BadInput(f"{person} is not an annotator of {collection}. Make them one on the People page.")
    slots = Slot.objects.filter(judge__in=people, pair__query__in=documents).select_related("judge", "pair__query")
    if slot := slots.live().first():
        raise Conflict(f"{slot.judge} judges {slot.pair.query.name} already. Choose another query or person.")
    if slot := slots.without_past_practice().first():
        raise Conflict(f"{slot.judge} has another practice on {slot.pair.query.name}. Close it first.")
    practice = Practice.objects.create(collection=collection, name=name, gold=gold or {})
    for query, several in documents.items():
        opening = Opening.objects.create(query=query, practice=practice)
        with_text = [document for document in several if document.title or document.sentences]
        give(query, make_pairs(opening, with_text, counts=False), people)
    if not Pair.objects.filter(opening__practice=practice).exists():
        raise BadInput("None of these queries has a document with a text, so there is nothing to practise on.")
    record(Verb.OPENED, collection=collection, object=practice.name, by=by)
    return practice


@transaction.atomic
def close_practice(*, practice: Practice) -> None:
    """End it, judged or not. It leaves everybody's list; its results stay."""
    lock_collection(practice.collection)
    practice.openings.filter(closed_at=None).update(closed_at=timezone.now())
    record(Verb.CLOSED, collection=practice.collection, object=practice.name)


def pilot_documents(collection: Collection, queries: Iterable[Query], number: int) -> dict[Query, list[Document]]:
    """A random `number` of each query's pooled documents, frozen or drafted."""
    found = {}
    for query in queries:
        pooled = Document.objects.filter(candidates__pool__query=query).distinct()
        found[query] = sorted(pooled, key=lambda each: _key(collection, query, each.docno))[:number]
    return found


def balanced_gold(collection: Collection, queries: Iterable[Query], number: int) -> dict[str, dict[str, int]]:
    """Of each query's labels a random `number`, grade by grade in turn: most of a pool is unrelated."""
    gold: dict[str, dict[str, int]] = {}
    for query in queries:
        labelled = Pair.objects.filter(query=query, counts=True).labelled().exclude(final=None)
        by_grade: dict[int, list[str]] = {grade: [] for grade in range(len(collection.grades))}
        rows = labelled.values_list("document__docno", "final")
        for docno, final in sorted(rows, key=lambda row: _key(collection, query, row[0])):
            by_grade[final or 0].append(docno)
        places = [(place, grade, docno) for grade, docnos in by_grade.items() for place, docno in enumerate(docnos)]
        if chosen := sorted(places)[:number]:
            gold[query.name] = {docno: grade for _, grade, docno in chosen}
    if not gold:
        raise BadInput("None of these queries has a final label yet.")
    return gold


def gold_documents(collection: Collection, gold: Gold) -> dict[Query, list[Document]]:
    """The queries and documents of gold grades. Raises BadInput for what the collection does not have."""
    found = {}
    for name, grades in gold.items():
        query = collection.queries.select_related("document").filter(name=name).first()
        if query is None:
            raise BadInput(f"{collection} has no query {name!r}.")
        found[query] = list(collection.documents.filter(docno__in=grades))
        if missing := sorted(grades.keys() - {document.docno for document in found[query]}):
            raise BadInput(f"{collection} has no document {missing[0]!r}, which has a grade for {name}.")
    return found


def _key(collection: Collection, query: Query, docno: str) -> str:
    return order_key(collection.seed, "practice", query.name, docno)
