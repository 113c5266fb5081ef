"""A comparison of labels as lines to read at a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.label_effects.tables import CORRELATIONS, Payload, RankingTables
from web.figures import percent_text


def ranking_lines(payload: Payload) -> Iterator[str]:
    """The means under each set of labels, the coefficients, swaps and flips."""
    tables = RankingTables(payload)
    sources = [line.source for line in tables.sources]
    yield (
        f"Measure: {payload['measure']} ({payload['description']}). "
        f"Pairs in all sets of labels: {payload['pairs']:,} of {payload['queries']:,} queries."
    )
    yield ""
    yield _line("mean in % (rank)", *sources)
    for system in tables.all_systems:
        cells = [
            "–" if place.mean is None else f"{percent_text(place.mean)} ({place.rank})"
            for place in system.places
        ]
        yield _line(system.system, *cells)
    yield ""
    compared = [line for line in tables.sources if not line.is_reference]
    yield _line("compared with final", *(line.source for line in compared))
    for place, correlation in enumerate(CORRELATIONS):
        yield _line(correlation.symbol, *(line.values[place].shown for line in compared))
    yield _line("swaps", *(len(line.row["swaps"]) for line in compared))
    yield _line("significance flips", *(len(line.row["flips"]) for line in compared))
    yield _line("queries", *(line.row["queries"] for line in compared))
    yield _line("queries left out", *(line.row["left_out"] for line in compared))
    for swap in tables.all_swaps:
        yield (
            f"swap under {swap.source}: {swap.better} and {swap.worse} "
            f"({100 * swap.reference:+.2f} to {100 * swap.other:+.2f} percentage points)"
        )
    for flip in tables.all_flips:
        yield f"flip under {flip.source}: {flip.better} and {flip.worse}, {flip.kind}"


def _line(name: str, *cells: object) -> str:
    return f"{name:<28}" + "".join(f"{cell!s:>14}" for cell in cells)
