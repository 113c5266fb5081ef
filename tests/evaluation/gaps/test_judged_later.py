"""Scores and places if gaps are judged, against every labelling of the gaps."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from evaluation.gaps.computation.bounds import BoundedMeasure, ScoreRange
from evaluation.gaps.computation.judged_later import MOST_EXACT, JudgedLater
from evaluation.gaps.computation.means import MeanRange, mean_range, places
from evaluation.gaps.computation.read_lists import ReadLists
from tests.support.labellings import Case, values_of

SYSTEMS = ("first", "second", "third")
QUERIES = ("q1", "q2")
DEPTH = 2
EXACT = ("P@3", "R@3", "nDCG@3", "nDCG", "RBP(p=0.8,rel=1)")
Lists = Mapping[str, Mapping[str, Sequence[str]]]


def random_lists(seed: int) -> tuple[dict[str, dict[str, int]], Lists]:
    """Labels by query, and lists of up to 5 of 9 documents by system. A query may lack relevant."""
    rng = random.Random(seed)
    documents = [f"d{number}" for number in range(9)]
    qrels = {
        name: {docno: rng.choice([0, 0, 1]) for docno in rng.sample(documents, 4)}
        for name in QUERIES
    }
    lists = {
        system: {name: rng.sample(documents, rng.randint(1, 5)) for name in QUERIES}
        for system in SYSTEMS
    }
    return qrels, lists


def judged_later(
    qrels: Mapping[str, Mapping[str, int]], lists: Lists, chosen: Sequence[str]
) -> JudgedLater:
    read = ReadLists(qrels, 1, DEPTH)
    for system in chosen:
        read.open_gap(lists[system].items())
    for system in SYSTEMS:
        read.read(system, lists[system].items())
    return JudgedLater(read, chosen, {"all": [0, 1], "one": [1]})


def means_of(
    measure: str,
    qrels: Mapping[str, Mapping[str, int]],
    lists: Lists,
    open_: Mapping[str, Sequence[str]],
) -> list[tuple[float | None, ...]]:
    """For every labelling of the open documents: the mean of each system, None without queries."""
    by_query = []
    for name in QUERIES:
        case = Case(qrels[name], open_[name], [lists[system][name] for system in SYSTEMS], 1)
        rows: list[list[float] | None] = []
        for labels in case.labellings():
            found = values_of(case, [measure], 1, [labels])[measure]
            rows.append(found[0] if found else None)
        by_query.append(rows)
    means: list[tuple[float | None, ...]] = []
    for combination in itertools.product(*by_query):
        scored = [row for row in combination if row]
        means.append(tuple(np.mean(scored, axis=0)) if scored else (None,) * len(SYSTEMS))
    return means


def gap(qrels: Mapping[str, Mapping[str, int]], lists: Lists, systems: Sequence[str]):
    return {
        name: sorted(
            {
                docno
                for system in systems
                for docno in lists[system][name][:DEPTH]
                if docno not in qrels[name]
            }
        )
        for name in QUERIES
    }


@pytest.mark.parametrize("measure", [*EXACT, "AP", "Bpref", "RR"])
@pytest.mark.parametrize("chosen", [SYSTEMS, ("second", "third")], ids=["all", "two"])
def test_scores_are_the_extremes_of_all_labellings_of_the_gaps(
    measure: str, chosen: Sequence[str]
) -> None:
    bounded = BoundedMeasure.of(measure)
    for seed in range(15):
        qrels, lists = random_lists(seed)
        later = judged_later(qrels, lists, chosen)
        result, _ = later.result(bounded, 0)
        joint = means_of(measure, qrels, lists, gap(qrels, lists, chosen))
        (today,) = means_of(measure, qrels, lists, {name: [] for name in QUERIES})
        assert later.pairs == sum(map(len, gap(qrels, lists, chosen).values()))
        for number, system in enumerate(SYSTEMS):
            own_gap = gap(qrels, lists, [system]) if system in chosen else None
            if own_gap is not None:
                alone = means_of(measure, qrels, lists, own_gap)
                assert_extremes(result.scores["all"][system].own, alone, number, today)
            assert_extremes(result.scores["all"][system].joint, joint, number, today)


def assert_extremes(
    found: MeanRange,
    means: Sequence[tuple[float | None, ...]],
    number: int,
    today: Sequence[float | None],
) -> None:
    values = [row[number] for row in means if row[number] is not None]
    expected = (min(values), today[number], max(values)) if values else (None,) * 3
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("measure", [*EXACT, "AP"])
@pytest.mark.parametrize("budget", [0, MOST_EXACT], ids=["intervals", "exact"])
def test_no_labelling_gives_a_place_or_an_order_outside_the_bounds(
    measure: str, budget: int
) -> None:
    reached = 0
    for seed in range(15):
        qrels, lists = random_lists(seed)
        later = judged_later(qrels, lists, SYSTEMS)
        result, left = later.result(BoundedMeasure.of(measure), budget)
        assert left <= budget
        means = [
            row
            for row in means_of(measure, qrels, lists, gap(qrels, lists, SYSTEMS))
            if row[0] is not None
        ]
        bounds = [result.scores["all"][system].place for system in SYSTEMS]
        for row in means:
            for number, place in enumerate(bounds):
                rank = 1 + sum(other > row[number] + 1e-9 for other in row)
                assert place.best <= rank <= place.worst
        orders = {(each.first, each.second): each for each in result.orders}
        for first, second in itertools.permutations(range(3), 2):
            key = SYSTEMS[first], SYSTEMS[second]
            found = [row[first] - row[second] for row in means]
            if key in orders:
                low, _, high = orders[key].difference
                assert low <= min(found) + 1e-9
                assert high >= max(found) - 1e-9
                if orders[key].is_exact:
                    assert (low, high) == pytest.approx((min(found), max(found)))
                    reached += 1
            elif tuple(reversed(key)) not in orders and found:
                assert min(found) >= -1e-9 or max(found) <= 1e-9
    assert (reached > 0) == (budget > 0 and measure in EXACT)


def test_a_document_in_the_gap_of_another_system_counts_further_down_in_a_list() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    lists = {
        "first": {"q1": ["a", "b", "x"], "q2": []},
        "second": {"q1": ["x"], "q2": []},
        "third": {"q1": [], "q2": []},
    }
    later = judged_later(qrels, lists, ["second"])
    result, _ = later.result(BoundedMeasure.of("AP"), 0)
    # "x" at rank 3 is relevant or not: (1 + 2/3) / 2 or 1, with 0 for the other query.
    assert result.scores["all"]["first"].joint == pytest.approx((5 / 12, 0.5, 0.5))
    assert result.scores["all"]["first"].own == (0.5, 0.5, 0.5)


def test_pairs_in_several_gaps_are_judged_once() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    lists = {
        "first": {"q1": ["x", "y"], "q2": ["x"]},
        "second": {"q1": ["y", "x", "z"], "q2": ["b"]},
        "third": {"q1": ["z", "a"], "q2": []},
    }
    later = judged_later(qrels, lists, SYSTEMS)
    assert (later.pairs, later.shared) == (4, 2)
    assert later.lists.gap_sizes()["first"].tolist() == [2, 1]
    assert later.lists.gap_sizes()["third"].tolist() == [1, 0]
    assert later.lists.listed("second") == 3


def test_a_settled_document_is_in_no_gap() -> None:
    read = ReadLists({"q1": {"a": 1}}, 1, None, {"q1": {"x"}})
    read.open_gap([("q1", ["x", "y"]), ("other", ["z"])])
    assert read.query(0, {"q1": "paper"}, ()).docnos == ["y"]


def test_a_query_that_may_have_no_value_joins_a_mean_where_that_is_worse() -> None:
    sure, may_join = ScoreRange(0.4, 0.5, 0.6), ScoreRange(0.1, 0.0, 0.9, is_certain=False)
    assert mean_range([sure, may_join, None]) == pytest.approx((0.25, 0.5, 0.75))
    assert mean_range([may_join]) == (0.1, None, 0.9)
    assert mean_range([None]) == (None, None, None)


def test_equal_systems_share_a_rank() -> None:
    values = np.array([[np.nan, 0.0, 0.1], [0.0, np.nan, 0.1], [-0.1, -0.1, np.nan]])
    found = places(values - 0.05, values, values + 0.05)
    assert [tuple(place) for place in found] == [(1, 1, 2), (1, 1, 2), (3, 3, 3)]
