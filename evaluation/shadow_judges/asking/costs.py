"""The cost of requests, in the currency of their prices. Pure."""

from __future__ import annotations

from decimal import ROUND_UP, Decimal
from typing import NamedTuple

PER = 1_000_000  # tokens that a price is for
SMALLEST = Decimal("0.000000001")


class Prices(NamedTuple):
    """The prices of a million tokens."""

    prompt: Decimal
    completion: Decimal

    def cost(self, prompt_tokens: int, completion_tokens: int) -> Decimal:
        """The cost of this many tokens, rounded up at the ninth place."""
        cost = (prompt_tokens * self.prompt + completion_tokens * self.completion) / PER
        return cost.quantize(SMALLEST, ROUND_UP)
