import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.gaps.computation.bounds import BoundedMeasure
from evaluation.pool_bias.computation.reduced_scores import (
    SourcedLabels,
    UpperBounds,
    mean_over,
    reduced_judged_share,
    reduced_values,
    system_scores,
)
from evaluation.pool_bias.computation.report_measures import ScopedRanks
from scoring.measures import parse_measures, score_lists

MEASURES = parse_measures("nDCG@3 AP(rel=2) P(rel=2)@3 RBP(p=0.8,rel=2)")
BOUNDS = {measure.name: BoundedMeasure.of(measure.name) for measure in MEASURES}
DOCNOS = [f"d{number}" for number in range(8)]
QUERIES = ("a", "b", "c")


def scored(labels, lists, pooled=None):
    upper = UpperBounds(labels, BOUNDS, pooled or {})
    ranks = ScopedRanks.of(labels.ranks_of(upper.reading(lists.items())))
    return system_scores(labels, ranks, MEASURES, upper), ranks


grades = st.dictionaries(st.sampled_from(DOCNOS), st.integers(0, 3), max_size=6)
some_qrels = st.fixed_dictionaries(dict.fromkeys(QUERIES, grades))
some_lists = st.dictionaries(st.sampled_from(QUERIES), st.permutations(DOCNOS).map(lambda r: r[:5]))


@given(qrels=some_qrels, lists=some_lists, dropped=st.sets(st.sampled_from(DOCNOS)))
@settings(max_examples=60)
def test_masked_labels_give_the_scores_of_smaller_qrels(qrels, lists, dropped):
    labels = SourcedLabels(qrels, relevant_from=2, highest=3)
    reduced = labels.without(dict.fromkeys(QUERIES, dropped))
    smaller = {
        query: {docno: grade for docno, grade in row.items() if docno not in dropped}
        for query, row in labels.qrels.items()
    }
    kept = {query for query, row in smaller.items() if max(row.values(), default=0) >= 2}
    assert [
        name for name, keeps in zip(labels.queries, reduced.keeps_relevant, strict=True) if keeps
    ] == sorted(kept)
    ranks = ScopedRanks.of(labels.ranks_of(lists.items()))
    values = reduced_values(reduced, ranks, MEASURES)
    for measure in MEASURES:
        expected = score_lists(lists, smaller, [measure])[measure.name]
        mine = dict(zip(labels.queries, values.standard[measure.name], strict=True))
        for query in kept:
            assert mine[query] == pytest.approx(expected[query])


@given(qrels=some_qrels, lists=some_lists)
@settings(max_examples=60)
def test_the_standard_value_is_the_lower_bound_and_the_condensed_one_is_between(qrels, lists):
    labels = SourcedLabels(qrels, relevant_from=2, highest=3)
    scores, _ = scored(labels, lists)
    table = score_lists(lists, labels.qrels, MEASURES) if labels.queries else None
    for measure in MEASURES:
        standard, condensed, upper = scores.values[measure.name]
        if table is not None:
            assert standard == pytest.approx(np.nanmean(table[measure.name]))
        assert standard <= upper + 1e-9
        if measure.name.startswith(("P", "RBP")):
            # Removing unjudged documents moves the judged ones up.
            assert standard <= condensed + 1e-9


def test_judged_at_k_is_over_the_queries_with_a_list():
    qrels = {"a": {"d0": 3, "d1": 0}, "b": {"d0": 2}, "c": {"d0": 2}}
    labels = SourcedLabels(qrels, relevant_from=2, highest=3)
    lists = {"a": ["d0", "d5", "d1", "d6"]}
    scores, numbered = scored(labels, lists)
    assert scores.judged == {10: 0.5, 20: 0.5, 100: 0.5}
    assert scores.without_list == 2
    reduced = labels.without({"a": {"d1"}})
    assert (reduced.dropped, reduced.dropped_relevant) == (1, 0)
    assert reduced_judged_share(reduced, numbered.given, 10) == 0.25
    # The first two documents are d0, which is judged, and d5.
    assert reduced_judged_share(reduced, numbered.given, 2) == 0.5


def test_a_system_leaves_the_pools_if_one_list_has_a_document_outside_its_pool():
    labels = SourcedLabels({"a": {"d0": 3}, "b": {"d0": 2}}, relevant_from=2, highest=3)
    pooled = {"a": {"d0", "d1"}, "b": {"d0"}}
    inside, _ = scored(labels, {"a": ["d1", "d0"], "b": ["d0"]}, pooled)
    outside, _ = scored(labels, {"a": ["d1", "d0"], "b": ["d0", "d1"]}, pooled)
    first, _ = scored(labels, {"a": ["d2"], "b": ["d0"]}, pooled)
    assert (inside.leaves_pools, outside.leaves_pools, first.leaves_pools) == (False, True, True)
    unlabelled, _ = scored(labels, {"a": ["d0"], "c": ["d7"]}, pooled)
    assert not unlabelled.leaves_pools


def test_only_relevant_labels_that_are_left_out_count_as_relevant_lost():
    labels = SourcedLabels({"a": {"d0": 3, "d1": 2, "d2": 1, "d3": 2}}, relevant_from=2, highest=3)
    reduced = labels.without({"a": {"d0", "d1", "d2", "d9"}, "unknown": {"d3"}})
    assert (reduced.dropped, reduced.dropped_relevant) == (3, 2)
    assert reduced.keeps_relevant.tolist() == [True]
    assert labels.without({"a": {"d0", "d1", "d3"}}).keeps_relevant.tolist() == [False]


def test_a_query_without_a_value_counts_as_0_in_a_mean():
    values = np.array([1.0, np.nan, 0.5, 0.7])
    assert mean_over(values, np.array([True, True, False, False])) == 0.5
    assert mean_over(values[2:]) == pytest.approx(0.6)
    assert mean_over(values, np.zeros(4, dtype=bool)) == 0
