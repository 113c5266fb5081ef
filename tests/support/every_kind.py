"""A collection with every kind of row that a release can hold."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import F

from accounts.models import Collection, Role, User
from adjudication.claims.services import claim_pair
from adjudication.models import Case, JudgmentImport
from adjudication.services import Ruling
from annotation.guidelines.changes import apply_guideline
from annotation.guidelines.defaults import default_guideline
from annotation.guidelines.readings import record_reading
from annotation.models import Basis, Level
from annotation.qualifications.services import (
    give_qualification,
    record_measured,
    withdraw_qualification,
)
from annotation.services import Answer, open_query, reassign_seat, write_guideline
from corpus.documents.importing import import_documents
from corpus.models import Query
from corpus.services import create_query
from corpus.topics.queries import add_sentence_query, name_aspects
from jobs.context import DirectRun
from scoring.folds import Folds
from scoring.services import save_folds
from tests.support.factories import DocumentFactory, a_pool, a_topic, annotators, member
from tests.support.release_scenes import a_judged_collection, decide_pair, judge_all, slot_of
from tests.support.repeats import answer_repeat, repeats_of
from tests.support.sittings import judge, rate
from tests.support.training_scenes import train_with


def a_collection_of_every_kind(folder) -> Collection:
    """Beside the judged queries: topics, sentences, folds, a second guideline, unfinished work.

    Not released: drafts, other documents, and half of a pair's judgments.
    """
    collection = a_judged_collection(description="Ünïcode, “quotes” and\ntwo lines.")
    Collection.objects.filter(pk=collection.pk).update(
        corpus_licence="CC0-1.0", seconds_per_judgment=21.5, repeat_share=0.25
    )
    _import_more(collection, folder)
    judge(slot_of(collection, "q1_background", "d1", 1), 1)  # a revision
    decide_pair(collection, "q1_background", "d1", Ruling(grade=2))
    # It asked for aspects for a while, so some judgments have them.
    _ask_for_aspects(collection, True)
    _add_topic(collection)
    _add_sentences(collection)
    _ask_for_aspects(collection, False)
    _add_unfinished(collection)
    _add_qualifications(collection)
    _add_training(collection)
    _add_blind_ratings(collection)
    names = collection.queries.order_by("name").values_list("name", flat=True)
    numbers = {name: place % 2 + 1 for place, name in enumerate(names)}
    save_folds(collection=collection, folds=Folds(numbers, imported_from="official.json"))
    JudgmentImport.objects.create(
        collection=collection, files={"old.csv": "0" * 64}, judgments=3, decisions=1
    )
    collection.refresh_from_db()
    return collection


def _add_blind_ratings(collection: Collection) -> None:
    """Spot checks: one is graded, and one is open."""
    Collection.objects.filter(pk=collection.pk).update(spot_check_share=1)
    adjudicator = User.objects.get(username="adju")
    agreed, other, *_ = (
        Case.objects.waiting()
        .filter(query__collection=collection, first_grade=F("second_grade"))
        .order_by("query__name", "token")
    )
    rate(agreed.slots.get(number=1), adjudicator, 3)
    claim_pair(pair_id=other.pk, adjudicator=adjudicator)


def _ask_for_aspects(collection: Collection, asks: bool) -> None:
    Collection.objects.filter(pk=collection.pk).update(marks_aspects=asks)


def _import_more(collection: Collection, folder) -> None:
    path = folder / "more.jsonl"
    path.write_text(
        '{"docno": "=1+1", "title": "A formula", "abstract": "One. Two.", "year": 2001,'
        ' "authors": ["A. Author"], "venue": "V", "references": ["d1"], "fields": ["Physics"]}\n'
        '{"docno": "n2", "title": "", "abstract": ""}\n'
    )
    import_documents(collection=collection, path=path, name=path.name, work=DirectRun())


def _add_topic(collection: Collection) -> None:
    """A topic under a newer guideline, whose candidates are a formula and one without text."""
    facet = collection.facets.get(key="result")
    write_guideline(facet=facet, **default_guideline(facet, 3) | {"instructions": "Second."})
    query = a_topic(collection, name="t1", narrative="Only wings.", facet="result")
    documents = list(collection.documents.filter(docno__in=["=1+1", "d1"]).order_by("docno"))
    pool = a_pool(query.query_paper, documents)
    query.query_paper.metadata = {"paper type": "theory", "rating": "4.5"}
    query.query_paper.save()
    assert pool.candidates.count() == 2
    name_aspects(query=query, names=["lift", "the drag, too"])
    open_query(query=query, annotators=annotators(collection), opened_by=None)
    both = (Answer(grade=2, aspects=(1,)), Answer(grade=2, aspects=(1, 2)))
    judge_all(collection, {("t1_result", "=1+1"): (0, 3), ("t1_result", "d1"): both})
    decide_pair(collection, "t1_result", "=1+1", Ruling(reason="other", note="Secret."))
    write_guideline(facet=facet, **default_guideline(facet, 3) | {"instructions": "Third."})


def _add_sentences(collection: Collection) -> None:
    query = add_sentence_query(
        collection=collection, docno="q1", facet_key="method", sentences=[1, 3], name="aim"
    )
    open_query(query=query, annotators=annotators(collection)[::-1], opened_by=None)
    about_3 = Answer(grade=2, aspects=(3,))
    grades = {"d1": (0, 0), "d2": (0, about_3), "d3": (1, 1)}
    judge_all(collection, {(query.name, docno): both for docno, both in grades.items()})


def _apply_another_guideline(query: Query, readers: Iterable[User]) -> None:
    """Its first judgments keep the version that they were made under."""
    text = default_guideline(query.facet, 3) | {"instructions": "Clearer."}
    second = write_guideline(facet=query.facet, **text)
    apply_guideline(
        collection=query.collection,
        queries=[query.name],
        guideline=second,
        reason="Clearer.",
        judge_again=False,
        made_by=None,
    )
    for reader in readers:
        record_reading(second, reader)


def _add_training(collection: Collection) -> None:
    """A set with gold from a file, which an annotator has finished, of a query that is not open."""
    DocumentFactory(collection=collection, docno="q4")
    query = create_query(collection=collection, docno="q4", facet_key="background")
    docnos = ["d1", "d2", "d3", "d4", "=1+1"]
    train_with(collection, query, annotators(collection)[0], docnos=docnos)


def _add_qualifications(collection: Collection) -> None:
    """A measured one, and one that was given and withdrawn."""
    first, second = annotators(collection)
    record_measured(
        collection=collection,
        person=first,
        level=Level.JUDGE,
        basis=Basis.TRAINING,
        rho=0.625,
        pairs=24,
    )
    change = {"collection": collection, "person": second, "level": Level.JUDGE, "given_by": None}
    give_qualification(**change, reason="Known from before.")
    withdraw_qualification(**change, reason="Hurried.")


def _add_unfinished(collection: Collection) -> None:
    """Pairs of three annotators; a pair with one judgment, and one without."""
    DocumentFactory(collection=collection, docno="q3")
    create_query(collection=collection, docno="q3", facet_key="result")
    query = create_query(collection=collection, docno="q3", facet_key="background")
    documents = collection.documents.filter(docno__in=["d1", "d2", "d3", "d4"])
    a_pool(query.query_paper, list(documents.order_by("docno")))
    opening = open_query(query=query, annotators=annotators(collection), opened_by=None)
    judge_all(collection, {("q3_background", "d1"): (1, 1)})
    third = member(collection, Role.ANNOTATOR, "ann3")
    _apply_another_guideline(query, (*annotators(collection), third))
    judge(slot_of(collection, "q3_background", "d2", 1), 3)
    reassign_seat(opening=opening, number=2, annotator=third)
    judge(slot_of(collection, "q3_background", "d2", 2), 3)
    judge(slot_of(collection, "q3_background", "d3", 1), 2)
    for repeat in repeats_of(opening):
        answer_repeat(repeat, 1)
