"""Estimates with a 95 % interval, or the reason why there is none. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from corpus.proportions import Z, wilson
from corpus.resampling import Ends


@dataclass(frozen=True, slots=True)
class EstimatedValue:
    """A number with its interval over `n` rows, or None and the reason it is `undefined`.

    The interval is None where there are too few rows for one.
    """

    value: float | None
    interval: Ends | None = None
    n: int = 0
    undefined: str = ""

    @property
    def is_positive(self) -> bool:
        return self.interval is not None and self.interval[0] > 0

    @property
    def is_negative(self) -> bool:
        return self.interval is not None and self.interval[1] < 0

    def as_json(self) -> dict[str, Any]:
        return {
            "value": self.value,
            "interval": None if self.interval is None else list(self.interval),
            "n": self.n,
            "undefined": self.undefined,
        }

    @classmethod
    def of(cls, row: dict[str, Any]) -> EstimatedValue:
        """The estimate of its JSON."""
        interval = row["interval"]
        ends = None if interval is None else (interval[0], interval[1])
        return cls(row["value"], ends, row["n"], row["undefined"])


def undefined(reason: str, n: int = 0) -> EstimatedValue:
    return EstimatedValue(None, None, n, reason)


def share(count: int, total: int) -> EstimatedValue:
    """A share of `total`, 0 to 1, with Wilson's interval, which holds for few rows, too."""
    if not total:
        return undefined("no answers")
    low, high = wilson(count, total)
    return EstimatedValue(count / total, (low, high), total)


def difference_of_shares(first: tuple[int, int], second: tuple[int, int]) -> EstimatedValue:
    """The second share minus the first, each a count and its total, with Newcombe's interval.

    Source: Newcombe (1998), Interval estimation for the difference between independent
    proportions, method 10.
    """
    (count1, total1), (count2, total2) = first, second
    if not total1 or not total2:
        return undefined("no answers")
    p1, p2 = count1 / total1, count2 / total2
    (low1, high1), (low2, high2) = wilson(count1, total1), wilson(count2, total2)
    low = p2 - p1 - math.sqrt((p2 - low2) ** 2 + (high1 - p1) ** 2)
    high = p2 - p1 + math.sqrt((high2 - p2) ** 2 + (p1 - low1) ** 2)
    return EstimatedValue(p2 - p1, (low, high), total1 + total2)


def normal(value: float, error: float, n: int) -> EstimatedValue:
    """With the interval of a normal estimate that has this standard error."""
    return EstimatedValue(value, (value - Z * error, value + Z * error), n)
