"""The tables of the page about yields, and their CSV file."""

from __future__ import annotations

from planning.yields.rates import Group
from web.tables.columns import Column, Table

# A table for each dimension, in this order, with the head of its first column.
HEADS = {
    "drawn": "Drawn by",
    "has": "In the list of",
    "depth": "Depth",
    "facet": "Facet",
    "strategy": "Strategy",
}

GROUPS: Table[Group] = Table(
    "yields",
    [
        Column(
            "group",
            "Group",
            {"dimension": lambda row: row.dimension, "group": lambda row: row.name},
        ),
        Column(
            "judged",
            "Pairs judged",
            {
                "pairs": lambda row: row.pairs,
                "queries_judged": lambda row: row.queries,
                "pairs_judged": lambda row: row.judged,
            },
        ),
        Column("relevant", "Relevant", {"relevant": lambda row: row.relevant}),
        Column("hours", "Hours", {"hours": lambda row: round(row.hours, 3)}),
        Column(
            "rate",
            "Per hour",
            {
                "relevant_per_hour": lambda row: row.per_hour,
                "relevant_per_hour_low": lambda row: row.low,
                "relevant_per_hour_high": lambda row: row.high,
            },
        ),
        Column(
            "left",
            "Pairs left",
            {
                "pairs_left": lambda row: row.unjudged,
                "pairs_without_forecast": lambda row: row.unsaid,
                "hours_left": lambda row: round(row.hours_left, 3),
            },
        ),
        Column(
            "expected",
            "Expected",
            {
                "expected": lambda row: row.expected,
                "expected_low": lambda row: row.expected_low,
                "expected_high": lambda row: row.expected_high,
            },
        ),
        Column(
            "expected_rate",
            "Expected per hour",
            {
                "expected_per_hour": lambda row: row.expected_per_hour,
                "expected_per_hour_low": lambda row: row.expected_per_hour_low,
                "expected_per_hour_high": lambda row: row.expected_per_hour_high,
            },
        ),
    ],
)
