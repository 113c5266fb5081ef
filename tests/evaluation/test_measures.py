"""Our measures give the values of ir-measures' providers, and of CSFCube's definitions by hand."""

from __future__ import annotations

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy import isnan

from evaluation.measures import UnknownMeasure, parse_measures, score_lists
from evaluation.measures.profiles import CSFCUBE, MDCR, PROFILES, TREC, UnknownProfile, profile_of

DOCNOS = [f"d{number}" for number in range(12)]
OURS = parse_measures(
    "AP AP@5 AP(rel=2) P@1 P@5 P(rel=2)@5 R@5 R(rel=2)@10 RR RR(rel=2) RR@3 Rprec Success@1 "
    "Success(rel=2)@5 nDCG nDCG@3 nDCG@20 Bpref Bpref(rel=2) Judged@5"
)
grades = st.dictionaries(st.sampled_from(DOCNOS), st.integers(0, 3), min_size=1)
rankings = st.lists(st.sampled_from(DOCNOS), unique=True, min_size=1)


@given(
    qrels=st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), grades, min_size=1),
    lists=st.dictionaries(st.sampled_from(["q1", "q2", "q4"]), rankings),
)
def test_each_value_is_that_of_trec_eval(qrels, lists):
    assert all(measure.compute for measure in OURS)
    scored = score_lists(lists, qrels, OURS)

    run = {
        query: {docno: float(-place) for place, docno in enumerate(docnos)}
        for query, docnos in lists.items()
    }
    theirs = {
        (metric.query_id, str(metric.measure)): metric.value
        for metric in ir_measures.iter_calc([m.standard for m in OURS], qrels, run)
    }
    for query in scored.index:
        for measure in OURS:
            value = scored.loc[query, measure.name]
            if isnan(value):
                assert not any(grade >= measure.least for grade in qrels[query].values())
            else:
                expected = theirs.get((query, measure.name), 0)
                assert value == pytest.approx(expected, abs=1e-9), (query, measure.name)


def test_queries_without_a_relevant_document_are_left_out():
    scored = score_lists({"q1": ["a"]}, {"q1": {"a": 0}, "q2": {"a": 1}}, parse_measures("AP P@1"))

    assert list(scored.index) == ["q2"]
    assert scored.loc["q2"].tolist() == [0, 0]  # without a list


def test_a_threshold_that_a_query_does_not_reach_leaves_the_value_undefined():
    scored = score_lists({"q": ["a"]}, {"q": {"a": 1}}, parse_measures("AP AP(rel=2)"))

    assert scored.loc["q", "AP"] == 1
    assert isnan(scored.loc["q", "AP(rel=2)"])


def test_measures_of_other_providers_are_computed_over_the_same_order():
    """Identifiers that gdeval cannot read, and equal scores in no list."""
    qrels = {"10.1/a_method": {"x": 3, "y": 1, "z": 0}, "b": {"x": 1}}
    lists = {"10.1/a_method": ["z", "x", "y"], "b": ["y", "x"]}
    scored = score_lists(lists, qrels, parse_measures("ERR@20 SetP Compat(p=0.8) AP"))

    # Chapelle et al. (CIKM 2009): R(g) = (2^g − 1) / 16; gdeval prints five digits.
    first, second = 7 / 16, 1 / 16
    assert scored.loc["10.1/a_method", "ERR@20"] == pytest.approx(
        first / 2 + (1 - first) * second / 3, abs=1e-5
    )
    assert scored.loc["b", "SetP"] == 0.5
    assert scored.loc["b", "AP"] == 0.5


def test_rbp_is_the_discounted_share_of_relevant_ranks():
    scored = score_lists(
        {"q": ["a", "b", "c"]}, {"q": {"a": 1, "c": 2}}, parse_measures("RBP(rel=1)")
    )

    assert scored.loc["q", "RBP(rel=1)"] == pytest.approx(0.2 * (1 + 0.8**2))


def test_the_measures_of_csfcube_by_hand():
    """Ten judged documents; a, c are similar or better. 20 % of the pool are two documents."""
    grades = {"a": 3, "b": 1, "c": 2, **{f"n{number}": 0 for number in range(7)}}
    scored = score_lists({"q": ["b", "a", "n0", "c"]}, {"q": grades}, CSFCUBE.measures).loc["q"]

    assert scored["RP"] == 2 / 4  # the last relevant document has rank 4
    assert scored["P@20"] == 2 / 20
    assert scored["R@20"] == 1
    assert scored["NDCG%20"] == pytest.approx((1 + 3) / (3 + 2))
    assert scored["NDCG%100"] == pytest.approx((1 + 3 + 2 / 2) / (3 + 2 + 1 / 1.5849625))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "No measure given"),
        ("nDG@10", "Did you mean nDCG"),
        ("P", "missing parameter"),
        ("AP(rel=", "not a measure"),
        ("α_nDCG@10", "No installed provider"),
    ],
)
def test_an_unknown_measure_is_named_with_the_fix(text, words):
    with pytest.raises(UnknownMeasure, match=words.replace("(", r"\(")):
        parse_measures(text)


def test_every_measure_of_a_profile_is_ours_and_says_what_it_counts():
    assert list(PROFILES.values()) == [CSFCUBE, TREC, MDCR]
    for profile in PROFILES.values():
        assert all(measure.compute and measure.description for measure in profile.measures)
    with pytest.raises(UnknownProfile, match="csfcube, trec, mdcr"):
        profile_of("beir")
