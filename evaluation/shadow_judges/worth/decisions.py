"""Decisions about pairs of systems that a set of labels gets wrong. Pure.

A decision is a significant difference: p < .05 of a paired t test over the queries, adjusted by
Holm's method over all pairs of systems, as on the page *Compare*. It is wrong if the final labels
do not have it: there the difference is not significant, or the other system is better.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from evaluation.label_effects.comparison import FlipKind, PairTests, flips
from scoring.statistics.paired import ALPHA
from scoring.statistics.ranking import ranks_of
from web.lazy import pandas as pd


def decisions(
    scores: Mapping[str, pd.DataFrame], *, reference: str, alpha: float = ALPHA
) -> list[dict[str, Any]]:
    """A row for each set of labels but the reference, in the order given.

    `significant` pairs of systems under these labels, of which `right` are so under the reference
    too, `unfounded` are not significant there, and `reversed` are significant for the other
    system. `wrong` are the last two. `missed` are significant under the reference only.
    `moves` are the systems that change their rank most.
    """
    tests = {source: PairTests(frame) for source, frame in scores.items()}
    final = tests[reference]
    return [
        {"source": source, **_against(final, found, alpha)}
        for source, found in tests.items()
        if source != reference
    ]


def _against(final: PairTests, other: PairTests, alpha: float) -> dict[str, Any]:
    kinds = Counter(flip.kind for flip in flips(final, other, alpha))
    significant = _significant(other, alpha) if final.queries else 0
    unfounded, turned = kinds[FlipKind.GAINED], kinds[FlipKind.REVERSED]
    return {
        "pairs": len(final.systems) * (len(final.systems) - 1) // 2,
        "significant_final": _significant(final, alpha),
        "significant": significant,
        "right": significant - unfounded - turned,
        "unfounded": unfounded,
        "reversed": turned,
        "wrong": unfounded + turned,
        "missed": kinds[FlipKind.LOST],
        "moves": _largest_moves(final, other),
    }


def _significant(tests: PairTests, alpha: float) -> int:
    p_values = (result.value for result in tests.results)
    return sum(p is not None and p < alpha for p in p_values)


MOST_MOVES = 3


def _largest_moves(final: PairTests, other: PairTests) -> list[dict[str, Any]]:
    """The systems that move most ranks, as many as MOST_MOVES; the best under the reference first
    among equal moves. None moves: empty."""
    if not final.queries or not other.queries:
        return []
    before, after = ranks_of(final.scores), ranks_of(other.scores)
    moved = sorted(before, key=lambda name: (-abs(before[name] - after[name]), before[name], name))
    return [
        {"system": name, "final": before[name], "rank": after[name]}
        for name in moved[:MOST_MOVES]
        if before[name] != after[name]
    ]
