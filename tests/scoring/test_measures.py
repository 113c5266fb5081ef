"""Our measures give the values of ir-measures' providers, and of CSFCube's definitions by hand."""

from __future__ import annotations

from dataclasses import replace
from math import log2

import ir_measures
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy import isnan

from scoring.measures import UnknownMeasure, parse_measures, score_lists
from scoring.measures.judged_ranks import JudgedDocuments
from scoring.measures.offered import known_measure, known_measures
from scoring.measures.profiles import (
    CSFCUBE,
    PROFILES,
    TREC,
    UnknownProfile,
    profile_of,
    profiles_for,
    usual_profile,
)
from scoring.measures.scopes import Scope

DOCNOS = [f"d{number}" for number in range(12)]
OURS = parse_measures(
    "AP AP@5 AP(rel=2) P@1 P@5 P(rel=2)@5 R@5 R(rel=2)@10 RR RR(rel=2) RR@3 Rprec Success@1 "
    "Success(rel=2)@5 nDCG nDCG@3 nDCG@20 Bpref Bpref(rel=2) Judged@5"
)
EXPONENTIAL = "nDCG(dcg='exp-log2')@3"
grades = st.dictionaries(st.sampled_from(DOCNOS), st.integers(0, 3), min_size=1)
rankings = st.lists(st.sampled_from(DOCNOS), unique=True, min_size=1)


@given(
    qrels=st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), grades, min_size=1),
    lists=st.dictionaries(st.sampled_from(["q1", "q2", "q4"]), rankings),
)
def test_each_value_is_that_of_trec_eval(qrels, lists):
    assert all(measure.compute for measure in OURS)
    scored = pd.concat([score_lists(lists, qrels, [measure]) for measure in OURS], axis=1)

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
            if isnan(value):  # left out
                assert not any(grade >= measure.least for grade in qrels[query].values())
            else:
                expected = theirs.get((query, measure.name), 0)
                assert value == pytest.approx(expected, abs=1e-9), (query, measure.name)


def test_queries_without_a_relevant_document_are_left_out():
    scored = score_lists({"q1": ["a"]}, {"q1": {"a": 0}, "q2": {"a": 1}}, parse_measures("AP P@1"))

    assert list(scored.index) == ["q2"]
    assert scored.loc["q2"].tolist() == [0, 0]  # without a list


def test_all_measures_average_the_same_queries():
    """A query that one measure has no relevant document for is left out of the others, too."""
    qrels = {"q1": {"a": 1}, "q2": {"a": 2}}
    scored = score_lists({"q1": ["a"], "q2": ["a"]}, qrels, parse_measures("AP nDCG AP(rel=2)"))

    assert list(scored.index) == ["q2"]


def test_a_measure_takes_the_threshold_it_is_given_and_has_it_in_its_name():
    names = [measure.name for measure in parse_measures("AP P@20 P(rel=1)@5 nDCG@10 Bpref", 2)]

    assert names == ["AP(rel=2)", "P(rel=2)@20", "P@5", "nDCG@10", "Bpref(rel=2)"]
    by_threshold = [
        score_lists({"q": ["a", "b"]}, {"q": {"a": 1, "b": 2}}, parse_measures("P@1", least))
        for least in (1, 2)
    ]
    assert [table.iloc[0, 0] for table in by_threshold] == [1, 0]


def test_every_measure_of_a_profile_with_a_threshold_says_the_collections():
    for least in (1, 2, 3):
        for profile in profiles_for(least):
            thresholds = {measure.least for measure in profile.measures}
            assert thresholds == {least}
            for measure in profile.measures:
                if "relevant:" in measure.description:
                    assert f"relevant: grade {least} or higher" in measure.description
    assert profile_of("trec", 2).names[0] == "AP(rel=2)"
    assert profile_of("csfcube", 2).names[1] == "P@20"  # as the paper calls it
    assert profile_of("csfcube", 1).names[1] == "P(rel=1)@20"


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("AP", "relevant: grade 2 or higher, whole list; unjudged documents count as not relevant"),
        ("P(rel=3)@1000",
         "relevant: grade 3 or higher, first 1,000 documents; "
         "unjudged documents count as not relevant"),
        ("RBP(rel=1)",
         "relevant: grade 1 or higher, whole list, persistence 0.8; "
         "unjudged documents count as not relevant"),
        ("Bpref",
         "relevant: grade 2 or higher, whole list; unjudged documents are ignored"),
        ("Judged@5", "share of judged documents, first 5 documents"),
        ("nDCG",
         "gain = grade, discount log2(rank + 1), whole list; unjudged documents have gain 0"),
        (EXPONENTIAL,
         "gain 2^grade − 1, discount log2(rank + 1), first 3 documents; "
         "unjudged documents have gain 0"),
    ],
)  # fmt: skip
def test_a_measure_says_what_it_counts(name, description):
    assert parse_measures(name, 2)[0].description == description


@pytest.mark.parametrize(
    ("scope", "precision"), [(Scope.OPEN, 1 / 2), (Scope.CLOSED, 1), (Scope.CONDENSED, 1)]
)
def test_documents_without_a_label_are_taken_out_of_a_closed_list(scope, precision):
    """By our own computation, and by ir-measures where it computes a measure."""
    measures = [replace(measure, scope=scope) for measure in parse_measures("P@2 SetP")]
    scored = score_lists({"q": ["x", "a", "y", "b"]}, {"q": {"a": 1, "b": 1}}, measures)

    assert scored.loc["q", "P@2"] == precision
    assert scored.loc["q", "SetP"] == precision


def test_what_a_list_has_without_a_label_and_what_it_lacks_is_counted():
    judged = JudgedDocuments({"q1": {"a": 1, "b": 0}, "q2": {"a": 1}})
    ranks = judged.ranks_of([("q1", ["x", "b", "y"])])

    assert ranks.unjudged.tolist() == [2, 0]
    assert ranks.lacking.tolist() == [1, 0]  # q2 has no list, which is counted apart


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


def test_exponential_gains_are_those_of_ir_measures():
    scored = score_lists({"q": ["b", "a"]}, {"q": {"a": 3, "b": 1}}, parse_measures(EXPONENTIAL))

    ideal = 7 + 1 / log2(3)
    assert scored.loc["q", EXPONENTIAL] == pytest.approx((1 + 7 / log2(3)) / ideal, abs=1e-5)


def test_measures_of_one_table_have_their_own_scopes_and_a_query_without_a_list_scores_0():
    scopes = {"SetP": Scope.CLOSED, "SetR": Scope.OPEN, "P@2": Scope.CLOSED, "P@1": Scope.OPEN}
    measures = [replace(each, scope=scopes[each.name]) for each in parse_measures(" ".join(scopes))]
    qrels = {"q": {"a": 1, "b": 1}, "unlisted": {"a": 1}}
    scored = score_lists({"q": ["x", "a", "b"]}, qrels, measures)

    assert scored.loc["q"].to_dict() == {"SetP": 1, "SetR": 1, "P@2": 1, "P@1": 0}
    assert not scored.loc["unlisted"].any()


def test_rbp_is_the_discounted_share_of_relevant_ranks():
    scored = score_lists(
        {"q": ["a", "b", "c"]}, {"q": {"a": 1, "c": 2}}, parse_measures("RBP(rel=1)")
    )

    assert scored.loc["q", "RBP(rel=1)"] == pytest.approx(0.2 * (1 + 0.8**2))


def test_the_measures_of_csfcube_by_hand():
    """Ten judged documents; a, c are similar or better. 20 % of the pool are two documents."""
    grades = {"a": 3, "b": 1, "c": 2, **{f"n{number}": 0 for number in range(7)}}
    scored = score_lists(
        {"q": ["b", "a", "n0", "c"]}, {"q": grades}, profile_of(CSFCUBE, 2).measures
    ).loc["q"]

    assert scored["RP"] == 2 / 4  # the last relevant document has rank 4
    assert scored["P@20"] == 2 / 20
    assert scored["R@20"] == 1
    assert scored["NDCG%20"] == pytest.approx((1 + 3) / (3 + 2))
    assert scored["NDCG%100"] == pytest.approx((1 + 3 + 2 / 2) / (3 + 2 + 1 / 1.5849625))


def test_the_whole_pool_is_as_many_ranks_as_it_has_documents():
    """An open list has the only relevant one of 100 documents behind an unjudged one."""
    docnos = [f"n{number}" for number in range(99)]
    qrels = {"q": {**dict.fromkeys(docnos, 0), "a": 2}}
    measures = profile_of(CSFCUBE, 2).scoped(Scope.OPEN).measures

    for first in (["x"], []):
        scored = score_lists({"q": [*first, *docnos, "a"]}, qrels, measures)
        assert (scored.loc["q", "NDCG%100"] == 0) == bool(first)
        assert scored.loc["q", "RP"] == 1 / (100 + len(first))


def test_a_pool_too_small_for_a_fifth_has_the_value_0_as_in_the_script():
    scored = score_lists({"q": ["a"]}, {"q": {"a": 3, "b": 0}}, profile_of(CSFCUBE, 2).measures)

    assert scored.loc["q", "NDCG%20"] == 0
    assert scored.loc["q", "NDCG%100"] == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "No measure given"),
        ("nDG@10", "Did you mean nDCG"),
        ("P", "missing parameter"),
        ("AP(rel=", "not a measure"),
        ("α_nDCG@10", "No installed provider"),
        ("RBP", "No installed provider"),
    ],
)
def test_an_unknown_measure_is_named_with_the_fix(text, words):
    with pytest.raises(UnknownMeasure, match=words.replace("(", r"\(")):
        parse_measures(text)


def test_every_measure_of_a_profile_is_ours_and_says_what_it_counts():
    assert PROFILES == ("csfcube", "trec", "mdcr")
    for profile in profiles_for(2):
        assert all(measure.compute and measure.description for measure in profile.measures)
        assert {measure.scope for measure in profile.measures} == {profile.scope}
    kinds = [(each.scope, each.has_folds, each.by_field) for each in profiles_for(2)]
    assert kinds == [
        (Scope.CLOSED, True, False), (Scope.OPEN, False, False), (Scope.CLOSED, False, True)
    ]  # fmt: skip
    ranked_by = [profile.main_measure for profile in profiles_for(2)]
    assert ranked_by == ["NDCG%20", "AP(rel=2)", "AP(rel=2)"]
    assert usual_profile(["method", "background"]) == CSFCUBE
    assert usual_profile(["method"]) == usual_profile([]) == TREC
    with pytest.raises(UnknownProfile, match="csfcube, trec, mdcr"):
        profile_of("beir", 2)


def test_a_name_that_two_profiles_use_has_the_profile_behind_it():
    offered = known_measures(1)

    assert len({each.key for each in offered}) == sum(
        len(profile.measures) for profile in profiles_for(1)
    ) + len(["infAP", "infNDCG"])
    assert [each.key for each in offered if "(mdcr)" in each.key] == ["AP (mdcr)"]
    assert {each.profile for each in offered if "inf" in each.key} == {TREC}
    measures = [known_measure(key, 1) for key in ("AP", "AP (mdcr)")]
    assert [(each.profile, each.measure.scope) for each in measures] == [
        ("trec", Scope.OPEN), ("mdcr", Scope.CLOSED)
    ]  # fmt: skip
    with pytest.raises(KeyError):
        known_measure("AP (trec)", 1)
