"""The interval of a proportion. Pure."""

from __future__ import annotations

import math

Z = 1.959963984540054  # the 97.5 % point of the normal distribution


def wilson(successes: float, number: float) -> tuple[float, float]:
    """The 95 % interval of a share of which `number` draws had `successes`. Raises without a draw.

    With an effective number of draws, neither of the two need be whole.

    Source: Wilson (1927), Probable inference, the law of succession, and statistical inference.
    """
    share, z = successes / number, Z
    middle = share + z**2 / (2 * number)
    half = z * math.sqrt(share * (1 - share) / number + z**2 / (4 * number**2))
    scale = 1 + z**2 / number
    return (middle - half) / scale, (middle + half) / scale
