"""Which scopes a collection supports, from its labels and the report on its pools."""

from __future__ import annotations

import pytest

from annotation.services import open_query
from corpus.services import create_query
from evaluation.leaderboard.supported_scopes import (
    ScopeSupport,
    scopes_under_citations,
    support_of,
    supported_scopes,
)
from evaluation.pool_bias.computation.statement import open_reason
from evaluation.pool_bias.services import PoolBiasReport
from reports.services import compute_report
from scoring.measures.scopes import Scope
from tests.support.factories import DocumentFactory, a_collection, a_pool, annotators
from tests.support.release_scenes import (
    GRADES,
    a_judged_collection,
    an_opened_collection,
    judge_all,
)
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db


@once_a_file
def collection():
    return a_judged_collection()


def supports(collection) -> dict:
    return {support.scope: support for support in supported_scopes(collection)}


def test_pools_without_labels_support_nothing():
    found = supports(an_opened_collection())

    assert not found[Scope.CLOSED].supported
    assert found[Scope.CLOSED].reason == "0 of 9 pooled pairs have a final label"
    assert found[Scope.OPEN].supported is None
    assert not found[Scope.CONDENSED].supported
    assert found[Scope.CONDENSED].reason == found[Scope.CLOSED].reason


def test_pools_with_open_cases_are_not_closed():
    collection = an_opened_collection()
    judge_all(collection, GRADES)
    found = supports(collection)

    # Of nine pairs, four are cases.
    assert found[Scope.CLOSED].reason == "5 of 9 pooled pairs have a final label"
    assert not found[Scope.CLOSED].supported
    assert found[Scope.CONDENSED].supported
    assert found[Scope.CONDENSED].reason.startswith("only documents with a label are ranked")


def test_decided_pools_are_closed(collection):
    """One of the decisions says that a pair cannot be judged."""
    found = supports(collection)

    assert found[Scope.CLOSED].supported
    assert found[Scope.CLOSED].as_json()["answer"] == "supported"


def test_open_lists_are_supported_only_by_a_report_of_the_present_state(collection):
    assert "was not computed" in supports(collection)[Scope.OPEN].reason
    compute_report(PoolBiasReport(), collection=collection)

    answer = supports(collection)[Scope.OPEN]
    assert answer.supported is not True  # three queries say nothing
    assert "queries" in answer.reason
    collection.relevant_from = 1
    assert "was not computed" in supports(collection)[Scope.OPEN].reason


def test_citations_do_not_support_open_lists():
    answers = {support.scope: support.supported for support in scopes_under_citations()}

    assert answers == {Scope.CLOSED: True, Scope.OPEN: False, Scope.CONDENSED: True}


@pytest.mark.parametrize(("answer", "supported"), [("supported", True), ("not supported", False)])
def test_open_lists_have_the_answer_of_the_report(collection, answer, supported):
    report = compute_report(PoolBiasReport(), collection=collection)
    change = {"mean": -0.2, "low": -0.3, "high": -0.1}
    report.payload["statement"]["support"] |= {
        **{"answer": answer, "judged": 0.9, "sources": 3, "largest": 0.1},
        "worst": {"system": "bm25", "fewest": change},
    }
    report.save()

    found = supports(collection)[Scope.OPEN]
    assert found.supported is supported
    assert found.reason == open_reason(report.payload["statement"])


@pytest.mark.parametrize(
    ("supported", "answer", "beginning"),
    [
        (True, "supported", "This collection supports open lists: "),
        (False, "not supported", "This collection does not support open lists: "),
        (None, "cannot be said", "Whether this collection supports open lists cannot be said: "),
    ],
)
def test_an_answer_is_a_word_and_a_sentence(supported, answer, beginning):
    assert ScopeSupport(Scope.OPEN, supported, "the reason.").as_json() == {
        "scope": "open",
        "answer": answer,
        "reason": "the reason.",
        "sentence": beginning + "the reason.",
    }


def test_the_source_of_the_labels_decides_about_a_scope(collection):
    for scope in Scope:
        under_final = support_of(collection, scope, "final")
        under_citations = support_of(collection, scope, "citations")
        assert (under_final, under_citations.scope) == (supports(collection)[scope], scope)
        assert under_citations in scopes_under_citations()
        assert under_final.reason != under_citations.reason


def test_published_labels_are_not_said_to_lack_final_labels():
    support = support_of(a_collection(), Scope.CLOSED, "published")

    assert support.sentence == (
        "Whether this collection supports closed lists cannot be said: the published labels were "
        "not made here."
    )


def test_a_query_paper_in_its_own_pool_is_no_pair_to_label():
    """CSFCube has one. The report on the pools counts the same pairs."""
    collection = a_collection()
    papers = [DocumentFactory(collection=collection, docno=docno) for docno in ("q", "d1", "d2")]
    query = create_query(collection=collection, docno="q", facet_key="method")
    a_pool(papers[0].query_paper, papers)
    open_query(query=query, annotators=annotators(collection), opened_by=None)
    judge_all(collection, {("q_method", "q"): (3, 3), ("q_method", "d1"): (2, 2)})

    assert supports(collection)[Scope.CLOSED].reason == "1 of 2 pooled pairs have a final label"
    statement = compute_report(PoolBiasReport(), collection=collection).payload["statement"]
    assert (statement["labelled"], statement["pairs"]) == (1, 2)
