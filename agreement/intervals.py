"""Bootstrap intervals of agreement. Values in, values out.

The random numbers are those of `corpus.resampling`, so that the same values have the same interval
on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from corpus.resampling import FEWEST_QUERIES, RESAMPLES, Ends, draw, percentile_ends


class MedianIntervals:
    """Percentile bootstrap intervals of medians over queries, for one seed.

    Source: Efron and Tibshirani (1993), An Introduction to the Bootstrap, section 13.3.
    """

    def __init__(self, seed: str) -> None:
        # The middle ranks of the resamples depend on the number of values only.
        self._middle_ranks = cache(lambda number: middle_ranks(number, seed))

    def of(self, values: Sequence[float]) -> Ends | None:
        """The interval of the median of these values; None for fewer than FEWEST_QUERIES.

        The values are drawn with replacement, as many as there are, RESAMPLES times. The ends are
        percentiles of the medians of these resamples, interpolated linearly.
        """
        if len(values) < FEWEST_QUERIES:
            return None
        middle = np.sort(np.asarray(values, dtype=np.float64))[self._middle_ranks(len(values))]
        return percentile_ends(middle.mean(axis=1))


def middle_ranks(number: int, seed: str, resamples: int = RESAMPLES) -> npt.NDArray[np.int64]:
    """The places of the median of each resample among the sorted values: (resamples, 2), from 0.

    The two are the same place if the number of values is odd.
    """
    middle = [(number - 1) // 2, number // 2]
    draws = draw(number, number, f"{seed}|agreement-intervals|{number}", resamples)
    return np.vstack([np.partition(block, middle, axis=1)[:, middle] for block in draws])
