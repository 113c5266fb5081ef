"""The lines of the page about the agreement without advised pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from agreement.coefficients import COEFFICIENTS, Coefficient
from agreement.tables import STAGES, Value


class AdvisedLine(NamedTuple):
    """Medians of a facet at a stage. Each of the `values` is that of all pairs, and of the others.

    `left_out` is the number of pairs on which a judge got an answer, `pairs` that of the others.
    """

    facet_name: str
    stage_name: str
    left_out: int
    pairs: int
    values: list[tuple[Value, Value]]


def advised_lines(payload: Mapping[str, Any], names: Mapping[str, str]) -> list[AdvisedLine]:
    """A line for each facet with such pairs at each stage, from the payload of a report."""
    of_all = {(row["facet"], row["stage"]): row for row in payload["facets"]}
    return [
        AdvisedLine(
            names.get(row["facet"], row["facet"]),
            STAGES[row["stage"]],
            row["left_out"],
            row["pairs"],
            [
                (
                    _median(coefficient, of_all[row["facet"], row["stage"]]),
                    _median(coefficient, row),
                )
                for coefficient in COEFFICIENTS
            ],
        )
        for row in payload.get("advised", {}).get("facets", [])
        if row["left_out"] and (row["facet"], row["stage"]) in of_all
    ]


def _median(coefficient: Coefficient, row: Mapping[str, Any]) -> Value:
    return Value(coefficient, row["median"][coefficient.key], "no query has a value")
