"""Whole-number programs against all values of many small ones."""

from __future__ import annotations

import random
from itertools import product

import pytest

from curation.choice import linear_program
from curation.choice.linear_program import LinearProgram, NoSolution, TimeIsUp


def always() -> float:
    return 60


def random_program(seed: int):
    """Limits, rows with their bounds, and two costs, all small."""
    draw = random.Random(seed)
    limits = [draw.randint(0, 3) for _ in range(draw.randint(1, 4))]
    rows = []
    for _ in range(draw.randint(1, 3)):
        chosen = draw.sample(range(len(limits)), draw.randint(1, len(limits)))
        low = draw.randint(-2, 3)
        rows.append(({at: draw.randint(-2, 3) for at in chosen}, low, low + draw.randint(0, 3)))
    costs = [{at: draw.randint(-4, 4) for at in range(len(limits))} for _ in range(2)]
    return limits, rows, costs


def solutions(limits, rows):
    for values in product(*(range(limit + 1) for limit in limits)):
        sums = (sum(times * values[at] for at, times in row.items()) for row, _, _ in rows)
        if all(low <= total <= high for total, (_, low, high) in zip(sums, rows, strict=True)):
            yield values


def cost(values, costs) -> int:
    return sum(times * values[at] for at, times in costs.items())


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_each_cost_is_the_smallest_beside_those_before(start):
    outcomes = set()
    for seed in range(start, start + 50):
        limits, rows, (first, second) = random_program(seed)
        program = LinearProgram()
        variables = [program.variable(limit, is_whole=True) for limit in limits]
        for row, low, high in rows:
            program.constrain({variables[at]: times for at, times in row.items()}, low, high)
        possible = list(solutions(limits, rows))
        outcomes.add(bool(possible))
        if not possible:
            with pytest.raises(NoSolution):
                program.minimise(first, always)
            continue
        least = min(cost(values, first) for values in possible)
        assert program.minimise(first, always)[0] == least, seed
        best = [values for values in possible if cost(values, first) == least]
        smallest, found = program.minimise(second, always)
        assert smallest == min(cost(values, second) for values in best), seed
        assert tuple(map(round, found)) in best
    assert outcomes == {True, False}


def test_a_fixed_variable_keeps_its_value():
    program = LinearProgram()
    one, two = (program.variable(3, is_whole=True) for _ in range(2))
    program.constrain({one: 1, two: 1}, 0, 4)
    program.fix(one, 2)

    assert program.minimise({one: -1, two: -1}, always) == (-4, [2, 2])


def test_a_variable_is_a_fraction_unless_it_is_whole():
    program = LinearProgram()
    fraction = program.variable(3)
    program.constrain({fraction: 2}, 3, 6)

    assert program.minimise({fraction: 2}, always) == (3, [1.5])
    assert program.is_whole == [False]


def test_counted_units_cost_the_square_of_the_sum():
    for total in range(5):
        program = LinearProgram()
        one, two = (program.variable(2, is_whole=True) for _ in range(2))
        program.constrain({one: 1, two: 1}, total, total)
        units = program.count({one: 1, two: 1})
        costs = {unit: 2 * number - 1 for number, unit in enumerate(units, start=1)}

        assert len(units) == 4
        assert program.minimise(costs, always)[0] == total * total


def test_a_row_that_counts_twice_has_twice_the_units():
    program = LinearProgram()

    assert len(program.count({program.variable(3): 2})) == 6


@pytest.mark.parametrize("seconds", [0, -1])
def test_without_time_nothing_is_solved(seconds):
    program = LinearProgram()
    with pytest.raises(TimeIsUp):
        program.minimise({program.variable(1): 1}, lambda: seconds)


class Result:
    def __init__(self, status: int, success: bool):
        self.status, self.success = status, success
        self.message, self.fun, self.x = "numbers too large", 0.0, [0.0]


@pytest.mark.parametrize(
    ("status", "error"),
    [(1, TimeIsUp), (2, NoSolution), (3, ArithmeticError), (4, ArithmeticError)],
)
def test_what_the_solver_reports_has_its_own_error(monkeypatch, status, error):
    """HiGHS stops late or fails in cases too large for a test."""
    monkeypatch.setattr("scipy.optimize.milp", lambda *_, **__: Result(status, success=False))
    program = LinearProgram()
    variable = program.variable(1)
    program.constrain({variable: 1}, 0, 1)
    with pytest.raises(error, match="HiGHS failed: numbers" if error is ArithmeticError else None):
        program.minimise({variable: 1}, always)
    assert len(program.rows) == 1


def test_the_solver_gets_the_time_left_and_no_gap(monkeypatch):
    options = {}

    def milp(*_, **arguments):
        options.update(arguments["options"])
        return Result(0, success=True)

    monkeypatch.setattr("scipy.optimize.milp", milp)
    program = LinearProgram()
    program.constrain({program.variable(1): 1}, 0, 1)
    program.minimise({0: 1}, lambda: 7)

    assert options == {"mip_rel_gap": 0.0, "time_limit": 7}
    assert (linear_program.TIME_IS_UP, linear_program.INFEASIBLE) == (1, 2)
