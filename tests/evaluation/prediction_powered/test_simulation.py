"""The share of the intervals that contain the truth, over drawn queries."""

from __future__ import annotations

import hashlib
import math

import numpy as np
import pytest

from evaluation.prediction_powered.reference_models import at_random, by_rank, constant, noisy
from evaluation.prediction_powered.simulation import random_orders, simulate, simulated_sizes

DRAWS, QUERIES = 400, 120
# Four standard deviations of the share of 400 draws: a test that fails by chance once in 15,000.
TOLERANCE = 4 * math.sqrt(0.95 * 0.05 / DRAWS)


def scores(queries: int = QUERIES) -> np.ndarray:
    """Three systems whose values are skewed, as those of retrieval are."""
    numbers = random_orders(queries, 3, "scores") / queries
    return numbers**2


def simulated(model: np.ndarray, size: int = 24, human: np.ndarray | None = None):
    (found,) = simulate(
        scores() if human is None else human,
        model,
        [size],
        draws=DRAWS,
        seed="seed",
        measure="nDCG@10",
    )
    return found


@pytest.mark.parametrize("model", ["shifted", "opposite", "random", "constant", "absent"])
def test_intervals_contain_the_truth_whatever_the_model_says(model):
    human = scores()
    labels = {
        "shifted": human + 0.4,
        "opposite": 1 - human,
        "random": random_orders(QUERIES, 3, "others") / QUERIES,
        "constant": np.ones_like(human),
        "absent": np.full_like(human, math.nan),
    }
    found = simulated(labels[model])
    assert found.powered == pytest.approx(0.95, abs=TOLERANCE)
    assert found.human == pytest.approx(0.95, abs=TOLERANCE)
    assert (found.width < 0.6) == (model in ("shifted", "opposite"))
    assert (found.saved[1] > 5) == (model in ("shifted", "opposite"))


def test_the_mean_is_over_queries_with_a_value():
    human = scores()
    human[:, ::6] = math.nan
    found = simulated(human + 0.4, human=human)
    assert found.powered == pytest.approx(0.95, abs=TOLERANCE)


def test_an_interval_of_the_model_alone_would_be_wrong():
    """So the coverage of the estimates above is no property of the data."""
    human = scores()
    model = human + 0.4
    assert abs(model.mean(axis=1) - human.mean(axis=1)).min() > 0.3


def test_draws_are_random_and_the_same_for_the_same_seed():
    orders = random_orders(7, 2_000, "seed")
    assert (np.sort(orders, axis=1) == np.arange(7)).all()
    assert (orders == random_orders(7, 2_000, "seed")).all()
    assert (orders != random_orders(7, 2_000, "other")).any()
    first = np.bincount(orders[:, 0], minlength=7) / 2_000
    assert first == pytest.approx(np.full(7, 1 / 7), abs=4 * math.sqrt(6 / 49 / 2_000))


def test_the_same_draws_give_the_same_numbers_on_every_machine():
    stream = hashlib.shake_256(b"seed|judged-queries").digest(8 * 2 * 5)
    keys = [stream[place : place + 8] for place in range(0, len(stream), 8)]
    expected = [sorted(range(5), key=lambda query: keys[5 * draw + query]) for draw in range(2)]
    assert random_orders(5, 2, "seed").tolist() == expected


def test_sizes_leave_queries_unjudged():
    assert simulated_sizes(33) == [8, 16, 20, 24, 32]
    assert simulated_sizes(8) == []


def test_the_noisy_model_keeps_most_labels_and_takes_the_others_from_the_query():
    final = {f"q{n}": {f"d{i}": (i + n) % 3 for i in range(200)} for n in range(5)}
    labels = noisy(final, "seed")
    pairs = [
        (final[query][docno], grade) for query in final for docno, grade in labels[query].items()
    ]
    same = sum(first == second for first, second in pairs) / len(pairs)
    # 80 % are kept, and a third of the others have the same grade by chance.
    assert same == pytest.approx(0.8 + 0.2 / 3, abs=0.05)
    assert labels == noisy(final, "seed") != noisy(final, "other")
    assert noisy({"q": {"d1": 2, "d2": 2}}, "seed") == {"q": {"d1": 2, "d2": 2}}


def test_the_useless_models_know_nothing_of_the_labels():
    final = {"q": {f"d{i}": 2 for i in range(300)}}
    grades = list(at_random(final, range(4), "seed")["q"].values())
    assert np.bincount(grades) / 300 == pytest.approx(np.full(4, 0.25), abs=0.1)
    assert constant(final, 3) == {"q": dict.fromkeys(final["q"], 3)}


def test_the_model_of_ranks_labels_the_best_tenth_of_the_fused_lists():
    final = {"q": {f"d{i}": 0 for i in range(20)}}
    lists = [{"q": ["x", "d7", "d3", "d1"]}, {"q": ["d3", "d7"]}, {"other": ["d1"]}]
    labels = by_rank(final, lists, 3)["q"]
    assert {docno for docno, grade in labels.items() if grade == 3} == {"d3", "d7"}
    assert set(labels.values()) == {0, 3}
    assert by_rank({"q": {"d2": 1, "d1": 1}}, [], 1) == {"q": {"d1": 1, "d2": 0}}
