"""A small picture of how a strategy draws: what it takes of three short lists, and in which order.

It is drawn by the strategy itself, so a new strategy needs no picture of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from pooling.strategies.definition import Strategy
from pooling.strategies.drawn_pool import DrawnPool
from retrieval.formats import RankedList

# Letters are documents; some are in two or three lists. The seed gives the order of the rows.
LISTS = {"1": "abxdyfzh", "2": "ijkxlymn", "3": "oxpqrzsy"}
SEED, QUERY_PAPER = "0", "paper"
# Values small enough for the lists. A parameter that is not named here has its default.
VALUES: dict[str, Any] = {"n": 2, "size": 7, "depth": 8, "top": 6, "bounds": (2, 5, 8)}
VALUES_OF: dict[str, dict[str, Any]] = {
    "depth_k": {"k": 3},
    "stratified": {"rates": (1.0, 0.5, 0.2)},
}
STEP, ROW, WIDTH, HEIGHT = 21, 19, 18, 16  # in units of the picture


class DrawnPlace(NamedTuple):
    """A place in a list: where it is in the picture, and its document's position in the pool.

    `sequence` is None for a document that is not pooled, or that another list drew.
    """

    x: int
    y: int
    sequence: int | None
    is_pooled: bool

    @property
    def text_x(self) -> int:
        return self.x + WIDTH // 2

    @property
    def text_y(self) -> int:
        return self.y + 12


def drawing(strategy: Strategy) -> list[DrawnPlace]:
    """The cells of three lists, row by row, best rank first."""
    pool = _pool(strategy)
    sequences = {(entry.drawer, entry.docno): entry.sequence for entry in pool.entries}
    pooled_docnos = {entry.docno for entry in pool.entries}
    return [
        DrawnPlace(STEP * column, ROW * row, sequences.get((name, docno)), docno in pooled_docnos)
        for row, (name, docnos) in enumerate(sorted(LISTS.items()))
        for column, docno in enumerate(docnos)
    ]


def _pool(strategy: Strategy) -> DrawnPool:
    values = dict(_values(strategy))
    rankings = {
        name: RankedList(list(docnos), range(len(docnos), 0, -1)) for name, docnos in LISTS.items()
    }
    return strategy.draw(
        rankings, {}, seed=SEED, query_paper=QUERY_PAPER, excluded=(), **strategy.read(values)
    )


def _values(strategy: Strategy) -> Iterator[tuple[str, Any]]:
    own_values = VALUES | VALUES_OF.get(strategy.name, {})
    for parameter in strategy.parameters:
        if parameter.name in own_values:
            yield parameter.name, own_values[parameter.name]
