"""Who judges what in a team: even loads, comparable shared work, and no judgment that moves."""

from __future__ import annotations

import tracemalloc
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.sharing import (
    Assignment,
    Load,
    NoCouple,
    QueryWork,
    SeatMove,
    SeatWork,
    assign,
    judging_order,
    rebalance,
)

PEOPLE = ["ann", "bea", "cid", "dora", "eva", "finn", "gus", "hana"]


def work(sizes):
    return [QueryWork(f"q{number}", size) for number, size in enumerate(sizes)]


def loads(queries, assignments):
    pairs = dict(queries)
    people, couples = Counter(), Counter()
    for assignment in assignments:
        couples[assignment.couple] += pairs[assignment.query]
        for person in assignment.couple:
            people[person] += pairs[assignment.query]
    return people, couples


def test_eight_people_share_fifty_queries_evenly():
    queries = work([100 + 7 * (number % 13) for number in range(50)])

    people, couples = loads(queries, assign(queries, PEOPLE, seed="s"))

    assert max(people.values()) - min(people.values()) <= max(pairs for _, pairs in queries)
    assert len(couples) == 28
    # 50 queries over 28 couples: everyone shares one or two queries with everyone.
    assert max(couples.values()) <= 3 * min(couples.values())


@pytest.mark.by_day(2)
def test_memory_does_not_grow_by_the_couples_of_each_query():
    team = [f"person{number:02}" for number in range(30)]  # 435 couples
    queries = work([66] * 100)

    tracemalloc.start()
    assign(queries, team, seed="s")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 1_000_000  # the couples of every query are 10 MB


def test_two_people_get_every_query_and_slot_1_about_as_often():
    queries = work([10] * 40)

    assignments = assign(queries, ["ann", "bea"], seed="s")

    assert [assignment.query for assignment in assignments] == sorted(name for name, _ in queries)
    assert {assignment.couple for assignment in assignments} == {frozenset(("ann", "bea"))}
    assert 10 <= sum(assignment.first == "ann" for assignment in assignments) <= 30


def test_people_come_to_their_queries_together():
    assignments = [
        Assignment(query, *two)
        for query, two in [
            ("q1", ("ann", "bea")),
            ("q2", ("ann", "cid")),
            ("q3", ("bea", "dora")),
            ("q4", ("cid", "dora")),
            ("q5", ("ann", "eva")),
        ]
    ]
    pairs = {"q1": 10, "q2": 30, "q3": 10, "q4": 10, "q5": 5}

    ordered = judging_order(assignments, pairs, load=Load(Counter(eva=50)), seed="s")

    # Two couples without a person in common begin, and the one with much left to judge comes last.
    assert not ordered[0].couple & ordered[1].couple
    assert ordered[-1].query == "q5"
    assert sorted(ordered) == sorted(assignments)


def test_work_that_people_have_already_counts():
    queries = work([10] * 6)
    load = Load(Counter(ann=1_000))

    people, _ = loads(queries, assign(queries, ["ann", "bea", "cid"], load=load, seed="s"))

    assert people["ann"] == 0
    assert load == Load(Counter(ann=1_000))


def test_an_excluded_person_never_gets_the_query():
    queries = work([10] * 6)
    excluded = {("ann", name) for name, _ in queries[:4]}

    assignments = assign(queries, ["ann", "bea", "cid"], excluded=excluded, seed="s")

    assert [a.query for a in assignments if "ann" in a.couple] == ["q4", "q5"]


def test_a_query_that_fewer_than_two_may_judge_is_named():
    with pytest.raises(NoCouple) as raised:
        assign(work([10, 10]), ["ann", "bea"], excluded={("ann", "q1")}, seed="s")

    assert raised.value.query == "q1"


@given(
    sizes=st.lists(st.integers(1, 300), max_size=40),
    people=st.sets(st.sampled_from(PEOPLE), min_size=2),
)
def test_each_query_has_two_people_and_no_load_is_far_from_the_others(sizes, people):
    queries = work(sizes)

    assignments = assign(queries, people, seed="s")

    assert [a.query for a in assignments] == sorted(name for name, _ in queries)
    assert all(len(a.couple) == 2 and a.couple <= people for a in assignments)
    assert assign(queries[::-1], sorted(people, reverse=True), seed="s") == assignments
    load, _ = loads(queries, assignments)
    most = max(sizes, default=0)
    assert max(load.values(), default=0) - min(load[person] for person in people) <= 2 * most


# Joins and leaves


def seats_of(assignments, pairs, judged=None):
    judged = judged or {}
    return [
        SeatWork(
            query=query,
            number=number,
            annotator=(first, second)[number - 1],
            judged=judged.get((query, number), 0),
            remaining=pairs[query] - judged.get((query, number), 0),
            barred=frozenset({(first, second)[2 - number]}),
        )
        for query, first, second in assignments
        for number in (1, 2)
    ]


def left_after(seats, moves):
    holder = {seat.key: seat.annotator for seat in seats}
    holder |= {(move.query, move.number): move.annotator for move in moves}
    left = Counter()
    for seat in seats:
        left[holder[seat.key]] += seat.remaining
    return left, holder


def test_one_leaves_and_one_joins_and_the_work_is_even_again():
    queries = work([100 + 7 * (number % 13) for number in range(50)])
    assignments = assign(queries, PEOPLE, seed="s")
    judged = {(a.query, 1): 20 for a in assignments[:10]}
    seats = seats_of(assignments, dict(queries), judged)
    team = [*PEOPLE[1:], "ivo"]

    found = rebalance(seats, team, seed="s")

    left, holder = left_after(seats, found.moves)
    assert not found.stuck
    assert set(left) == set(team)
    assert max(left.values()) - min(left.values()) <= 200
    assert all(holder[query, 1] != holder[query, 2] for query, _ in queries)
    begun = {seat.key for seat in seats if seat.judged and seat.annotator != "ann"}
    assert not begun & {(move.query, move.number) for move in found.moves}


def test_a_team_that_stays_and_is_even_moves_nothing():
    queries = work([10] * 12)
    seats = seats_of(assign(queries, PEOPLE[:4], seed="s"), dict(queries))

    assert rebalance(seats, PEOPLE[:4], seed="s").moves == []


def test_a_seat_that_no_one_may_take_is_said():
    seats = [SeatWork("q1", 1, "ann", 3, 7, frozenset({"bea"}))]

    found = rebalance(seats, ["bea"], seed="s")

    assert (found.moves, found.stuck) == ([], seats)


def test_a_begun_seat_moves_only_when_its_person_leaves():
    begun = SeatWork("q1", 1, "ann", 3, 7, frozenset({"bea"}))

    assert rebalance([begun], ["ann", "cid"], seed="s").moves == []
    assert rebalance([begun], ["bea", "cid"], seed="s").moves == [SeatMove("q1", 1, "cid", 7)]


@given(
    sizes=st.lists(st.integers(1, 50), min_size=1, max_size=20),
    team=st.sets(st.sampled_from(PEOPLE), min_size=2),
)
def test_only_the_team_keeps_work_that_can_move(sizes, team):
    queries = work(sizes)
    seats = seats_of(assign(queries, PEOPLE[:5], seed="s"), dict(queries))

    found = rebalance(seats, team, seed="s")

    _, holder = left_after(seats, found.moves)
    stuck = {seat.key for seat in found.stuck}
    assert all(person in team for key, person in holder.items() if key not in stuck)
    assert all(holder[query, 1] != holder[query, 2] for query, _ in queries)
