"""The preference of a model for what its own family found."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.shadow_judges.agreement import ComparedPair
from evaluation.shadow_judges.worth.pairs import CandidateFacts, ComparedPairs
from evaluation.shadow_judges.worth.preference import preferences
from evaluation.shadow_judges.worth.resamples import QueryResamples
from tests.support.compared_pairs import compared, pairs_with_facts

OWN, OTHER = CandidateFacts(found=frozenset({"own"})), CandidateFacts(found=frozenset({"other"}))


def preference(rows, resamples=200, family=frozenset({"own"})) -> dict:
    pairs = compared(rows)
    (row,) = preferences(
        pairs, {"mine": family}, QueryResamples(len(pairs.queries), "seed", resamples)
    )
    return row


def coefficient_of_found(rows, rater: str, key) -> float:
    """By least squares: the error on `found`, with a constant for each stratum."""
    strata = sorted({key(pair) for pair, _ in rows})
    design = [
        [float("bm25" in facts.found), *(float(key(pair) == each) for each in strata)]
        for pair, facts in rows
    ]
    errors = [getattr(pair, rater) - pair.final for pair, _ in rows]
    return float(np.linalg.lstsq(np.array(design), np.array(errors), rcond=None)[0][0])


def test_a_preference_is_the_coefficient_of_a_regression_with_constants_for_the_strata():
    rows = pairs_with_facts()
    row = preference(rows, family=frozenset({"bm25"}))
    found = sum("bm25" in facts.found for _, facts in rows)
    assert (row["found"], row["others"], row["queries"]) == (found, len(rows) - found, 14)
    for rater in ("model", "first", "second"):
        numbers = row["raters"][rater]
        assert numbers["query"]["value"] == pytest.approx(
            coefficient_of_found(rows, rater, lambda pair: pair.query)
        )
        assert numbers["same_label"]["value"] == pytest.approx(
            coefficient_of_found(rows, rater, lambda pair: (pair.query, pair.final))
        )
    for strata in ("query", "same_label"):
        model, first, second, excess = (
            row["raters"][rater][strata]["value"]
            for rater in ("model", "first", "second", "excess")
        )
        assert excess == pytest.approx(model - (first + second) / 2)


def test_a_family_has_all_documents_that_one_of_its_sources_found():
    rows = pairs_with_facts()
    row = preference(rows, family=frozenset({"bm25", "cited"}))
    found = sum(not facts.found.isdisjoint({"bm25", "cited"}) for _, facts in rows)
    assert (row["found"], row["others"]) == (found, len(rows) - found)
    assert row["sources"] == ["bm25", "cited"]


def test_a_query_with_one_kind_of_documents_and_pairs_without_a_label_do_not_count():
    rows = pairs_with_facts()
    of_both = preference(rows, family=frozenset({"bm25"}))
    extra = [
        (pair._replace(query="q99"), facts._replace(found=frozenset({"bm25"})))
        for pair, facts in rows[:30]
    ]
    with_extra = preference([*rows, *extra], family=frozenset({"bm25"}))
    assert (with_extra["found"], with_extra["queries"]) == (of_both["found"], 14)
    value = with_extra["raters"]["model"]["query"]["value"]
    assert value == pytest.approx(of_both["raters"]["model"]["query"]["value"])
    unlabelled = [(pair._replace(final=None, set_aside=True), facts) for pair, facts in rows]
    assert preference(unlabelled)["raters"]["model"]["query"]["undefined"] == (
        "0 of at least 30 pairs"
    )


def test_higher_grades_of_a_family_are_no_preference_among_pairs_of_the_same_label():
    """A model that gives 1 to everything is too low on good documents, whatever found them."""
    random = np.random.default_rng(4)
    rows = []
    for query in range(20):
        for _ in range(60):
            is_own = random.random() < 0.5
            final = int(random.integers(1, 4) if is_own else random.integers(0, 3))
            rows.append(
                (ComparedPair(f"q{query:02}", "", 1, final, final, final), OWN if is_own else OTHER)
            )
    numbers = preference(rows)["raters"]["model"]
    assert numbers["query"]["value"] < -0.8
    assert numbers["query"]["interval"][1] < 0
    assert numbers["same_label"]["value"] == 0


def a_draw(random: np.random.Generator, bias: float) -> ComparedPairs:
    """25 queries of 40 pairs. The mean of the queries' preferences is `bias`; they differ."""
    rows = []
    for query in range(25):
        of_query = bias + random.uniform(-0.25, 0.25)
        own_share = random.uniform(0.2, 0.8)
        for _ in range(40):
            is_own, final = random.random() < own_share, int(random.integers(2, 4))
            noise = int(random.integers(-1, 2))
            boost = int(np.sign(of_query)) * int(random.random() < abs(of_query)) * is_own
            people = [final + int(random.random() < 0.2) for _ in range(2)]
            pair = ComparedPair(f"q{query:02}", "", final + noise + boost, *people, final)
            rows.append((pair, OWN if is_own else OTHER))
    return ComparedPairs.of(rows, 7)


@pytest.mark.parametrize("bias", [0.0, 0.3])
@pytest.mark.by_day(2)
def test_the_intervals_cover_a_planted_preference_in_95_percent_of_draws(bias):
    random, draws = np.random.default_rng(int(100 * bias)), 250
    resamples = QueryResamples(25, "seed", 1_000)
    covered = dict.fromkeys([("model", "query"), ("model", "same_label"), ("excess", "query")], 0)
    values = []
    for _ in range(draws):
        (row,) = preferences(a_draw(random, bias), {"mine": frozenset({"own"})}, resamples)
        for rater, strata in covered:
            estimate = row["raters"][rater][strata]
            low, high = estimate["interval"]
            covered[rater, strata] += low <= bias <= high
        values.append(row["raters"]["model"]["query"]["value"])
    assert np.mean(values) == pytest.approx(bias, abs=0.02)
    for times in covered.values():
        assert 0.91 < times / draws < 0.985  # 95 % ± 3 standard errors
