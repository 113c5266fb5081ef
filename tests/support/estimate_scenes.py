"""Collections of which people judged some queries whole, with a model and two systems."""

from __future__ import annotations

from pathlib import Path

from accounts.models import Collection
from annotation.models import Slot
from annotation.services import open_queries
from corpus.ordering import random_number
from evaluation.models import ShadowJudge
from evaluation.prediction_powered.sample import random_order
from tests.support.factories import a_collection, a_query, annotators
from tests.support.label_scenes import a_shadow_judge, a_system
from tests.support.sittings import judge_at_once

QUERIES, DOCUMENTS = 30, 4


def an_opened_collection(queries: int = QUERIES) -> Collection:
    """Open queries of four documents, a good and a bad system, and nothing judged."""
    collection = a_collection()
    made = [a_query(collection, size=DOCUMENTS) for _ in range(queries)]
    open_queries(queries=made, annotators=annotators(collection), opened_by=None)
    lists = {
        query: sorted(grades, key=lambda docno, grades=grades: (-grades[docno], docno))
        for query, grades in final_labels(collection).items()
    }
    noise = {
        query: sorted(docnos, key=lambda docno, query=query: noise_of("list", query, docno))
        for query, docnos in lists.items()
    }
    a_system(collection, "good", lists)
    a_system(collection, "random", noise)
    return collection


def final_labels(collection: Collection) -> dict[str, dict[str, int]]:
    """The grades that people give, from 0 to 3."""
    slots = Slot.objects.of(collection).filter(number=1)
    labels: dict[str, dict[str, int]] = {}
    for query, docno in slots.values_list("pair__query__name", "pair__candidate__document__docno"):
        labels.setdefault(query, {})[docno] = int(4 * noise_of("grade", query, docno))
    return labels


def noise_of(purpose: str, query: str, docno: str) -> float:
    return random_number("scene", purpose, query, docno)


def random_queries(collection: Collection) -> list[str]:
    """All queries in their random order."""
    return random_order(collection.queries.values_list("name", flat=True), collection.seed)


def judge_whole(collection: Collection, queries: list[str]) -> None:
    labels = final_labels(collection)
    slots = Slot.objects.of(collection).filter(pair__query__name__in=queries, judgment=None)
    judge_at_once(
        (slot, labels[slot.pair.query.name][slot.pair.candidate.document.docno])
        for slot in slots.select_related("pair__query", "pair__candidate__document")
    )


def a_model(collection: Collection, folder: Path, *, is_good: bool = True) -> ShadowJudge:
    """Its labels are those of people, or random ones."""
    labels = {
        (query, docno): grade if is_good else int(4 * noise_of("model", query, docno))
        for query, grades in final_labels(collection).items()
        for docno, grade in grades.items()
    }
    return a_shadow_judge(collection, folder, labels=labels)
