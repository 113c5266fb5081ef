"""Plans of judging: what each judges, and that none reads a judgment it has not paid for."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.ordering import order_key, random_number
from planning.double_judging.strategies import (
    NO_LABEL,
    STRATEGIES,
    JudgedTwice,
    PairColumns,
    PlannedLabels,
    Simulation,
    rank_scores,
)

SECOND_JUDGES = ("random", "boundary", "disagreement", "uncertainty")
BY_MODEL = ("lara", "hybrid")
grades = st.integers(0, 3)
rows = st.tuples(
    st.sampled_from(["q1", "q2", "q3"]),
    grades,
    grades,
    grades,
    st.integers(0, 8),
    st.integers(1, 5),
)
worlds = st.lists(rows, min_size=1, max_size=40)


def columns_of(world: list[tuple]) -> PairColumns:
    pairs = [
        JudgedTwice(
            query, f"d{number:02}", first, second, first if first == second else final, s / 8
        )
        for number, (query, first, second, final, s, _) in enumerate(world)
    ]
    ranks = {pair.docno: row[-1] for pair, row in zip(pairs, world, strict=True)}
    best = np.array([ranks[pair.docno] for pair in sorted(pairs)], dtype=np.int64)
    return PairColumns(pairs, highest=3, relevant_from=2, best_rank=best)


def plan(name: str, columns: PairColumns, budget: int, seed: str = "s-1") -> PlannedLabels:
    return STRATEGIES[name].run(Simulation(columns, seed), budget)


@settings(max_examples=150)
@given(worlds, st.sampled_from(list(STRATEGIES)), st.data())
def test_a_plan_keeps_its_budget_and_gives_the_labels_that_it_judged(world, name, data):
    columns = columns_of(world)
    budget = data.draw(st.integers(0, 2 * len(columns)))

    planned = plan(name, columns, budget)

    twice, once = planned.judges == 2, planned.judges == 1
    assert planned.judgments == 2 * twice.sum() + once.sum() <= budget
    assert (planned.labels[twice] == columns.final[twice]).all()
    first = Simulation(columns, "s-1").first_grade
    assert (planned.labels[once] == first[once]).all()
    assert planned.decisions == (columns.first != columns.second)[twice].sum()
    if name in SECOND_JUDGES:
        assert planned.by_model == 0
        assert not once.any() or name in SECOND_JUDGES
    if name in BY_MODEL:
        assert not once.any()
        assert (planned.labels != NO_LABEL).all() == (budget >= 2)
    if name == "double":
        assert not once.any()
        assert planned.by_model == 0


@given(worlds, st.sampled_from(list(STRATEGIES)))
def test_two_judgments_of_each_pair_are_the_final_labels_under_every_plan(world, name):
    columns = columns_of(world)

    planned = plan(name, columns, 2 * len(columns))

    assert (planned.judges == 2).all()
    assert (planned.labels == columns.final).all()


@settings(max_examples=200)
@given(worlds, st.sampled_from(list(STRATEGIES)), st.data())
def test_a_judgment_that_is_not_paid_for_changes_nothing(world, name, data):
    """The judgments that a plan did not read are replaced by others, and the plan stays."""
    columns = columns_of(world)
    budget = data.draw(st.integers(0, 2 * len(columns)))
    planned = plan(name, columns, budget)
    simulation = Simulation(columns, "s-1")
    is_first_slot = simulation.first_grade is not None and np.array(
        [
            random_number("s-1", "judging plans: first judge", pair.query, "") < 0.5
            for pair in columns.pairs
        ]
    )
    changed = []
    for number, pair in enumerate(columns.pairs):
        other = data.draw(grades)
        if planned.judges[number] == 2:
            changed.append(pair)
        elif planned.judges[number] == 1:
            changed.append(
                pair._replace(second=other, final=other)
                if is_first_slot[number]
                else pair._replace(first=other, final=other)
            )
        else:
            changed.append(pair._replace(first=other, second=other, final=other))
    others = PairColumns(changed, highest=3, relevant_from=2, best_rank=columns.best_rank)

    again = plan(name, others, budget)

    assert again.labels.tolist() == planned.labels.tolist()
    assert again.judges.tolist() == planned.judges.tolist()
    assert again.decisions == planned.decisions


@given(worlds, st.sampled_from([*SECOND_JUDGES, *BY_MODEL]))
def test_a_larger_budget_judges_the_same_pairs_and_more(world, name):
    columns = columns_of(world)
    budgets = range(len(columns) if name in SECOND_JUDGES else 0, 2 * len(columns) + 1)
    simulation = Simulation(columns, "s-1")
    judges = [STRATEGIES[name].run(simulation, budget).judges for budget in budgets]

    assert all((less <= more).all() for less, more in pairwise(judges))


PAIRS = [
    JudgedTwice("q", "a", 0, 1, 1, 0.9),
    JudgedTwice("q", "b", 1, 1, 1, 0.6),
    JudgedTwice("q", "c", 2, 0, 2, 0.4),
    JudgedTwice("q", "d", 3, 3, 3, 0.1),
    JudgedTwice("r", "e", 0, 0, 0, 0.5),
]


def by_hand(best_rank: list[int] | None = None) -> PairColumns:
    ranks = None if best_rank is None else np.array(best_rank)
    return PairColumns(PAIRS, highest=3, relevant_from=2, best_rank=ranks)


def doubled(planned: PlannedLabels, columns: PairColumns) -> set[str]:
    return {columns.pairs[number].docno for number in np.flatnonzero(planned.judges == 2)}


def test_whole_queries_come_in_random_order_and_one_too_large_is_passed_over():
    columns = by_hand()
    order = sorted("qr", key=lambda query: order_key("s-1", "judging plans", query, ""))

    assert doubled(plan("double", columns, 9), columns) == (
        {"a", "b", "c", "d"} if order[0] == "q" else {"e"}
    )
    assert doubled(plan("double", columns, 7), columns) == {"e"}
    assert plan("double", columns, 1).judgments == 0


def test_with_less_than_a_judgment_for_each_pair_whole_queries_are_judged_once():
    columns = by_hand()
    for name in SECOND_JUDGES:
        planned = plan(name, columns, 3)
        assert planned.judges.tolist() == [0, 0, 0, 0, 1]
        assert planned.labels.tolist() == [NO_LABEL] * 4 + [0]


def test_the_random_share_follows_the_hashes():
    columns = by_hand()
    order = sorted(
        PAIRS, key=lambda pair: order_key("s-1", "judging plans", pair.query, pair.docno)
    )

    assert doubled(plan("random", columns, 7), columns) == {pair.docno for pair in order[:2]}


def test_grades_beside_the_boundary_get_the_second_judge_first():
    columns = by_hand()
    first = Simulation(columns, "s-1").first_grade
    near = {pair.docno for pair, g in zip(columns.pairs, first, strict=True) if g in (1, 2)}

    assert doubled(plan("boundary", columns, 5 + len(near)), columns) == near


def test_the_first_judge_of_a_query_is_the_same_for_all_its_pairs_and_differs_between_seeds():
    columns = by_hand()
    slots = set()
    for number in range(20):
        first = Simulation(columns, f"s-{number}").first_grade
        ones = first[:4].tolist()
        assert ones in ([0, 1, 2, 3], [1, 1, 0, 3])
        slots.add(tuple(ones))
    assert len(slots) == 2


def test_a_pair_far_from_what_its_score_promises_gets_the_second_judge_first():
    """Twenty pairs whose grade follows the score, and one that does not."""
    pairs = [
        JudgedTwice("q", f"d{number:02}", 3 * (number > 9), 3 * (number > 9), 0, number / 20)
        for number in range(20)
    ]
    odd = JudgedTwice("q", "odd", 3, 3, 3, 0.0)
    columns = PairColumns([*pairs, odd], highest=3, relevant_from=2)

    assert doubled(plan("disagreement", columns, 22), columns) == {"odd"}
    assert doubled(plan("uncertainty", columns, 23), columns) <= {"d08", "d09", "d10", "d11", "d12"}


def test_lara_begins_with_scores_near_one_half_and_learns_where_the_boundary_is():
    """Only the best scores are relevant: the first batch is around 0.5, the next ones higher."""
    pairs = [
        JudgedTwice("q", f"d{number:03}", grade, grade, grade, number / 200)
        for number in range(200)
        for grade in [3 * (number >= 170)]
    ]
    columns = PairColumns(pairs, highest=3, relevant_from=2)
    simulation = Simulation(columns, "s-1")

    order = simulation.lara_order(96)

    assert sorted(order[:32])[0] >= 84
    assert sorted(order[:32])[-1] <= 116
    assert order[32:64].min() >= 117  # higher scores than in the first batch: none was relevant
    planned = plan("lara", columns, 192)
    assert (planned.labels == columns.final).mean() > 0.95


def test_the_hybrid_pool_is_judged_at_the_top_and_labelled_by_the_model_below():
    columns = by_hand([2, 1, 3, 1, 5])

    planned = plan("hybrid", columns, 7)

    assert doubled(planned, columns) == {"a", "b", "d"}
    assert planned.by_model == 2


def test_scores_by_rank_count_only_the_pairs():
    scores = rank_scores(["x", "b", "y", "a"], ["a", "b", "c", "d"])

    assert scores == {"a": 1 - 1.5 / 4, "b": 1 - 0.5 / 4, "c": 0.0, "d": 0.0}


def test_every_strategy_says_what_it_is():
    for key, strategy in STRATEGIES.items():
        assert strategy.key == key
        assert strategy.statement != strategy.summary
