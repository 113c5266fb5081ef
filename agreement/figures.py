"""What the agreement page draws of a report."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from agreement.coefficients import REGISTRY, STAGES, Coefficient
from web.figures import Dots, Heat

MOST_DOTS = 60  # rows of a figure: more are no longer read one by one


def report_figures(
    data: dict[str, Any], queries: list[dict[str, Any]], chosen: Coefficient, grades: list[str]
) -> dict[str, Sequence[Dots | Heat]]:
    """`queries` are the report's, with the label and the address of each."""
    return {
        "dots": query_dots(queries, [row["facet"] for row in data["facets"]], chosen),
        "judges": confusion(data, "judges", "judge 1 (rows), judge 2 (columns)", grades),
        "against_label": confusion(data, "against_label", "judges (rows), label (columns)", grades),
        "facet_pairs": facet_matrices(data, grades),
    }


def query_dots(queries: list[dict[str, Any]], facets: list[str], chosen: Coefficient) -> list[Dots]:
    """For each facet, its queries by the chosen coefficient before adjudication, from the lowest."""
    values = [row[stage][chosen.key] for row in queries for stage in STAGES]
    step = chosen.highest / 10
    low = step * math.floor(min([0.0, *(value for value in values if value is not None)]) / step)
    figures = []
    for facet in facets:
        rows = [
            {
                "label": row["label"],
                "value": row["before"][chosen.key],
                "after": row["after"][chosen.key],
                "reason": row["undefined"]["before"].get(chosen.key, ""),
                "url": row["url"],
            }
            for row in queries
            if row["facet"] == facet
        ]
        rows.sort(key=lambda row: (row["value"] is None, row["value"] or 0.0))
        figures.append(
            Dots(
                f"agreement-{facet or 'queries'}",
                facet.capitalize() or "All queries",
                chosen.name,
                rows[:MOST_DOTS],
                low=low,
                high=chosen.highest,
                note=f"The {MOST_DOTS} lowest of {len(rows):,} queries." if len(rows) > MOST_DOTS else "",
            )
        )
    return figures


def confusion(data: dict[str, Any], key: str, title: str, grades: list[str]) -> list[Heat]:
    """A matrix for each facet: the grades of the first one in its rows, of the other in its columns."""
    numbers, labels = numbered(grades)
    return [
        Heat(
            f"{key.replace('_', '-')}-{row['facet'] or 'queries'}",
            f"{row['facet'].capitalize() or 'All queries'}: {title}",
            numbers,
            labels,
            row[key],
        )
        for row in data["facets"]
    ]


def facet_matrices(data: dict[str, Any], grades: list[str]) -> list[Heat]:
    numbers, labels = numbered(grades)
    return [
        Heat(
            f"facets-{row['first']}-{row['second']}",
            f"{row['first'].capitalize()} (rows), {row['second']} (columns)",
            numbers,
            labels,
            row["counts"],
        )
        for row in data["facet_pairs"]
    ]


def numbered(grades: list[str]) -> tuple[list[str], list[str]]:
    return [str(number) for number in range(len(grades))], [f"{number} {name}" for number, name in enumerate(grades)]


def medians_csv(data: dict[str, Any]) -> list[list[object]]:
    rows: list[list[object]] = [["facet", "stage", "coefficient", "median", "low", "high", "defined", "queries"]]
    for row in data["facets"]:
        for stage in STAGES:
            for each in REGISTRY:
                found = row[stage][each.key]
                numbers = [found[key] for key in ("median", "low", "high", "defined")]
                rows.append([row["facet"], stage, each.key, *numbers, row["queries"]])
    return rows
