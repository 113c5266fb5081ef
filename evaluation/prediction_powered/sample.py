"""The queries that people judged, as a random sample of all opened queries. Pure.

The collection's seed gives all opened queries a random order, in which they are opened and judged.
The first n of it are a random sample of size n, if that order alone decided which were judged. So
the judged queries must be exactly the first n: with a gap, a query may be unfinished because it is
hard. Nothing has to be recorded, because the seed is fixed once pools are built.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from corpus.ordering import order_key
from evaluation.prediction_powered.limits import FEWEST
from web.words import count_noun, listed

NAMED = 5  # queries that a reason names


class HumanSample(NamedTuple):
    """The opened queries in random order. People judged the first `judged` of them whole.

    `reason` says why no estimate is given from them, or is "".
    """

    order: Sequence[str]
    judged: int
    reason: str = ""

    @property
    def is_whole(self) -> bool:
        return self.judged == len(self.order)


def random_order(queries: Iterable[str], seed: str) -> list[str]:
    """The order in which `annotation.services.open_queries` opens these queries."""
    return sorted(queries, key=lambda name: order_key(seed, "opening", name, ""))


def human_sample(order: Sequence[str], complete: Collection[str]) -> HumanSample:
    """`complete`: the queries of which every pair has a final label or was set aside."""
    first = next((n for n, name in enumerate(order) if name not in complete), len(order))
    others = [name for name in order[first:] if name in complete]
    if others:
        reason = (
            f"The queries that people judged are not a random sample. {order[first]} is number "
            f"{first + 1:,} of the random order and is not finished, but "
            f"{listed(others, NAMED)} behind it "
            f"{'is' if len(others) == 1 else 'are'}. Finish the queries in their order: "
            f"{listed(_unfinished_before(order, complete), NAMED)}."
        )
    elif first < FEWEST and first < len(order):
        reason = (
            f"People judged {count_noun(first, 'query', 'queries')} whole. With fewer than "
            f"{FEWEST}, intervals are too narrow. Judge the next ones of the random order: "
            f"{listed(order[first:FEWEST], FEWEST)}."
        )
    else:
        reason = ""
    return HumanSample(order, first, reason)


def _unfinished_before(order: Sequence[str], complete: Collection[str]) -> list[str]:
    """Those that have a finished query behind them."""
    last = max(n for n, name in enumerate(order) if name in complete)
    return [name for name in order[:last] if name not in complete]
