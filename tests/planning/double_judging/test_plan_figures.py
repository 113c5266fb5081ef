"""The figures of a plan, against the coefficients and scores of the rest of the program."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from agreement.coefficients import CrossTable, alpha_ordinal_of
from planning.double_judging.comparison import BUDGETS, compare_plans, judgments_of
from planning.double_judging.plan_figures import (
    AlphaIntervals,
    SystemsUnderLabels,
    label_errors,
    ranking_figures,
)
from planning.double_judging.strategies import (
    NO_LABEL,
    STRATEGIES,
    JudgedTwice,
    PairColumns,
    PlannedLabels,
)
from scoring.measures.offered import known_measure
from scoring.measures.scoring import score_lists

GRADES = range(4)


def columns_with(number: int = 120, queries: int = 12, seed: int = 1) -> PairColumns:
    random = np.random.default_rng(seed)
    first = random.integers(0, 4, number)
    second = np.clip(first + random.integers(-1, 2, number), 0, 3)
    return PairColumns(
        [
            JudgedTwice(
                f"q{i % queries:02}", f"d{i:03}", int(a), int(b), int(max(a, b)), i / number
            )
            for i, (a, b) in enumerate(zip(first, second, strict=True))
        ],
        highest=3,
        relevant_from=2,
    )


def planned(labels: list[int], judges: list[int]) -> PlannedLabels:
    return PlannedLabels(np.array(labels), np.array(judges), 0)


def test_errors_are_shares_of_the_labelled_pairs():
    pairs = [
        JudgedTwice("q", docno, 0, 0, final, 0.0)
        for docno, final in zip("abcdef", (0, 1, 1, 2, 3, 3), strict=True)
    ]
    columns = PairColumns(pairs, highest=3, relevant_from=2)

    found = label_errors(columns, planned([0, 2, 1, 1, 3, NO_LABEL], [1] * 5 + [0]))

    assert found == {
        "labelled": 5 / 6,
        "different": 2 / 5,
        "distance": 2 / 5,
        "false_relevant": 1 / 3,
        "false_nonrelevant": 1 / 2,
    }


def test_without_a_label_no_error_is_defined():
    columns = columns_with(4, 1)

    found = label_errors(columns, planned([NO_LABEL] * 4, [0] * 4))

    assert found.pop("labelled") == 0
    assert set(found.values()) == {None}


def test_the_interval_of_alpha_is_that_of_resampled_queries():
    columns = columns_with()
    judges = [2 if number % 3 else 1 for number in range(len(columns))]

    found = AlphaIntervals(columns, "seed").of(planned(columns.final.tolist(), judges))

    by_query: dict[str, list[tuple[int, int]]] = {}
    for pair, people in zip(columns.pairs, judges, strict=True):
        if people == 2:
            by_query.setdefault(pair.query, []).append((pair.first, pair.second))
    names = sorted(by_query)
    stream = hashlib.shake_256(f"seed|judging-plans|{len(names)}".encode()).digest(
        4 * 2000 * len(names)
    )
    words = [int.from_bytes(stream[i : i + 4], "little") for i in range(0, len(stream), 4)]
    alphas = []
    for start in range(0, len(words), len(names)):
        drawn = [names[word * len(names) >> 32] for word in words[start : start + len(names)]]
        cells = ((grades, 1) for name in drawn for grades in by_query[name])
        value = alpha_ordinal_of(CrossTable(cells)).value
        assert value is not None
        alphas.append(value)
    low, high = np.percentile(alphas, [2.5, 97.5])
    assert found["alpha_low"] == pytest.approx(low, abs=1e-12)
    assert found["alpha_high"] == pytest.approx(high, abs=1e-12)
    assert low < found["alpha"] < high


def test_fewer_than_ten_queries_have_no_interval():
    columns = columns_with(60, 9)

    found = AlphaIntervals(columns, "seed").of(planned(columns.final.tolist(), [2] * 60))

    assert found["alpha"] is not None
    assert found["alpha_low"] is None


def lists_of(columns: PairColumns, seed: int) -> dict[str, list[str]]:
    """A ranking of each query that misses some pairs and has documents outside the pool."""
    random = np.random.default_rng(seed)
    lists: dict[str, list[str]] = {}
    for query in columns.queries[1:]:
        docnos = [pair.docno for pair in columns.pairs if pair.query == query]
        lists[query] = [str(docno) for docno in random.permutation([*docnos[:-2], "x", "y"])]
    return lists


@pytest.mark.parametrize("name", ["NDCG%20", "P@20", "AP(rel=2)"])
def test_systems_are_scored_as_everywhere_else(name):
    columns = columns_with()
    measure = known_measure(name, 2).measure
    lists = {system: lists_of(columns, number) for number, system in enumerate("abc")}
    keys = [(pair.query, pair.docno) for pair in columns.pairs]
    ranking = SystemsUnderLabels(keys, [(s, each.items()) for s, each in lists.items()], measure)
    labels = np.random.default_rng(9).integers(0, 4, len(columns))
    labels[columns.query == 3] = 0
    labels[columns.query >= 8] = NO_LABEL

    found = ranking.means(labels)

    qrels: dict[str, dict[str, int]] = {}
    for (query, docno), label in zip(keys, labels.tolist(), strict=True):
        if label != NO_LABEL:
            qrels.setdefault(query, {})[docno] = label
    for system, each in lists.items():
        values = score_lists(each, qrels, [measure])[measure.name]
        assert "q03" not in values.index
        assert found[system] == pytest.approx(values.mean(), abs=1e-12)


def test_the_best_rank_is_among_the_compared_pairs_of_any_list():
    keys = [("q", docno) for docno in "abcd"]
    measure = known_measure("NDCG%20", 2).measure
    lists = {"one": {"q": ["x", "b", "a"]}, "two": {"q": ["c", "x", "y", "b"]}}
    ranking = SystemsUnderLabels(keys, [(s, each.items()) for s, each in lists.items()], measure)

    best = ranking.best_rank.tolist()

    assert best[:3] == [2, 1, 1]
    assert best[3] > 1000


def test_rankings_are_compared_by_tau_and_by_pairs_in_another_order():
    truth = {"a": 0.9, "b": 0.5, "c": 0.4}

    assert ranking_figures(truth, {"a": 0.3, "b": 0.1, "c": 0.2}) == {
        "tau": pytest.approx(1 / 3),
        "tau_ap": pytest.approx(0.5),
        "swaps": 1.0,
    }
    assert ranking_figures(truth, {"a": 0.3, "b": 0.2, "c": 0.2})["swaps"] == 0
    assert set(ranking_figures(truth, {}).values()) == {None}


def test_a_budget_is_a_number_of_judgments_for_each_pair_rounded_down():
    assert [judgments_of(budget, 7) for budget in ("0.5", "1", "1.25", "2")] == [3, 7, 8, 14]
    for wrong in ("0", "2.1", "-1", "half", "1/0", ""):
        with pytest.raises(ValueError, match="a budget must be"):
            judgments_of(wrong, 7)


def test_the_comparison_has_a_row_for_each_plan_and_budget_and_the_same_twice():
    columns = columns_with(48, 4)
    keys = [(pair.query, pair.docno) for pair in columns.pairs]
    measure = known_measure("NDCG%20", 2).measure
    lists = [(system, lists_of(columns, number).items()) for number, system in enumerate("ab")]

    def compared() -> list[dict]:
        ranking = SystemsUnderLabels(keys, lists, measure)
        return compare_plans(columns, ranking, "seed", repetitions=3)

    done: list[int] = []
    rows = compare_plans(
        columns, SystemsUnderLabels(keys, lists, measure), "seed", repetitions=3, step=done.append
    )

    assert [(row["strategy"], row["budget"]) for row in rows] == [
        (strategy, budget) for strategy in STRATEGIES for budget in BUDGETS
    ]
    assert done == [1, 2, 3]
    assert rows == compared()
    last = rows[-1]["figures"]
    assert last["different"] == {"mean": 0.0, "sd": 0.0, "defined": 3}
    assert last["tau"]["mean"] == 1
    assert last["alpha_low"] == {"mean": None, "sd": None, "defined": 0}
    assert last["judgments"]["mean"] == 96
