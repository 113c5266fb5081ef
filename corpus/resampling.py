"""Resampling with the same random numbers on every machine, and intervals. Pure.

Every random number is from SHAKE-256 of a name, such as the collection's seed and a purpose.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Ends: TypeAlias = tuple[float, float]  # of an interval, the lower one first

LEVEL = 0.95
Z = 1.959963984540054  # the 97.5 % point of the normal distribution
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


def wilson(successes: int, number: int) -> Ends:
    """The 95 % interval of a share of which `number` draws had `successes`. Raises without a draw.

    Source: Wilson (1927), Probable inference, the law of succession, and statistical inference.
    """
    share, spread = successes / number, Z * Z / number
    middle = (share + spread / 2) / (1 + spread)
    half = Z * math.sqrt(share * (1 - share) / number + spread / number / 4) / (1 + spread)
    # Exactly at the ends, where rounding would leave 0.9999999999999999.
    low = 0.0 if successes == 0 else max(0.0, middle - half)
    high = 1.0 if successes == number else min(1.0, middle + half)
    return low, high
