"""The figure of the page about cited papers, made from a report's payload."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from web.figure_panels import Stack, stacks
from web.figures import Figure, Key
from web.words import count_noun


def citation_figures(payload: Mapping[str, Any], names: Mapping[str, str]) -> list[Figure]:
    """The grades of cited candidates and of the others; `names` are the facets' by their key."""
    facets = payload["facets"]
    if not facets:
        return []
    grades = range(len(facets[0]["cited"]))
    has_facets = any(names)
    return [
        Figure(
            name="cited",
            title="Final labels of cited papers and of other candidates",
            note="A bar is all labelled candidates of its row, divided by their grade.",
            panels=[
                stacks(_name(row, names), _finding(row, names), [*_stacks(row)]) for row in facets
            ],
            head=(
                *(["facet"] if has_facets else []),
                "candidates",
                *(f"grade {grade}" for grade in grades),
            ),
            rows=[
                (*([_name(row, names)] if has_facets else []), stack.name, *stack.counts)
                for row in facets
                for stack in _stacks(row)
            ],
            keys=[Key(f"g{grade}", f"grade {grade}") for grade in grades],
        )
    ]


def _stacks(row: Mapping[str, Any]) -> list[Stack]:
    return [Stack("cited", row["cited"]), Stack("not cited", row["others"])]


def _name(row: Mapping[str, Any], names: Mapping[str, str]) -> str:
    return names.get(row["facet"], row["facet"]) if row["facet"] else "All queries"


def _finding(row: Mapping[str, Any], names: Mapping[str, str]) -> str:
    cited = count_noun(sum(row["cited"]), "cited candidate")
    return (
        f"{_name(row, names)}: {100 * row['low_share']:.1f} % of {cited} have grade 0 or 1, and "
        f"{100 * _low_share(row['others']):.1f} % of the others."
    )


def _low_share(counts: list[int]) -> float:
    return sum(counts[:2]) / sum(counts) if sum(counts) else 0.0
