"""Bootstrap intervals against a second implementation, and against what is known exactly."""

from __future__ import annotations

import hashlib
from random import Random

import numpy as np
import pytest
from scipy.stats import binom, bootstrap

from agreement.coefficients import Missing
from agreement.intervals import MedianIntervals, middle_ranks
from agreement.summary import RatedPair, as_json_dict, summarize
from corpus.resampling import FEWEST_QUERIES, RESAMPLES, draw

SEED = "0f3a"
PINNED = (0.41476999305399087, 0.542190668017888)
CONSTANT = [(query, grade) for query in range(10) for grade in (0, 1)]


def some_values(number: int) -> list[float]:
    random = Random(number)
    return [random.betavariate(4, 5) for _ in range(number)]


@pytest.mark.parametrize("number", [10, 17, 60, 501])
def test_the_ends_are_those_of_scipy_within_sampling_error(number: int) -> None:
    """Of 2,000 medians, the 2.5 % point is known to ± 1.05 %: three standard errors."""
    values = some_values(number)
    ends = MedianIntervals(SEED).of(values)
    expected = bootstrap(
        (np.array(values),),
        np.median,
        n_resamples=20_000,
        method="percentile",
        rng=np.random.default_rng(1),
    ).bootstrap_distribution

    assert ends is not None
    for end, level in zip(ends, (2.5, 97.5), strict=True):
        lowest, highest = np.percentile(expected, [level - 1.05, level + 1.05])
        assert lowest <= end <= highest


def test_the_middle_ranks_have_their_exact_distribution() -> None:
    # The median of n draws is at most k if at least (n + 1)/2 of them are.
    number = 21
    ranks = middle_ranks(number, SEED)

    assert ranks.shape == (RESAMPLES, 2)
    assert (ranks[:, 0] == ranks[:, 1]).all()
    for k in range(number):
        share = np.mean(ranks[:, 0] <= k)
        exact = binom.sf(number // 2, number, (k + 1) / number)
        assert share == pytest.approx(exact, abs=0.04)


def test_the_median_of_an_even_number_is_between_two_ranks() -> None:
    (row,) = draw(12, 12, f"{SEED}|agreement-intervals|12", 1)

    assert middle_ranks(12, SEED, 1).tolist() == [sorted(row[0].tolist())[5:7]]


def test_the_numbers_are_words_of_shake_256() -> None:
    stream = hashlib.shake_256(b"a name").digest(24)
    words = [int.from_bytes(stream[4 * place : 4 * place + 4], "little") for place in range(6)]

    (block,) = draw(3, 7, "a name", 2)

    assert block.tolist() == [
        [word * 7 // 2**32 for word in words[:3]],
        [word * 7 // 2**32 for word in words[3:]],
    ]


def test_many_numbers_come_in_blocks() -> None:
    blocks = list(draw(300_000, 9, "x", 3))

    assert [block.shape for block in blocks] == [(1, 300_000)] * 3
    assert {int(block.min()) for block in blocks} == {0}
    assert {int(block.max()) for block in blocks} == {8}


def test_the_same_seed_gives_the_same_interval_on_every_machine() -> None:
    values = [number / 10 for number in range(11)]

    assert MedianIntervals(SEED).of(values) == (0.2, 0.8)
    assert MedianIntervals(SEED).of(values[::-1]) == (0.2, 0.8)
    assert MedianIntervals(SEED).of(some_values(40)) == PINNED
    assert MedianIntervals("other").of(some_values(40)) != PINNED


def test_fewer_than_ten_queries_have_no_interval() -> None:
    assert FEWEST_QUERIES == 10
    assert MedianIntervals(SEED).of(some_values(9)) is None
    assert MedianIntervals(SEED).of([0.5] * 10) == (0.5, 0.5)


def test_a_report_has_an_interval_for_each_median_of_ten_values() -> None:
    random = Random(2)
    pairs = [
        RatedPair(f"{query:02}_method", "method", random.randrange(4), random.randrange(4), 1)
        for query in range(10)
        for _ in range(20)
    ]
    # A query with a constant judge has no rho: nine have.
    pairs += [RatedPair(f"{query:02}_result", "result", grade, 1, 1) for query, grade in CONSTANT]

    report = as_json_dict("demo", Missing.EXCLUDE, summarize(pairs, seed=SEED))
    facets = {(row["facet"], row["stage"]): row for row in report["facets"]}  # type: ignore[attr-defined]
    alphas = [
        row["alpha"]
        for row in report["queries"]  # type: ignore[attr-defined]
        if (row["facet"], row["stage"]) == ("method", "pre")
    ]

    assert report["intervals"] == {"level": 0.95, "resamples": 2000, "seed": SEED}
    interval = facets["method", "pre"]["interval"]
    assert interval["alpha"] == list(MedianIntervals(SEED).of(alphas) or ())
    result = facets["result", "pre"]
    assert (result["defined"]["spearman"], result["interval"]["spearman"]) == (0, None)
    assert result["interval"]["percent"] == [50.0, 50.0]
