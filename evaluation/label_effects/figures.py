"""The figures of the pages about labels, made from a report's payload. Nothing here computes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from evaluation.label_effects.rankings import NAMES
from evaluation.label_effects.tables import SHOWN, RankingTables
from web.figure_panels import BeforeAfter, gutter_for, moves
from web.figures import Figure, Key
from web.words import count_noun, listed

SLOTS = ("slot1", "slot2")


def label_figures(payload: Mapping[str, Any]) -> list[Figure]:
    """The means of each system under both annotators; nothing without a system."""
    return means_figures(payload, SLOTS, name="annotators", of="both annotators")


def means_figures(
    payload: Mapping[str, Any], labels: tuple[str, str], *, name: str, of: str
) -> list[Figure]:
    """The means of each system under two sets of labels; nothing without a system."""
    tables = RankingTables(payload)
    places = [line.source for line in tables.sources]
    if not tables.systems_count or not set(labels) <= set(places):
        return []
    first, second = (places.index(source) for source in labels)
    rows = [
        (line.system, line.places[first].mean, line.places[second].mean) for line in tables.systems
    ]
    means = [
        (before, after) for _, before, after in rows if before is not None and after is not None
    ]
    if not means:
        return []
    values = [100 * value for both in means for value in both]
    names = (NAMES[labels[0]], NAMES[labels[1]])
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
    return [
        Figure(
            name=name,
            title=f"Mean {measure} under {of}",
            note=f"A row is a system, the best under the final labels first"
            f"{f', of {tables.systems_count:,}' if tables.systems_count > SHOWN else ''}. Values "
            "are in percent. "
            "Two systems swap if their hollow dots and their filled dots are in different orders.",
            panels=[
                moves(
                    f"Mean {measure}",
                    finding,
                    [
                        BeforeAfter(name, _in_percent(before), _in_percent(after))
                        for name, before, after in rows
                    ],
                    min(0.0, *values),
                    max(values),
                    stages=names,
                    gutter=gutter_for(row[0] for row in rows),
                )
            ],
            head=("system", *names),
            rows=rows,
            keys=(
                Key("dot-before", names[0], is_dot=True),
                Key("dot-after", names[1], is_dot=True),
            ),
            in_percent=names,
        )
    ]


def _in_percent(mean: float | None) -> float | None:
    return None if mean is None else round(100 * mean, 2)


def ranking_finding(payload: Mapping[str, Any]) -> str:
    """The difference of each ranking to that under the final labels, in words."""
    tables = RankingTables(payload)
    compared = [line for line in tables.sources if not line.is_reference]
    if tables.systems_count < 2:
        return "A comparison of rankings needs at least two systems."
    pairs = count_noun(tables.pairs_of_systems, "pair")
    parts = [
        f"{len(line.row['swaps']):,} under {line.name} (τ {line.values[0].shown})"
        for line in compared
    ]
    return (
        f"Of {pairs} of systems, these are in another order than under the final labels: "
        f"{listed(parts, len(parts))}."
    )
