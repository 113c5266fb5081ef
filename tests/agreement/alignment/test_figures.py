"""The two groups of a study: medians, interval and the randomization test."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from agreement.alignment.figures import (
    DRAWN_WAYS,
    DrawnQuery,
    compared,
    difference_interval,
    randomization_p,
)


def a_study(
    with_: list[float | None], without: list[float | None], measure: str = "kappa"
) -> list[DrawnQuery]:
    """One query of each block proposes; their values are in the order of the blocks."""
    return [
        DrawnQuery(f"q{block}{proposes}", block, proposes, 9, {measure: value}, {measure: 0.1})
        for block, pair in enumerate(zip(with_, without, strict=True), start=1)
        for proposes, value in zip((True, False), pair, strict=True)
        if value is not None
    ]


def row_of(queries: list[DrawnQuery], measure: str = "kappa") -> dict:
    return next(row for row in compared(queries, "seed") if row["measure"] == measure)


def test_the_groups_are_compared_by_their_medians():
    row = row_of(a_study([0.5, 0.7, 0.9], [0.4, 0.5, 0.2]))

    assert (row["with"], row["without"], row["first"]) == (0.7, 0.4, 0.1)
    assert row["difference"] == pytest.approx(0.3)
    assert (row["queries_with"], row["queries_without"]) == (3, 3)


def test_undefined_values_are_left_out_and_a_group_without_any_compares_nothing():
    row = row_of(a_study([0.5, 0.7, None], [0.4, None, None]))
    nothing = row_of(a_study([0.5, 0.7], [None, None]))

    assert (row["queries_with"], row["queries_without"]) == (2, 1)
    assert (nothing["with"], nothing["difference"], nothing["p"]) == (0.6, None, None)


def test_p_of_blocks_of_two_is_that_of_scipy():
    """Swapping within pairs is scipy's permutation type "samples"."""
    random = np.random.default_rng(5)
    for size in (2, 5, 8):
        values = random.normal(0.4, 0.2, (2, size)).round(1)  # with ties

        def statistic(one, other, axis):
            return abs(np.median(one, axis=axis) - np.median(other, axis=axis))

        theirs = stats.permutation_test(
            tuple(values),
            statistic,
            permutation_type="samples",
            vectorized=True,
            n_resamples=np.inf,
            alternative="greater",
        )
        ours = randomization_p(a_study(*values.tolist()), "kappa", "seed")
        assert ours == pytest.approx(theirs.pvalue), size


def test_a_block_with_one_value_can_fall_either_way_but_no_group_is_empty():
    """Of q1 in the first group and q2 in the second, the ways are two, with the same difference."""
    queries = [
        DrawnQuery("q1", 1, True, 9, {"kappa": 0.9}),
        DrawnQuery("q2", 2, False, 9, {"kappa": 0.1}),
    ]

    assert randomization_p(queries, "kappa", "seed") == 1


def test_of_many_blocks_ways_are_drawn_and_p_is_near_the_exact_one():
    random = np.random.default_rng(3)
    values = random.normal(0.4, 0.1, (2, 13))
    values[0] += 0.08
    drawn = randomization_p(a_study(*values.tolist()), "kappa", "seed")
    ways = (np.arange(2**13)[:, None] >> np.arange(13) & 1).astype(bool)
    differences = np.median(np.where(ways, values[0], values[1]), axis=1) - np.median(
        np.where(ways, values[1], values[0]), axis=1
    )
    exact = np.mean(abs(differences) >= abs(differences[-1]) - 1e-9)

    assert 0.01 < exact < 0.5
    assert drawn == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / DRAWN_WAYS))
    assert drawn == randomization_p(a_study(*values.tolist()), "kappa", "seed")


def test_an_interval_needs_ten_queries_in_each_group_and_holds_the_difference():
    first, second = [n / 20 for n in range(10)], [n / 30 for n in range(11)]
    low, high = difference_interval(first, second, "seed")

    assert difference_interval(first[:9], second, "seed") is None
    assert low < np.median(first) - np.median(second) < high
