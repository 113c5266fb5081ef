"""The figure of the page about labels, made from a report's payload. Nothing here computes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from evaluation.label_effects.rankings import NAMES
from evaluation.label_effects.tables import SHOWN, RankingTables
from web.figure_panels import BeforeAfter, moves
from web.figures import Figure, Key
from web.words import count_noun

SLOTS = ("slot1", "slot2")


def label_figures(payload: Mapping[str, Any]) -> list[Figure]:
    """The means of each system under both annotators; nothing without a system."""
    tables = RankingTables(payload)
    places = [line.source for line in tables.sources]
    if not tables.systems_count or not set(SLOTS) <= set(places):
        return []
    first, second = (places.index(slot) for slot in SLOTS)
    rows = [
        BeforeAfter(line.system, line.places[first].mean, line.places[second].mean)
        for line in tables.systems
    ]
    means = [
        (row.before, row.after) for row in rows if row.before is not None and row.after is not None
    ]
    if not means:
        return []
    values = [value for both in means for value in both]
    names = (NAMES[SLOTS[0]], NAMES[SLOTS[1]])
    measure = payload["measure"]
    swapped = sum(
        (first_a - first_b) * (second_a - second_b) < 0
        for (first_a, second_a), (first_b, second_b) in combinations(means, 2)
    )
    pairs = len(means) * (len(means) - 1) // 2
    finding = (
        f"{count_noun(len(rows), 'system')} by mean {measure}: {swapped:,} of "
        f"{count_noun(pairs, 'pair')} of systems are in another order under {names[1]} than "
        f"under {names[0]}."
    )
    title = f"Mean {measure} under both annotators"
    return [
        Figure(
            name="annotators",
            title=title,
            note=f"A row is a system, the best under the final labels first"
            f"{f', of {tables.systems_count:,}' if tables.systems_count > SHOWN else ''}. "
            "Two systems swap if their hollow dots and their filled dots are in different orders.",
            panels=[
                moves(
                    f"Mean {measure}", finding, rows, min(0.0, *values), max(values), stages=names
                )
            ],
            head=("system", *names),
            rows=[(row.name, row.before, row.after) for row in rows],
            keys=(
                Key("dot-before", names[0], is_dot=True),
                Key("dot-after", names[1], is_dot=True),
            ),
        )
    ]
