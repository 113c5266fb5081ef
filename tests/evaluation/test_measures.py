"""Measures equal ir-measures', and CSFCube's own their definitions."""

from __future__ import annotations

import math
from collections import defaultdict

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.measures import CLOSED, CONDENSED, CSFCUBE, OPEN, TREC, parse, profile, score
from web.errors import BadInput

DOCNOS = [f"d{number}" for number in range(12)]
rankings = st.dictionaries(
    st.sampled_from(["1", "2", "3"]), st.lists(st.sampled_from(DOCNOS), unique=True, max_size=12)
)
qrels = st.dictionaries(
    st.sampled_from(["1", "2", "3"]),
    st.dictionaries(st.sampled_from(DOCNOS), st.integers(0, 3), min_size=1),
    min_size=1,
)


@given(rankings, qrels)
def test_every_value_is_the_one_of_ir_measures(lists, labels):
    names = profile(TREC, 2).measures
    table = score(lists, labels, names, scope=OPEN)
    run = {q: {d: 1.0 / rank for rank, d in enumerate(docnos, 1)} for q, docnos in lists.items() if docnos}
    theirs: dict[str, dict[str, float]] = defaultdict(dict)
    for each in ir_measures.iter_calc([ir_measures.parse_measure(name) for name in names], labels, run):
        theirs[each.query_id][str(each.measure)] = each.value
    for name in names:
        for query in labels:
            assert table.at[query, name] == pytest.approx(theirs[query][str(parse(name))], abs=1e-12), (name, query)


@given(rankings, qrels)
def test_a_condensed_list_scores_as_one_of_judged_documents_alone(lists, labels):
    judged = {q: [d for d in docnos if d in labels.get(q, {})] for q, docnos in lists.items()}
    names = ["AP", "nDCG@5", "NDCG%100", "RP"]
    condensed = score(lists, labels, names, scope=CONDENSED)
    assert condensed.equals(score(judged, labels, names, scope=CLOSED))
    standard = names[:2]
    assert condensed[standard].equals(score(judged, labels, standard, scope=OPEN))


def test_csfcubes_measures_by_hand():
    labels = {"q": {"a": 3, "b": 2, "c": 1, "d": 0, "e": 0}}
    lists = {"q": ["d", "a", "x", "c", "b"]}
    table = score(lists, labels, ["RP", "NDCG%100", "NDCG%40", "P(rel=2)@2"], scope=CLOSED)
    ideal = 3 + 2 + 1 / math.log2(3)
    assert table.loc["q"].tolist() == pytest.approx(
        [2 / 4, (0 + 3 + 1 / math.log2(3) + 2 / math.log2(4)) / ideal, 3 / 5, 1 / 2]
    )


def test_a_list_that_finds_nothing_relevant_has_0():
    labels = {"q": {"a": 3, "b": 0}, "r": {"a": 3}}
    table = score({"q": ["b"]}, labels, ["RP", "NDCG%100", "AP"], scope=CLOSED)
    assert table.to_numpy().tolist() == [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]


def test_a_query_without_a_relevant_document_has_no_value_in_csfcubes_measures():
    table = score({"q": ["a"]}, {"q": {"a": 0}}, ["RP", "NDCG%100", "AP"], scope=CLOSED)
    assert table["RP"].isna().all()
    assert table["NDCG%100"].isna().all()
    assert table["AP"].tolist() == [0.0]


@pytest.mark.parametrize(
    ("name", "same"), [("map", "AP"), ("P_10", "P@10"), ("ndcg_cut_10", "nDCG@10"), ("recip_rank", "RR")]
)
def test_names_of_trec_eval_are_understood(name, same):
    assert str(parse(name)) == str(parse(same))


def test_two_names_of_a_measure_have_one_value():
    table = score({"q": ["b", "a"]}, {"q": {"a": 1}}, ["AP", "map"], scope="open")
    assert table.loc["q"].to_dict() == {"AP": 0.5, "map": 0.5}


@pytest.mark.parametrize(
    "name",
    [
        *("", "nonsense", "nDCG@ten", "RP@3", "__import__('os')"),
        *("RBP(p=0.8)", "ERR@20", "INST", "AP(rel=0)", "SetF(beta=1e999)"),
    ],
)
def test_what_is_no_measure_is_refused_in_words(name):
    with pytest.raises(BadInput):
        parse(name)


def test_a_threshold_stands_in_the_name_where_it_is_not_the_usual_one():
    assert profile(TREC, 2).measures[0] == "AP(rel=2)"
    assert profile(TREC, 1).measures[0] == "AP"
    assert (profile(CSFCUBE, 2).measures[0], profile(CSFCUBE, 1).measures[0]) == ("RP", "RP(rel=1)")
