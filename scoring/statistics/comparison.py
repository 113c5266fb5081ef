"""Systems compared with a baseline, and with each other, on the same queries. Pure.

`values` is a table with a row for each query and a column for each system. A query takes part if
every system has a value for it, so that all numbers are of the same queries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from statistics import median

import numpy as np

from agreement.coefficients import Result
from scoring.statistics.multiple import SystemPair, holm, tukey
from scoring.statistics.paired import (
    FLIPS,
    IntervalEstimate,
    WinCounts,
    effect_size,
    mean,
    mean_interval,
    sign_flip_tests,
    smallest_difference,
    t_test,
    wins_ties_losses,
)
from web.lazy import pandas as pd

SEED = "0"


@dataclass(frozen=True)
class Versus:
    """A system against the baseline. `difference` is the system minus the baseline, per query.

    `t_adjusted` and `flips_adjusted` are adjusted by Holm for all systems in the table.
    """

    difference: IntervalEstimate
    t: Result
    t_adjusted: float | None
    flips: float
    flips_adjusted: float
    effect: IntervalEstimate
    counts: WinCounts
    detectable: Result


@dataclass(frozen=True)
class ComparedSystem:
    """A system's mean with its interval; `versus` is None for the baseline itself."""

    system: str
    mean: IntervalEstimate
    versus: Versus | None


@dataclass(frozen=True)
class SystemComparison:
    """All systems, the highest mean first; equal means are in the order of their names."""

    baseline: str
    seed: str
    flips: int
    queries: int
    left_out: int
    rows: Sequence[ComparedSystem]

    @property
    def detectable(self) -> list[float]:
        """The smallest detectable differences to the baseline, ascending."""
        found = [row.versus.detectable.value for row in self.rows if row.versus]
        return sorted(value for value in found if value is not None)

    @property
    def detectable_median(self) -> float | None:
        return median(self.detectable) if self.detectable else None


def compare(
    values: pd.DataFrame, baseline: str, seed: str = SEED, flips: int = FLIPS
) -> SystemComparison:
    """Compare each system with the baseline. Raises ValueError for an unknown baseline."""
    if baseline not in values.columns:
        systems = ", ".join(map(str, values.columns))
        raise ValueError(f'Unknown baseline "{baseline}". Use one of: {systems}.')
    complete = complete_queries(values)
    others = [name for name in complete.columns if name != baseline]
    versus = _versus(complete, baseline, others, seed, flips) if len(complete) else {}
    rows = [
        ComparedSystem(str(name), mean_interval(complete[name].to_numpy()), versus.get(name))
        for name in by_mean(complete)
    ]
    left_out = len(values) - len(complete)
    return SystemComparison(baseline, seed, flips, len(complete), left_out, rows)


def complete_queries(values: pd.DataFrame) -> pd.DataFrame:
    """The queries for which every system has a value, in the order of their names."""
    return values.dropna().sort_index()


def by_mean(values: pd.DataFrame) -> list[str]:
    """The systems, the highest mean first; equal means are in the order of their names.

    A system without a value is last.
    """
    samples = {str(name): values[name].dropna().to_numpy() for name in values.columns}
    means = {name: mean(sample) if len(sample) else -inf for name, sample in samples.items()}
    return sorted(means, key=lambda name: (-means[name], name))


def _versus(
    values: pd.DataFrame, baseline: str, others: Sequence[str], seed: str, flips: int
) -> dict[str, Versus]:
    if not others:
        return {}
    columns = values[list(others)].to_numpy() - values[[baseline]].to_numpy()
    t_tests = [t_test(column) for column in columns.T]
    t_adjusted = holm([test.value for test in t_tests])
    flip_tests = sign_flip_tests(columns, seed, flips)
    flips_adjusted = [p for p in holm(flip_tests) if p is not None]
    return {
        name: Versus(
            mean_interval(column),
            t_tests[place],
            t_adjusted[place],
            flip_tests[place],
            flips_adjusted[place],
            effect_size(column),
            wins_ties_losses(column),
            smallest_difference(column),
        )
        for place, (name, column) in enumerate(zip(others, columns.T, strict=True))
    }


@dataclass(frozen=True)
class AllPairs:
    """Tukey's HSD for every pair of systems, which are named with the highest mean first."""

    systems: Sequence[str]
    pairs: Sequence[SystemPair]
    queries: int
    undefined: str | None

    def pair(self, row: int, column: int) -> SystemPair | None:
        """The pair of two places in `systems`, the earlier first; None for one system twice."""
        return self._by_places.get((min(row, column), max(row, column)))

    @cached_property
    def _by_places(self) -> dict[tuple[int, int], SystemPair]:
        return {(pair.first, pair.second): pair for pair in self.pairs}


def compare_all_pairs(values: pd.DataFrame) -> AllPairs:
    """All pairs by two-way Tukey HSD, on the queries that every system has a value for."""
    complete = complete_queries(values)
    systems = by_mean(complete)
    result = tukey(complete[systems].to_numpy(dtype=np.float64))
    return AllPairs(systems, result.pairs, len(complete), result.undefined)
