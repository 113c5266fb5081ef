"""The table of the page about cited papers, made from a report's payload."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class CitedShareLine(NamedTuple):
    """The cited candidates of a facet; shares are in percent, None without a candidate."""

    name: str
    cited: int
    cells: list[tuple[int, float]]  # by grade: how many, and their share
    low_share: float
    cited_share_of_relevant: float | None


def facet_lines(payload: Mapping[str, Any], names: Mapping[str, str]) -> list[CitedShareLine]:
    """`names` are the facets' by their key."""
    return [
        CitedShareLine(
            names.get(row["facet"], row["facet"]) if row["facet"] else "All queries",
            sum(row["cited"]),
            [
                (count, 100 * share)
                for count, share in zip(row["cited"], row["shares"], strict=True)
            ],
            100 * row["low_share"],
            None
            if row["cited_share_of_relevant"] is None
            else 100 * row["cited_share_of_relevant"],
        )
        for row in payload["facets"]
    ]
