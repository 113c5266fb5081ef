"""Whole-number linear programs with several objectives, the most important first. Pure.

HiGHS solves them, through `scipy.optimize.milp`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from scipy.optimize import LinearConstraint

TIME_IS_UP, INFEASIBLE = 1, 2  # `status` of milp's result

Costs = Mapping[int, int]  # by variable


class NoSolution(Exception):
    """No values satisfy all constraints."""


class TimeIsUp(Exception):
    """The program was not solved in time, so nothing is known about its solution."""


class LinearProgram:
    """Variables from 0 to a limit, and constraints on their sums. All coefficients are whole."""

    def __init__(self) -> None:
        self.lows: list[int] = []
        self.limits: list[int] = []
        self.is_whole: list[bool] = []
        self.rows: list[tuple[Costs, float, float]] = []

    def variable(self, limit: int, *, is_whole: bool = False) -> int:
        self.lows.append(0)
        self.limits.append(limit)
        self.is_whole.append(is_whole)
        return len(self.limits) - 1

    def constrain(self, row: Costs, low: float, high: float) -> None:
        """The sum of coefficient times value is from `low` to `high`."""
        self.rows.append((row, low, high))

    def fix(self, variable: int, value: int) -> None:
        self.lows[variable] = self.limits[variable] = value

    def count(self, row: Costs) -> list[int]:
        """The units of the row's sum, which must be a whole number: variables that add up to it.

        If the j-th unit costs 2j − 1, n units cost n². Costs grow, so a minimum uses the units in
        order, though they are not whole-number variables.
        """
        most = sum(self.limits[variable] * times for variable, times in row.items())
        units = [self.variable(1) for _ in range(most)]
        self.constrain({**row, **dict.fromkeys(units, -1)}, 0, 0)
        return units

    def minimise(self, costs: Costs, seconds_left: Callable[[], float]) -> tuple[int, list[float]]:
        """The smallest cost, and values with it. That cost is a constraint from now on.

        Raises:
            NoSolution, TimeIsUp
        """
        # Takes a second, which a web process should not spend.
        from scipy.optimize import Bounds, milp

        seconds = seconds_left()
        if seconds <= 0:
            raise TimeIsUp
        objective = np.zeros(len(self.limits))
        objective[list(costs)] = list(costs.values())
        result = milp(
            objective,
            integrality=np.array(self.is_whole, dtype=int),
            bounds=Bounds(np.array(self.lows), np.array(self.limits)),
            constraints=self._constraints(),
            options={"mip_rel_gap": 0.0, "time_limit": seconds},
        )
        if result.status == INFEASIBLE:
            raise NoSolution
        if result.status == TIME_IS_UP:
            raise TimeIsUp
        if not result.success:
            raise ArithmeticError(f"HiGHS failed: {result.message}")
        smallest = round(result.fun)
        self.constrain(costs, -np.inf, smallest)
        return smallest, [float(value) for value in result.x]

    def _constraints(self) -> LinearConstraint:
        from scipy.optimize import LinearConstraint
        from scipy.sparse import csr_array

        entries = [
            (times, number, variable)
            for number, (row, _, _) in enumerate(self.rows)
            for variable, times in row.items()
        ]
        times, rows, variables = zip(*entries, strict=True)
        shape = (len(self.rows), len(self.limits))
        matrix = csr_array((np.array(times, dtype=float), (rows, variables)), shape=shape)
        return LinearConstraint(
            matrix, [low for _, low, _ in self.rows], [high for _, _, high in self.rows]
        )
