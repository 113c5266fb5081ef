"""All strategies at several budgets, over repetitions with other random choices. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from planning.double_judging.plan_figures import (
    AlphaIntervals,
    SystemsUnderLabels,
    Values,
    label_errors,
    ranking_figures,
)
from planning.double_judging.strategies import STRATEGIES, PairColumns, PlannedLabels, Simulation

BUDGETS = ("0.5", "1", "1.1", "1.25", "1.5", "1.75", "2")  # judgments for each pair
REPETITIONS = 20
COUNTS = ("judgments", "twice", "once", "by_model", "decisions")
MEASURED = (
    *("labelled", "different", "distance", "false_relevant", "false_nonrelevant"),
    *("alpha", "alpha_low", "alpha_high", "tau", "tau_ap", "swaps"),
)


def compare_plans(
    columns: PairColumns,
    ranking: SystemsUnderLabels,
    seed: str,
    *,
    budgets: Sequence[str] = BUDGETS,
    repetitions: int = REPETITIONS,
    step: Callable[[int], None] | None = None,
) -> list[dict[str, Any]]:
    """A row for each strategy and budget, as JSON types.

    A budget is the number of judgments for each pair, as a decimal number from above 0 to 2. Each
    figure has the mean over the repetitions that define it, their standard deviation (n − 1; None
    for fewer than two) and their number. `step` is told the repetitions that are done.
    """
    truth = ranking.means(columns.final)
    intervals = AlphaIntervals(columns, seed)
    figures: dict[tuple[str, str], list[Values]] = {
        (strategy, budget): [] for strategy in STRATEGIES for budget in budgets
    }
    for number in range(1, repetitions + 1):
        simulation = Simulation(columns, f"{seed}-{number}")
        for strategy, budget in figures:
            outcome = STRATEGIES[strategy].run(simulation, judgments_of(budget, len(columns)))
            figures[strategy, budget].append(
                {
                    **_counts(outcome),
                    **label_errors(columns, outcome),
                    **intervals.of(outcome),
                    **ranking_figures(truth, ranking.means(outcome.labels)),
                }
            )
        if step is not None:
            step(number)
    return [
        {"strategy": strategy, "budget": budget, "figures": dict(_summary(values))}
        for (strategy, budget), values in figures.items()
    ]


def judgments_of(budget: str, pairs: int) -> int:
    """The judgments that a budget pays for, rounded down. Raises ValueError for an invalid one."""
    try:
        share = Fraction(budget)
    except (ValueError, ZeroDivisionError) as error:
        raise ValueError(f'a budget must be a number such as 1.25, got "{budget}"') from error
    if not 0 < share <= 2:
        raise ValueError(f"a budget must be above 0 and at most 2, got {budget}")
    return int(share * pairs)


def _counts(outcome: PlannedLabels) -> Values:
    return {
        "judgments": outcome.judgments,
        "twice": int((outcome.judges == 2).sum()),
        "once": int((outcome.judges == 1).sum()),
        "by_model": outcome.by_model,
        "decisions": outcome.decisions,
    }


def _summary(repetitions: Sequence[Values]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name in (*COUNTS, *MEASURED):
        values = [value for each in repetitions if (value := each[name]) is not None]
        yield (
            name,
            {
                "mean": statistics.fmean(values) if values else None,
                "sd": statistics.stdev(values) if len(values) > 1 else None,
                "defined": len(values),
            },
        )
