"""The advice to stop, against enumeration and scipy's distributions."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import betabinom, hypergeom

from planning.yields.advice import advice_of, chance_text
from planning.yields.stopping import (
    ALPHA,
    BETA,
    SURE,
    chance_of_nothing,
    chances_of_left,
    evidence_of,
    most_left,
    outlook,
    reason_against,
)
from tests.support.pair_tables import a_table

NO_QUERIES = np.zeros(len(ALPHA))
SAMPLES = [(100, 8)] * 5 + [(90, 0)] * 3 + [(100, 30)]


def posterior(samples, seen, relevant):
    """The weights of the grid, by scipy's beta-binomial probabilities."""
    weights = np.ones(len(ALPHA))
    for number, found in [*samples, (seen, relevant)]:
        weights = weights * betabinom.pmf(found, number, ALPHA, BETA)
    return weights / weights.sum()


@pytest.mark.parametrize("sample", [(60, 2), (10, 0), (30, 30)])
def test_the_outlook_is_the_mixture_of_beta_binomials(sample):
    seen, relevant = sample
    weights = posterior(SAMPLES, seen, relevant)
    alpha, beta = ALPHA + relevant, BETA + seen - relevant
    chances = [weights @ betabinom.pmf(number, 40, alpha, beta) for number in range(41)]

    prior = evidence_of(SAMPLES)
    assert chances_of_left(prior, *sample, 40) == pytest.approx(chances, rel=1e-6)
    found = outlook(prior, *sample, 40)
    assert found.nothing == pytest.approx(weights @ betabinom.pmf(0, 10, alpha, beta))
    assert found.expected == pytest.approx(40 * (weights @ (alpha / (alpha + beta))))
    ends = [next(n for n in range(41) if sum(chances[: n + 1]) >= p) for p in (0.025, 0.975)]
    assert [found.low, found.high] == ends


def test_fewer_than_ten_left_are_all_that_the_advice_is_about():
    prior = evidence_of(SAMPLES)
    assert outlook(prior, 50, 1, 3).nothing == pytest.approx(chances_of_left(prior, 50, 1, 3)[0])
    assert outlook(prior, 50, 1, 0) == (1.0, 0.0, 0, 0, 0)


@pytest.mark.parametrize("threshold", [0.6, 0.8, 0.9])
def test_stopping_at_the_first_chance_above_a_threshold_keeps_its_promise(threshold):
    """All 2,048 sequences of 11 candidates, weighted by the model: the tower property, counted.

    The next 4 candidates stand for the next ten.
    """
    size, stopped, true = 11, 0.0, 0.0
    chance = {
        (seen, found): chance_of_nothing(NO_QUERIES, seen, found, min(4, size - seen))
        for seen in range(size)
        for found in range(seen + 1)
    }
    of_sum = [
        float(np.mean(betabinom.pmf(found, size, ALPHA, BETA))) / ways(size, found)
        for found in range(size + 1)
    ]
    for flags in product((False, True), repeat=size):
        found = np.cumsum([0, *flags])
        place = next((i for i in range(size) if chance[i, found[i]] >= threshold), None)
        if place is not None:
            stopped += of_sum[found[-1]]
            true += of_sum[found[-1]] * (not any(flags[place : place + 4]))
    assert 0 < stopped < 1
    assert threshold <= true / stopped < 1


def ways(size, number):
    return int(np.prod([(size - i) / (i + 1) for i in range(number)]).round())


@pytest.mark.parametrize("size", [5, 12, 25])
def test_the_bound_is_never_wrong_at_any_time_with_at_least_95_percent(size):
    """Exactly, over all orders: the probability that the true number is ever excluded."""
    wrong = [chance_of_ever_excluding(size, relevant) for relevant in range(size + 1)]
    assert max(wrong) <= 1 - SURE
    assert size < 12 or max(wrong) > 0  # it excludes something


def chance_of_ever_excluding(size, relevant):
    alive, excluded = {(0, 0): 1.0}, 0.0
    for _ in range(size):
        following = {}
        for (seen, found), chance in alive.items():
            share = (relevant - found) / (size - seen)
            for hit, weight in ((1, share), (0, 1 - share)):
                state = seen + 1, found + hit
                following[state] = following.get(state, 0.0) + chance * weight
        alive = {}
        for (seen, found), chance in following.items():
            if chance and found + most_left(seen, found, size - seen) < relevant:
                excluded += chance
            elif chance:
                alive[seen, found] = chance
    return excluded


def test_the_bound_is_where_the_sample_becomes_twenty_times_less_likely():
    seen, found, left = 40, 1, 60
    evidence = np.mean([hypergeom.pmf(found, 100, number, seen) for number in range(101)])
    allowed = [
        number - found
        for number in range(found, found + left + 1)
        if hypergeom.pmf(found, 100, number, seen) * 20 >= evidence
    ]
    assert most_left(seen, found, left) == max(allowed)


def test_a_flat_prior_needs_189_candidates_as_the_decision_says():
    """Laplace: after n candidates without a relevant one, (n + 1)/(n + 11)."""
    assert [(n + 1) / (n + 11) >= 0.95 for n in (188, 189)] == [False, True]
    chances = [betabinom.pmf(0, 10, 1, 1 + n) for n in (188, 189)]
    assert chances == pytest.approx([189 / 199, 190 / 200])


@pytest.mark.parametrize("counts", [(5, 6, 1), (5, -1, 1), (5, 1, -1)])
def test_counts_that_no_sample_has_are_refused(counts):
    with pytest.raises(ValueError, match="no sample has these"):
        outlook(NO_QUERIES, *counts)


def test_too_little_is_said_with_its_reason():
    assert reason_against(queries=10, seen=10) == ""
    assert reason_against(queries=10, seen=9) == "fewer than 10 pairs that both judged"
    assert reason_against(queries=9, seen=10) == "fewer than 10 queries with pairs that both judged"


def test_a_probability_is_never_rounded_up():
    assert [chance_text(chance) for chance in (0.94999, 0.95, 0.9996, 1.0)] == [
        *("94.9 %", "95.0 %", "99.9 %", "100.0 %"),
    ]


# From a table


def test_a_facet_in_which_queries_hold_nothing_is_advised_to_stop_early():
    table = a_table({f"q{number}": "." * 60 for number in range(12)} | {"new": "." * 12 + "?" * 48})
    (advice,) = advice_of(table)
    assert (advice.query, advice.seen, advice.relevant, advice.left) == ("new", 12, 0, 48)
    assert advice.says_stop
    assert advice.sentence.startswith("Consider stopping. The next 10 candidates will hold nothing")
    assert advice.hours == pytest.approx(48 * 30 / 3600)

    prior = evidence_of([(60, 0)] * 12)
    assert advice.outlook == outlook(prior, 12, 0, 48)


def test_relevant_candidates_before_mean_more_to_come():
    others = {f"q{number}": "." * 50 + "R" * 10 for number in range(12)}
    (advice,) = advice_of(a_table(others | {"new": "R" * 6 + "." * 6 + "?" * 48}))
    assert not advice.says_stop
    assert advice.sentence.startswith("Continue.")
    assert advice.outlook.low <= advice.outlook.expected <= advice.outlook.high


def test_pairs_that_wait_or_were_postponed_count_as_relevant():
    others = {f"q{number}": "." * 60 for number in range(12)}
    (advice,) = advice_of(a_table(others | {"new": "." * 12 + "mp" + "?" * 46}))
    assert (advice.seen, advice.relevant, advice.left) == (14, 2, 46)
    assert not advice.says_stop


def test_imported_judgments_of_an_unfinished_query_tell_nothing():
    others = {f"q{number}": "." * 60 for number in range(10)}
    table = a_table(others | {"a": "." * 20 + "?" * 40, "b": "." * 20 + "?" * 40})
    by_query = {
        row.query: row for row in advice_of(table, {"a": "it is unknown", "q1": "it is unknown"})
    }
    assert by_query["a"].sentence == "Cannot be said: it is unknown."
    # q1 is finished, so its order does not matter.
    assert by_query["b"].outlook == outlook(evidence_of([(60, 0)] * 10), 20, 0, 40)


def test_without_ten_other_queries_nothing_can_be_said():
    others = {f"q{number}": "." * 60 for number in range(9)}
    (advice,) = advice_of(a_table(others | {"new": "." * 12 + "?" * 48}))
    assert (advice.outlook, advice.expectation, advice.chance) == (None, "", "cannot be said")
    assert advice.sentence == ("Cannot be said: fewer than 10 queries with pairs that both judged.")


def test_finished_and_untouched_queries_have_no_advice():
    assert advice_of(a_table({"a": "..R", "b": "???"})) == []
