"""What the gate finds by counts is what an oracle finds by reading everything, in each state."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Collection
from adjudication.models import Recipient
from adjudication.services import Ruling
from agreement.services import AgreementReport
from annotation.models import Opening
from annotation.services import open_query
from bundle.findings import Finding
from bundle.options import ReleaseOptions, Texts
from corpus.models import Document, Facet, Query
from corpus.services import create_query
from pooling.models import Contribution
from release.gate.answers import SHOWN
from release.services import find_faults
from release.snapshot import take_snapshot
from release.snapshot.documents import count_documents
from reports.services import compute_report
from tests.support.factories import (
    DocumentFactory,
    a_pool,
    a_query,
    annotators,
)
from tests.support.gate_oracle import Answers, answers_of, asked, read
from tests.support.release_scenes import (
    GRADES,
    a_judged_collection,
    an_opened_collection,
    decide_pair,
    judge_all,
    slot_of,
)
from tests.support.rounds import top_up
from tests.support.rules import rule_suspended
from tests.support.sittings import judge, refer
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.may_differ]


def opened_over(collection: Collection, paper: str, docnos: list[str], facet="method") -> Query:
    """An open query over these documents; those that do not exist are made."""
    for docno in {paper, *docnos}:
        if not collection.documents.filter(docno=docno).exists():
            DocumentFactory(collection=collection, docno=docno)
    query = create_query(collection=collection, docno=paper, facet_key=facet)
    found = {document.docno: document for document in collection.documents.all()}
    a_pool(query.query_paper, [found[docno] for docno in docnos])
    open_query(query=query, annotators=annotators(collection), opened_by=None)
    return query


def labelled_over(collection: Collection, paper: str, docnos: list[str]) -> Query:
    query = opened_over(collection, paper, docnos)
    judge_all(collection, {(query.name, docno): (2, 2) for docno in docnos})
    return query


def nothing(collection):
    pass


def no_licence(collection):
    Collection.objects.filter(pk=collection.pk).update(licence="  ")


def a_revised_judgment(collection):
    judge(slot_of(collection, "q1_method", "d2", 1), 0)


def a_pair_agreed_after_its_decision(collection):
    judge(slot_of(collection, "q1_method", "d2", 1), 2)


def a_decision_set_aside(collection):
    judge(slot_of(collection, "q1_method", "d2", 1), 0)
    decide_pair(collection, "q1_method", "d2", Ruling(reason="garbled"))


def a_set_aside_pair_decided_again(collection):
    decide_pair(collection, "q2_method", "d4", Ruling(grade=1))


def a_graded_pair_set_aside_later(collection):
    decide_pair(collection, "q1_method", "d2", Ruling(reason="language"))


def a_set_aside_pair_judged_again(collection):
    for number in (1, 2):
        judge(slot_of(collection, "q2_method", "d4", number), 3)


def unopened_queries(collection):
    for docno in ("q1", "q2"):
        create_query(collection=collection, docno=docno, facet_key="result")


def unopened_candidates(collection):
    """Of two queries, one of which is opened for them."""
    for name in ("q1_background", "q2_method"):
        top_up(Opening.objects.get(query__collection=collection, query__name=name), 2)


def unjudged_pairs(collection):
    opened_over(collection, "q9", ["d4", "d1", "d3"])


def half_judged_pairs(collection):
    query = opened_over(collection, "q9", ["d4", "d1", "d3"])
    for docno in ("d1", "d4"):
        judge(slot_of(collection, query.name, docno, 2), 1)


def many_faults(collection):
    """More than are named, in more queries than that, and names in an order of their own."""
    for number in range(SHOWN + 5):
        query = opened_over(collection, f"m{number}", ["d1", "ﬀ", "𝔸", "Z", "a", "é"])
        judge_all(collection, {(query.name, "d1"): (0, 3), (query.name, "é"): (0, 3)})
        a_query(collection)


def own_query_paper(collection):
    labelled_over(collection, "q9", ["d1", "q9"])


def own_query_paper_not_labelled(collection):
    query = opened_over(collection, "q9", ["d1", "q9"])
    judge_all(collection, {(query.name, "q9"): (0, 3)})


def no_source(collection):
    opened = a_query(collection, size=2)
    lost = Contribution.objects.filter(candidate__pool=opened.query_paper.pool)
    docnos = list(lost.values_list("candidate__document__docno", flat=True))
    lost.delete()
    open_query(query=opened, annotators=annotators(collection), opened_by=None)
    judge_all(collection, {(opened.name, docnos[0]): (1, 1), (opened.name, docnos[1]): (1, 2)})


def white_space(collection):
    labelled_over(collection, "q9", ["two words", "ideographic\u3000space", "d1"])


def white_space_not_labelled(collection):
    opened_over(collection, "q9", ["two words"])
    DocumentFactory(collection=collection, docno="in no pool")


def white_space_in_a_query(collection):
    labelled_over(collection, "one paper", ["d1", "d2"])


def facet_all(collection):
    with rule_suspended("facet_stays_once_opened", "corpus_facet"):
        collection.facets.filter(key="result").update(key="all")


def changed(rule: str, model: type, which: dict, values: dict) -> Callable:
    """Change a row that a rule protects."""

    def change(collection):
        with rule_suspended(rule, model._meta.db_table):
            model.objects.filter(collection=collection, **which).update(**values)

    return change


def another_paper(collection):
    other = DocumentFactory(collection=collection, docno="q3", title="Other")
    with rule_suspended("query_paper_of_frozen_pool", "corpus_querypaper"):
        collection.query_papers.filter(name="q2").update(document=other, name="q3")


def no_digest(collection):
    slot = slot_of(collection, "q2_method", "d4", 1)
    slot.judgment = slot.judgments.create(
        sequence=2, annotator=slot.annotator, grade=1, guideline_version=1, key="0" * 32
    )
    slot.save(update_fields=["judgment"])


def one_wrong_digest_in_both_slots(collection):
    for number in (1, 2):
        slot = slot_of(collection, "q2_method", "d3", number)
        slot.judgment = slot.judgments.create(
            sequence=2,
            annotator=slot.annotator,
            grade=2,
            key=f"{number:032}",
            presentation_digest="0" * 64,
            guideline_version=1,
        )
        slot.save(update_fields=["judgment"])


def no_corpus_licence(collection):
    Collection.objects.filter(pk=collection.pk).update(corpus_licence=" ")


def nothing_relevant(collection):
    """Four queries with labels: nothing relevant, agreed, decided, and not decided."""
    labelled_over(collection, "n1", ["d1"])
    for number in (1, 2):
        judge(slot_of(collection, "n1_method", "d1", number), 1)
    labelled_over(collection, "n2", ["d1"])
    opened = opened_over(collection, "n3", ["d1", "d3"])
    judge_all(collection, {(opened.name, "d1"): (0, 3), (opened.name, "d3"): (0, 3)})
    decide_pair(collection, opened.name, "d1", Ruling(grade=1))
    opened = opened_over(collection, "n4", ["d1", "d3"])
    judge_all(collection, {(opened.name, "d1"): (0, 3), (opened.name, "d3"): (0, 0)})


def relevant_by_decision(collection):
    nothing_relevant(collection)
    decide_pair(collection, "n4_method", "d1", Ruling(grade=2))
    decide_pair(collection, "n3_method", "d1", Ruling(grade=3))


def relevant_no_longer(collection):
    judge(slot_of(collection, "q2_method", "d3", 2), 1)


def relevant_agreed_later(collection):
    relevant_no_longer(collection)
    judge(slot_of(collection, "q2_method", "d3", 2), 3)
    judge(slot_of(collection, "q2_method", "d3", 1), 3)


def an_agreed_pair_to_the_adjudicator(collection):
    """The only relevant pair of its query."""
    refer(slot_of(collection, "q2_method", "d3", 1).pair, Recipient.ADJUDICATOR)


def an_agreed_pair_decided(collection):
    an_agreed_pair_to_the_adjudicator(collection)
    decide_pair(collection, "q2_method", "d3", Ruling(grade=0))


def a_set_aside_pair_to_the_adjudicator(collection):
    refer(slot_of(collection, "q2_method", "d4", 1).pair, Recipient.ADJUDICATOR)


def pairs_opened_again(collection):
    an_agreed_pair_decided(collection)
    for docno in ("d3", "d4"):
        refer(slot_of(collection, "q2_method", docno, 1).pair, Recipient.JUDGES)


def pairs_judged_again(collection):
    pairs_opened_again(collection)
    for docno, grades in (("d3", (3, 3)), ("d4", (0, 2))):
        for number, grade in enumerate(grades, start=1):
            judge(slot_of(collection, "q2_method", docno, number), grade)


def same_texts(collection):
    """Two duplicates of d1 in an opened pool, one that is not judged, and one in a closed pool."""
    for docno in ("c1", "c2", "c3"):
        original = collection.documents.get(docno="d1")
        original.pk, original.docno = None, docno
        original.save(force_insert=True)
    paper = DocumentFactory(collection=collection, docno="q9")
    query = create_query(collection=collection, docno="q9", facet_key="method")
    pooled = collection.documents.filter(docno__in=["c1", "c2", "d2"]).order_by("docno")
    pool = a_pool(query.query_paper, list(pooled))
    third = collection.documents.get(docno="c3")
    pool.candidates.create(document=third, position=9, excluded="no-text")
    open_query(query=query, annotators=annotators(collection), opened_by=None)
    again = create_query(collection=collection, docno="q9", facet_key="background")
    open_query(query=again, annotators=annotators(collection), opened_by=None)
    create_query(collection=collection, docno="d2", facet_key="method")
    a_pool(collection.query_papers.get(name="d2"), list(pooled))
    assert paper


def old_agreement(collection):
    compute_report(AgreementReport("zero"), collection=collection)
    compute_report(AgreementReport("exclude"), collection=collection)
    judge(slot_of(collection, "q1_method", "d1", 1), 2)
    compute_report(AgreementReport("exclude"), collection=collection)


def old_scores(collection):
    collection.systems.create(name="never scored", kind="file", sha256="0" * 64)
    system = collection.systems.create(name="scored", kind="file", sha256="1" * 64)
    system.scores.create(profile="trec", state="0" * 64, summary=[], values={})


TEXT = "document_text_in_frozen_pool", Document
STATES = {
    state.__name__: state
    for state in (
        *(nothing, no_licence, a_revised_judgment, a_pair_agreed_after_its_decision),
        *(a_decision_set_aside, a_set_aside_pair_decided_again, a_graded_pair_set_aside_later),
        *(
            a_set_aside_pair_judged_again,
            unopened_queries,
            unopened_candidates,
            unjudged_pairs,
            half_judged_pairs,
        ),
        *(many_faults, own_query_paper, own_query_paper_not_labelled, no_source),
        *(white_space, white_space_not_labelled, white_space_in_a_query, facet_all),
        *(another_paper, no_digest, one_wrong_digest_in_both_slots),
        *(no_corpus_licence, nothing_relevant, relevant_by_decision),
        *(relevant_no_longer, relevant_agreed_later, same_texts, old_agreement, old_scores),
        *(an_agreed_pair_to_the_adjudicator, an_agreed_pair_decided, pairs_opened_again),
        *(a_set_aside_pair_to_the_adjudicator, pairs_judged_again),
    )
} | {
    "title": changed(*TEXT, {"docno": "d4"}, {"title": "Another"}),
    "title of a query paper": changed(*TEXT, {"docno": "q1"}, {"title": "Another"}),
    "docno": changed(*TEXT, {"docno": "d3"}, {"docno": "d3a"}),
    "facet labels": changed(
        "facet_stays_once_opened", Facet, {"key": "background"}, {"labels": ["result"]}
    ),
    "facet key": changed("facet_stays_once_opened", Facet, {"key": "method"}, {"key": "methods"}),
    "query name": changed(
        "query_stays_once_opened", Query, {"name": "q2_method"}, {"name": "q2 method"}
    ),
}


UNSEEN = (nothing, a_pair_agreed_after_its_decision, relevant_agreed_later)


class Judged(NamedTuple):
    collection: Collection
    findings: tuple[Finding, ...]
    other: Collection
    findings_of_other: Answers  # which no state of the first collection changes


@once_a_file
def judged() -> Judged:
    collection, other = a_judged_collection(), an_opened_collection(slug="other")
    judge_all(other, GRADES)
    return Judged(collection, find_faults(collection=collection), other, read(other))


@pytest.mark.by_day(4)
@pytest.mark.parametrize("state", STATES.values(), ids=list(STATES))
def test_the_gate_finds_what_reading_everything_finds(state, judged):
    state(judged.collection)

    findings = find_faults(collection=judged.collection)
    assert answers_of(findings) == read(judged.collection)
    assert asked(judged.other) == judged.findings_of_other
    assert (findings != judged.findings) is (state not in UNSEEN)


@pytest.mark.parametrize("texts", Texts)
def test_the_findings_follow_the_options(texts, judged):
    collection = judged.collection
    DocumentFactory.create_batch(3, collection=collection)
    options = ReleaseOptions(texts)

    assert asked(collection, options) == read(collection, options)
    snapshot = take_snapshot(collection, options)
    number = 9 if texts is Texts.CORPUS else 6
    assert (count_documents(collection, texts), len(snapshot.documents)) == (number, number)


# What it asks of the database


def queries_asked(collection: Collection) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        find_faults(collection=collection)
    return [query["sql"] for query in captured]


def test_more_queries_pairs_and_faults_ask_nothing_more_of_the_database(judged):
    collection = judged.collection
    for state in (unopened_queries, no_source, white_space, white_space_in_a_query, no_licence):
        state(collection)
    labelled_over(collection, "q8", ["d1", "q8"])
    many_faults(collection)
    STATES["title"](collection)
    asked = len(queries_asked(collection))

    for number in range(3):
        labelled_over(collection, f"n{number}", ["d1", f"n{number}", f"n {number}"])
        opened_over(collection, f"o{number}", ["d1", "d2", "d4"])
        no_source(collection)
        a_query(collection)

    assert len(queries_asked(collection)) == asked
