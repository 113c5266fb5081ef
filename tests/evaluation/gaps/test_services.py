"""Decisive documents of a collection, against the scores of every labelling of the others."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from evaluation.gaps.computation.bounds import UnboundedMeasure
from evaluation.gaps.computation.conclusions import Conclusion, ConclusionKind, present
from evaluation.gaps.report import GapsError
from evaluation.gaps.services import all_conclusions, decisive_documents
from scoring.labels import qrels_of
from scoring.measures import parse_measure, score_lists
from tests.support.label_scenes import a_system
from tests.support.release_scenes import a_judged_collection

LISTS = {
    "first": {"q1_background": ["d2", "n1"], "q1_method": ["d1", "n2"], "q2_method": ["d3", "n1"]},
    "second": {"q1_background": ["d1", "n3"], "q1_method": ["d3", "n1"], "q2_method": ["d3", "n2"]},
    "third": {"q1_background": ["n1", "d2"], "q1_method": ["d2"], "q2_method": ["n4"]},
}


@pytest.fixture
def collection(db):
    """Labels: q1_background d2 2; q1_method d1 3, d2 2; q2_method d1 1, d3 2; others 0."""
    collection = a_judged_collection()
    for name, lists in LISTS.items():
        a_system(collection, name, lists)
    return collection


def test_the_rest_of_the_gaps_changes_no_conclusion(collection):
    conclusions = all_conclusions(["second", "third"], "P@2")
    chosen = decisive_documents(collection, conclusions)

    gaps = {
        (query, docno)
        for lists in (LISTS["second"], LISTS["third"])
        for query, docnos in lists.items()
        for docno in docnos
        if docno.startswith("n")
    }
    others = sorted(
        (query, docno) for query, docno in gaps if docno not in chosen.get(query[:2], ())
    )
    assert chosen
    assert others == [("q2_method", "n4")]
    qrels = qrels_of(collection)
    today = concluded(conclusions, qrels)
    for grades in itertools.product([0, collection.relevant_from], repeat=len(others)):
        labelled = {query: dict(labels) for query, labels in qrels.items()}
        for (query, docno), grade in zip(others, grades, strict=True):
            labelled[query][docno] = grade
        assert concluded(conclusions, labelled) == today


def concluded(conclusions, qrels):
    measure = parse_measure("P@2", 2)
    tables = {name: score_lists(lists, qrels, [measure]) for name, lists in LISTS.items()}
    return [
        present(
            each.kind,
            np.array(tables[each.first][measure.name] - tables[each.second][measure.name]),
        )
        for each in conclusions
    ]


def test_only_chosen_gaps_are_considered(collection):
    order = Conclusion("first", "third", "P@2", ConclusionKind.ORDER)
    of_third = decisive_documents(collection, [order], gaps_of=["third"])
    assert of_third == {"q2": ["n4"]}
    assert decisive_documents(collection, [order], gaps_of=["first"]) == {}


def test_unknown_names_are_refused(collection):
    with pytest.raises(GapsError, match=r'"fourth" is not a system. Use: first, second'):
        decisive_documents(collection, [Conclusion("first", "fourth", "P@2")])
    with pytest.raises(UnboundedMeasure, match="No bounds are known"):
        decisive_documents(collection, [Conclusion("first", "second", "ERR@2")])
