"""The figures of the page about yields, made from a report. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planning.yields.forecast import CurvePoint, MarginalCurve
from planning.yields.rates import Group
from web.figure_panels import BandPoint, Range, continued_curve, gutter_for, ranges
from web.figures import Figure

MOST_PANELS = 6  # of facets
MOST_ROWS = 20  # of a panel; the files have all
FOUND = "Relevant documents found, in the order of judging. Hours are of both judges."
FORECAST = (
    "Strong: found, in the order of judging. Pale: expected of the pairs left, the likeliest "
    "first, between the thin lines of its 95 % band. Judges see pairs in random order, so expect "
    "to move along the straight dashed line to the same end. Hours are of both judges."
)
TITLES = {"drawn": "Drawn by", "depth": "Depth", "facet": "Facet", "strategy": "Strategy"}


def curve_figure(curves: Sequence[MarginalCurve]) -> Iterator[Figure]:
    """Relevant documents over hours: found so far, and expected."""
    if not curves:
        return
    yield Figure(
        name="yield-curve",
        title="Relevant documents by hours of judging",
        note=FORECAST if any(curve.expected for curve in curves) else FOUND,
        panels=[
            continued_curve(
                curve.facet or "All queries",
                _finding(curve),
                [_point(point) for point in curve.found],
                [_point(point) for point in curve.expected],
                axis="hours",
            )
            for curve in curves[:MOST_PANELS]
        ],
        head=("curve", "part", "hours", "relevant", "low", "high"),
        rows=[
            (curve.facet or "all queries", part, *point)
            for curve in curves
            for part, points in (("found", curve.found), ("expected", curve.expected))
            for point in points
        ],
    )


def _point(point: CurvePoint) -> BandPoint:
    return BandPoint(*point)


def _finding(curve: MarginalCurve) -> str:
    now = curve.found[-1]
    found = f"{now.relevant:,.0f} relevant documents were found in {now.hours:,.1f} hours"
    if not curve.expected:
        return f"{found}. Nothing is left, or no forecast can be made."
    end = curve.expected[-1]
    return (
        f"{found}. {end.relevant:,.0f} are expected after {end.hours:,.1f} hours, "
        f"{end.low:,.0f} to {end.high:,.0f} with 95 % confidence."
    )


def rate_figure(groups: Sequence[Group]) -> Iterator[Figure]:
    """Relevant documents per hour with intervals; of the groups that have an interval."""
    panels = []
    for dimension, title in TITLES.items():
        rows = [
            Range(group.name, group.low, group.per_hour, group.high)
            for group in groups
            if group.dimension == dimension
            and group.low is not None
            and group.per_hour is not None
            and group.high is not None
        ]
        if len(rows) > 1:
            best = max(rows, key=lambda row: row.value)
            panels.append(
                ranges(
                    title,
                    f"{best.name} found most relevant documents per hour: {best.value:.1f}, "
                    f"95 % interval {best.low:.1f} to {best.high:.1f}.",
                    rows[:MOST_ROWS],
                    ("low", "found per hour", "high"),
                    gutter=gutter_for(row.name for row in rows[:MOST_ROWS]),
                )
            )
    if not panels:
        return
    yield Figure(
        name="yield-per-hour",
        title="Relevant documents per hour",
        note="Of both judges together. A line is the 95 % interval, a bootstrap over queries.",
        panels=panels,
        head=("dimension", "group", "low", "relevant per hour", "high"),
        rows=[
            (group.dimension, group.name, group.low, group.per_hour, group.high) for group in groups
        ],
        same_table="yield-rows",
    )
