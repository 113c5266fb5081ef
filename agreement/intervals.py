"""Bootstrap intervals over queries, with the same random numbers on every machine. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

RESAMPLES = 2_000
FEWEST_QUERIES = 10  # from fewer, an interval says more about chance than about the judges


def resamples(number: int, name: str) -> Any:
    """RESAMPLES draws of `number` places from 0 to number - 1, with replacement: shape (RESAMPLES, number).

    They are the 32-bit little-endian words w of SHAKE-256(name), each as ⌊w · number / 2³²⌋.
    """
    import numpy as np

    words = np.frombuffer(hashlib.shake_256(name.encode()).digest(4 * RESAMPLES * number), dtype="<u4")
    return (words.reshape(RESAMPLES, number).astype(np.int64) * number) >> 32


def median_interval(values: Sequence[float], seed: str) -> tuple[float, float] | None:
    """The 95 % percentile interval of the median; None for fewer than FEWEST_QUERIES values.

    Source: Efron and Tibshirani (1993), An Introduction to the Bootstrap, section 13.3.
    """
    import numpy as np

    number = len(values)
    if number < FEWEST_QUERIES:
        return None
    drawn = np.sort(values)[resamples(number, f"{seed}|agreement-intervals|{number}")]
    low, high = np.percentile(np.median(drawn, axis=1), [2.5, 97.5])
    return float(low), float(high)
