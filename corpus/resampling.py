"""Resampling with the same random numbers on every machine. Pure.

Every random number is from SHAKE-256 of a name, such as the collection's seed and a purpose.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Ends: TypeAlias = tuple[float, float]  # of an interval, the lower one first

LEVEL = 0.95
RESAMPLES = 2_000
FEWEST_QUERIES = 10  # with an interval
BLOCK = 500_000  # random numbers that are used at once, for the sake of memory


def draw(
    size: int, number: int, name: str, resamples: int = RESAMPLES
) -> Iterator[npt.NDArray[np.int64]]:
    """`resamples` rows of `size` whole numbers from 0 to `number` - 1, some rows at a time.

    They are the 32-bit little-endian words w of SHAKE-256(name), each as ⌊w · number / 2³²⌋.
    """
    stream = hashlib.shake_256(name.encode()).digest(4 * resamples * size)
    words = np.frombuffer(stream, dtype="<u4").reshape(resamples, size)
    block = max(1, BLOCK // size)
    for start in range(0, resamples, block):
        yield (words[start : start + block].astype(np.int64) * number) >> 32


def draw_counts(
    number: int, name: str, resamples: int = RESAMPLES
) -> Iterator[npt.NDArray[np.int64]]:
    """The number of times that each of `number` rows is in each resample of as many, by `draw`.

    Arrays of (resamples, number), some resamples at a time.
    """
    for block in draw(number, number, name, resamples):
        places = (np.arange(len(block))[:, np.newaxis] * number + block).ravel()
        yield np.bincount(places, minlength=len(block) * number).reshape(-1, number)


def percentile_ends(estimates: npt.NDArray[np.float64]) -> Ends:
    """The ends of the middle 95 % of the estimates."""
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(estimates, [tail, 100 - tail])
    return float(low), float(high)


def ends_of_defined(estimates: npt.NDArray[np.float64]) -> Ends | None:
    """`percentile_ends` of the resamples whose estimate is not NaN; None if there are none."""
    defined = estimates[~np.isnan(estimates)]
    return percentile_ends(defined) if len(defined) else None
