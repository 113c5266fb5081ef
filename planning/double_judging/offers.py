"""The labels that a budget in hours buys under each plan. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple
from urllib.parse import urlencode

from planning.double_judging.plan_tables import MEASURED_COLUMNS, PlanLine
from planning.double_judging.strategies import JudgingStrategy

SHOWN = ("different", "false_relevant", "false_nonrelevant", "alpha", "tau", "swaps")


class OfferCell(NamedTuple):
    """A figure with its interval, if it has one."""

    text: str
    interval: str


@dataclass(frozen=True)
class JudgingOffer:
    """A plan with the largest compared budget that the hours pay for.

    `line` is None if they pay for none; `cheapest` are the hours of the smallest one. Counts and
    hours are those of the compared pairs, scaled to `pairs`.
    """

    strategy: JudgingStrategy
    line: PlanLine | None
    cheapest: float
    pairs: int
    seconds: float
    rate: float | None
    model: str

    @property
    def hours(self) -> float | None:
        return self.line.hours(self.pairs, self.seconds) if self.line else None

    @property
    def money(self) -> float | None:
        return None if self.rate is None or self.hours is None else self.rate * self.hours

    @property
    def counts(self) -> list[int]:
        """Pairs judged twice, judged once, labelled by the model, and without a label."""
        if self.line is None:
            return []
        judged = [
            round(self.pairs * self.line.share(name)) for name in ("twice", "once", "by_model")
        ]
        return [*judged, max(0, self.pairs - sum(judged))]

    @property
    def cells(self) -> list[OfferCell]:
        """The figures that the page has a column for."""
        if self.line is None:
            return []
        cells = dict(zip((column.key for column in MEASURED_COLUMNS), self.line.cells, strict=True))
        return [
            OfferCell(cells[name], self.line.interval if name == "alpha" else "") for name in SHOWN
        ]

    @property
    def query(self) -> str:
        """The parameters of the list of pairs."""
        parameters = {"budget": self.line.budget if self.line else ""}
        if self.strategy.uses_scores:
            parameters["model"] = self.model
        return urlencode(parameters)


def offers(
    lines: Sequence[PlanLine],
    *,
    hours: float,
    pairs: int,
    seconds: float,
    rate: float | None,
    model: str,
) -> list[JudgingOffer]:
    """An offer of each plan, in the order of the lines, whose budgets rise within a plan."""
    found = []
    for _, of_plan in groupby(lines, key=lambda line: line.strategy.key):
        # On a few queries, a small budget may not pay for the judging of any.
        by_budget = [line for line in of_plan if line.figures["judgments"].mean]
        paid = [line for line in by_budget if line.hours(pairs, seconds) <= hours]
        found.append(
            JudgingOffer(
                by_budget[0].strategy,
                paid[-1] if paid else None,
                by_budget[0].hours(pairs, seconds),
                pairs,
                seconds,
                rate,
                model,
            )
        )
    return found
