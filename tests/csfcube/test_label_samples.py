"""Samples of CSFCube's citation labels estimate the errors that its published ratings show."""

from __future__ import annotations

from collections import Counter, defaultdict
from statistics import fmean, stdev

import pytest

from bundle.label_errors.rates import (
    FALSE_NEGATIVE,
    FALSE_POSITIVE,
    MEASURES,
    OVERALL,
    RECALL,
    JudgedLabel,
    count_strata,
    rates_of,
)
from csfcube.release import read_release
from release.label_samples.choice import draw_pairs

pytestmark = pytest.mark.csfcube
SEEDS = 200


@pytest.mark.parametrize(
    ("facet", "cited_and_low", "relevant_others"),
    [("background", (216, 271), (165, 1606)), ("method", (301, 339), (78, 1835))],
)
@pytest.mark.by_day(4)
def test_estimates_are_unbiased_and_intervals_hold_the_true_value(
    csfcube, facet, cited_and_low, relevant_others
):
    """The true shares are the paper's: 79.7 % and 88.8 % of cited papers are rated 0 or 1."""
    published = read_release(csfcube)
    strata = defaultdict(list)
    grades = {}
    for key, ratings in published.ratings.items():
        sources = {document.docno: document.sources for document in published.pools[key.pid]}
        for rating in ratings.rated:
            if key.facet == facet and rating.final is not None:
                is_cited = "cited" in sources[rating.docno]
                type_ = "true" if is_cited else sources[rating.docno][0]
                strata["", type_, int(is_cited)].append((key.name, rating.docno))
                grades[key.name, rating.docno] = rating.final

    def overall(size: int, seed: int) -> dict:
        drawn = draw_pairs(strata, size=size, seed=str(seed), name="sample")
        judged = [
            JudgedLabel(*pair, stratum.field, stratum.type, stratum.label, grades[pair], 3)
            for stratum, pairs in drawn.pairs.items()
            for pair in pairs
        ]
        rates = rates_of(count_strata(drawn.strata, judged, relevant_from=2))
        return {rate.measure: rate for rate in rates if rate.scope == OVERALL}

    true = overall(len(grades), 0)
    assert (true[FALSE_POSITIVE].counted, true[FALSE_POSITIVE].population) == cited_and_low
    assert (true[FALSE_NEGATIVE].counted, true[FALSE_NEGATIVE].population) == relevant_others
    held: Counter[str] = Counter()
    estimates = defaultdict(list)
    for seed in range(SEEDS):
        for measure, rate in overall(400, seed).items():
            held[measure] += rate.low <= true[measure].estimate <= rate.high
            estimates[measure].append(rate.estimate)

    for measure in MEASURES:
        error = stdev(estimates[measure]) / SEEDS**0.5
        # Of 200 intervals of 95 %, 181 to 198 hold the value with a probability of 99.5 %.
        assert 181 <= held[measure] <= 199, (measure, held[measure])
        if measure != RECALL:  # a ratio, which has a small bias
            assert abs(fmean(estimates[measure]) - true[measure].estimate) < 3.5 * error, measure
