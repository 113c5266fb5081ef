"""The interval of a proportion. Pure."""

from __future__ import annotations

import math

Z = 1.959963984540054  # the 97.5 % point of the normal distribution


def wilson(successes: float, number: float) -> tuple[float, float]:
    """The 95 % interval of a share of which `number` draws had `successes`. Raises without a draw.

    With an effective number of draws, neither of the two need be whole.

    Source: Wilson (1927), Probable inference, the law of succession, and statistical inference.
    """
    share, spread = successes / number, Z * Z / number
    middle = (share + spread / 2) / (1 + spread)
    half = Z * math.sqrt(share * (1 - share) / number + spread / number / 4) / (1 + spread)
    # Exactly at the ends, where rounding would leave 0.9999999999999999.
    low = 0.0 if successes == 0 else max(0.0, middle - half)
    high = 1.0 if successes == number else min(1.0, middle + half)
    return low, high
