"""The figure of estimates, made from a report's payload. Nothing here computes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from evaluation.prediction_powered.tables import (
    BOUNDS,
    EstimateLine,
    Payload,
    estimate_lines,
    finding_of,
)
from web.figure_panels import Interval, gutter_for, intervals
from web.figures import Figure

MOST_ROWS = 40
HUMAN, POWERED = "Human labels only", "With the model"


def estimate_figures(payload: Payload) -> list[Figure]:
    """The intervals of both estimates, or the saved queries of a collection judged whole."""
    lines = [line for line in estimate_lines(payload) if line.powered is not None]
    if lines:
        return [_estimates(payload, lines)]
    return [_saved(payload)] if payload["simulated"] else []


def _estimates(payload: Payload, lines: Sequence[EstimateLine]) -> Figure:
    shown = lines[:MOST_ROWS]
    by_panel = {
        HUMAN: [_interval(line.system, line.human) for line in shown],
        POWERED: [_interval(line.system, line.powered) for line in shown],
    }
    numbers = [number for rows in by_panel.values() for row in rows for number in row[1:4]]
    gutter = gutter_for(line.system for line in shown)
    more = f" The first {MOST_ROWS} of {len(lines):,} systems." if len(lines) > MOST_ROWS else ""
    return Figure(
        name="estimates",
        title=f"Estimated mean {payload['measure']} over all {payload['queries']:,} queries",
        note=f"A dot is the estimate, a line its 95 % interval, in percent.{more}",
        panels=[
            intervals(name, finding_of(payload), rows, min(numbers), max(numbers), gutter)
            for name, rows in by_panel.items()
        ],
        head=("system", *(f"{name}: {key}" for name in by_panel for key in BOUNDS)),
        rows=[
            (
                line.system,
                *(source[key] for source in (line.human, line.powered or {}) for key in BOUNDS),
            )
            for line in lines
        ],
        same_table="estimates-table",
    )


def _interval(name: str, bounds: Payload | None) -> Interval:
    low, value, high = (
        100 * bounds[key] if bounds else math.nan for key in ("low", "value", "high")
    )
    return Interval(name, low, value, high)


def _saved(payload: Payload) -> Figure:
    sizes = payload["simulated"]["sizes"]
    rows = [
        Interval(
            f"{row['judged']:,} judged",
            row["saved"][0],
            row["saved"][1],
            row["saved"][2],
            is_sure=not row["not_offered"],
        )
        for row in sizes
    ]
    high = max(row.high for row in rows)
    return Figure(
        name="saved",
        title=f"Queries saved, out of {payload['queries']:,}",
        note="A row is a number of queries that people judge, drawn at random. A dot is the median "
        f"of the queries saved over {payload['simulated']['draws']:,} draws and all systems, a "
        "line goes from the 5th to the 95th percentile. Hollow dots: no interval is given there.",
        panels=[
            intervals(
                "Queries saved",
                finding_of(payload),
                rows,
                0.0,
                max(high, 1.0),
                gutter_for(row.name for row in rows),
            )
        ],
        head=("judged", "saved: 5th percentile", "saved: median", "saved: 95th percentile"),
        rows=[(row["judged"], *row["saved"]) for row in sizes],
        same_table="simulated-table",
    )
