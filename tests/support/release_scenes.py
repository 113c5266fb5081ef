"""A small collection with everything a release can hold, made through the services."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from accounts.models import Collection, User
from adjudication.models import Case, Decision
from adjudication.services import Ruling
from annotation.models import Slot
from annotation.services import open_query
from corpus.services import create_query
from pooling.services import freeze_pools
from tests.support.datasheets import answer_datasheet
from tests.support.factories import DocumentFactory, a_collection, a_pool, annotators
from tests.support.pooling_scenes import a_listed_collection, built
from tests.support.sittings import decide_case, judge, judge_at_once

CANNOT = None
POOLS = {"q1": ("d1", "d2", "d3"), "q2": ("d1", "d3", "d4")}
GRADES = {
    ("q1_background", "d1"): (0, 0),
    ("q1_background", "d2"): (2, 2),
    ("q1_background", "d3"): (1, 3),
    ("q1_method", "d1"): (3, 3),
    ("q1_method", "d2"): (1, 2),
    ("q1_method", "d3"): (0, CANNOT),
    ("q2_method", "d1"): (1, 1),
    ("q2_method", "d3"): (2, 2),
    ("q2_method", "d4"): (CANNOT, CANNOT),
}
RULINGS = {
    ("q1_background", "d3"): Ruling(grade=0),
    ("q1_method", "d2"): Ruling(grade=2),
    ("q1_method", "d3"): Ruling(grade=0, note="Secret thought about ann2"),
    ("q2_method", "d4"): Ruling(reason="garbled"),
}
QRELS = """\
q1_background 0 d1 0
q1_background 0 d2 2
q1_background 0 d3 0
q1_method 0 d1 3
q1_method 0 d2 2
q1_method 0 d3 0
q2_method 0 d1 1
q2_method 0 d3 2
"""


def an_opened_collection(*, backwards: bool = False, **settings) -> Collection:
    """Three open queries over two pools; nothing is judged yet."""
    step = -1 if backwards else 1
    collection = a_collection(**{"licence": "CC-BY-4.0", **settings})
    answer_datasheet(collection)
    documents = {
        docno: DocumentFactory(collection=collection, docno=docno)
        for docno in ["q1", "q2", "d1", "d2", "d3", "d4"][::step]
    }
    queries = [
        create_query(collection=collection, docno=docno, facet_key=facet)
        for docno, facet in [("q1", "method"), ("q1", "background"), ("q2", "method")][::step]
    ]
    for docno, pooled in list(POOLS.items())[::step]:
        pool = a_pool(documents[docno].query_paper, [documents[name] for name in pooled])
        for candidate in list(pool.candidates.all())[::step]:
            candidate.contributions.create(source="also", rank=7, score=0.1, drawn=False)
    for query in queries:
        open_query(query=query, annotators=annotators(collection), opened_by=None)
    return collection


def a_judged_collection(*, backwards: bool = False, **settings) -> Collection:
    """The same, judged and decided: ready to be released."""
    collection = an_opened_collection(backwards=backwards, **settings)
    judge_all(collection, GRADES, backwards=backwards)
    decide_all(collection, RULINGS, backwards=backwards)
    return collection


def judge_all(
    collection: Collection,
    grades: Mapping[tuple[str, str], tuple[int | None, int | None]],
    *,
    backwards: bool = False,
) -> None:
    """For slots without a judgment; `judge` also revises one."""
    slots = Slot.objects.of(collection).select_related("pair__query", "pair__candidate__document")
    by_place = {
        (slot.pair.query.name, slot.pair.candidate.document.docno, slot.number): slot
        for slot in slots
    }
    judge_at_once(
        (by_place[*key, number], grade)
        for key, both in in_order(grades.items(), backwards)
        for number, grade in in_order(enumerate(both, start=1), backwards)
    )


def in_order(items: Iterable, backwards: bool) -> list:
    return list(items)[:: -1 if backwards else 1]


def slot_of(collection: Collection, query: str, docno: str, number: int) -> Slot:
    return Slot.objects.of(collection).get(
        pair__query__name=query, pair__candidate__document__docno=docno, number=number
    )


def decide_all(
    collection: Collection, rulings: Mapping[tuple[str, str], Ruling], *, backwards: bool = False
) -> None:
    for key, ruling in in_order(rulings.items(), backwards):
        decide_pair(collection, *key, ruling)


def decide_pair(collection: Collection, query: str, docno: str, ruling: Ruling) -> Decision:
    case = Case.objects.cases().get(
        query__collection=collection, query__name=query, candidate__document__docno=docno
    )
    return decide_case(case, User.objects.get(username="adju"), ruling)


def a_judged_collection_with_runs() -> Collection:
    """Every candidate, drawn from two runs, has the grade 2."""
    collection = a_listed_collection()
    collection.licence = "CC0-1.0"
    collection.save()
    built(collection)
    freeze_pools(collection=collection)
    query = collection.queries.get()
    open_query(query=query, annotators=annotators(collection), opened_by=None)
    for slot in Slot.objects.filter(pair__query=query):
        judge(slot, 2)
    return collection
