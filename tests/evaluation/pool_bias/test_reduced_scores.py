import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.measures import parse_measures, score_lists
from evaluation.pool_bias.bounds import BoundedMeasure
from evaluation.pool_bias.reduced_scores import (
    Labels,
    UpperBounds,
    reduced_judged_shares,
    reduced_means,
    system_scores,
)

MEASURES = parse_measures("nDCG@3 AP(rel=2) P(rel=2)@3 RBP(p=0.8,rel=2)")
BOUNDS = {measure.name: BoundedMeasure.of(measure.name) for measure in MEASURES}
DOCNOS = [f"d{number}" for number in range(8)]
QUERIES = ("a", "b", "c")


def scored(labels, lists):
    upper = UpperBounds(labels, BOUNDS)
    ranks = labels.ranks_of(upper.reading(lists.items()))
    return system_scores(labels, ranks, MEASURES, upper), ranks


grades = st.dictionaries(st.sampled_from(DOCNOS), st.integers(0, 3), max_size=6)
some_qrels = st.fixed_dictionaries(dict.fromkeys(QUERIES, grades))
some_lists = st.dictionaries(st.sampled_from(QUERIES), st.permutations(DOCNOS).map(lambda r: r[:5]))


@given(qrels=some_qrels, lists=some_lists, dropped=st.sets(st.sampled_from(DOCNOS)))
@settings(max_examples=60)
def test_masked_labels_give_the_scores_of_smaller_qrels(qrels, lists, dropped):
    labels = Labels(qrels, relevant_from=2, highest=3)
    numbered = {"mine": labels.ranks_of(lists.items())}
    reduced = labels.without(dict.fromkeys(QUERIES, dropped))
    smaller = {
        query: {docno: grade for docno, grade in row.items() if docno not in dropped}
        for query, row in labels.qrels.items()
    }
    for measure in MEASURES:
        full = score_lists(lists, labels.qrels, [measure])[measure.name]
        per_query = {"mine": full.reindex(labels.queries).to_numpy()}
        means = reduced_means(reduced, numbered, per_query, measure)
        expected = score_lists(lists, smaller, [measure])[measure.name].dropna()
        assert means.queries == len(expected)
        assert means.reduced["mine"] == pytest.approx(expected.mean() if len(expected) else 0)
        same_queries = full.reindex(expected.index)
        assert means.full["mine"] == pytest.approx(same_queries.mean() if len(expected) else 0)


@given(qrels=some_qrels, lists=some_lists)
@settings(max_examples=60)
def test_the_standard_value_is_the_lower_bound_and_the_condensed_one_is_between(qrels, lists):
    labels = Labels(qrels, relevant_from=2, highest=3)
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
    labels = Labels({"a": {"d0": 3, "d1": 0}, "b": {"d0": 2}}, relevant_from=2, highest=3)
    lists = {"a": ["d0", "d5", "d1", "d6"]}
    scores, numbered = scored(labels, lists)
    assert scores.judged == {10: 0.5, 20: 0.5, 100: 0.5}
    assert scores.without_list == 1
    reduced = labels.without({"a": {"d1"}})
    assert (reduced.dropped, reduced.dropped_relevant(2)) == (1, 0)
    assert reduced_judged_shares(reduced, {"mine": numbered}, 10) == {"mine": 0.25}


def test_a_query_that_loses_all_its_relevant_documents_is_counted():
    labels = Labels({"a": {"d0": 3}, "b": {"d0": 2, "d1": 2}}, relevant_from=2, highest=3)
    numbered = {"mine": labels.ranks_of([("a", ["d0"]), ("b", ["d1", "d0"])])}
    measure = MEASURES[1]
    full = {"mine": np.array([1.0, 1.0])}
    means = reduced_means(labels.without({"a": {"d0"}}), numbered, full, measure)
    assert (means.queries, means.lost) == (1, 1)
