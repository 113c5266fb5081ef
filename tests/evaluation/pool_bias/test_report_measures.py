"""The measures of a report and the bounds of their values."""

import numpy as np
import pytest

from evaluation.pool_bias.computation.report_measures import ScopedRanks, bounds_of, measures_for
from scoring.measures import Measure
from scoring.measures.judged_ranks import JudgedDocuments

TREC = ["nDCG@20", "AP(rel=2)", "nDCG@10", "nDCG@100", "P(rel=2)@20", "R(rel=2)@100", "RBP(rel=2)"]
CSFCUBE = ["RP", "P@20", "R@20", "NDCG%20", "NDCG%100"]


@pytest.mark.parametrize(
    ("facets", "names"),
    [(["background"], [*TREC, "Bpref(rel=2)", *CSFCUBE]), (["topic"], [*TREC, "Bpref(rel=2)"])],
)
def test_the_main_measure_is_first_and_judged_shares_are_no_measures(facets, names):
    assert [measure.name for measure in measures_for(2, facets)] == names


def test_measures_of_open_lists_have_an_upper_bound_if_one_is_known():
    bounds = bounds_of(measures_for(2, ["background"]))
    assert list(bounds) == TREC
    assert (bounds["P(rel=2)@20"].cutoff, bounds["P(rel=2)@20"].relevant_from) == (20, 2)


def test_a_measure_of_another_program_is_refused():
    ranks = ScopedRanks.of(JudgedDocuments({"q": {"d1": 2}}).ranks_of([("q", ["d1"])]))
    measures = [Measure("theirs", 2, ""), Measure("ours", 2, "", lambda ranks: np.ones(1))]
    with pytest.raises(ValueError, match="theirs is computed query by query by another program"):
        ranks.condensed_values(lambda given: given, measures)
    assert ranks.condensed_values(lambda given: given, measures[1:]) == {"ours": [1]}
