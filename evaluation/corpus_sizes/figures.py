"""The figure of the report: each retriever's mean over the size of the corpus. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evaluation.corpus_sizes.tables import SizeLine, size_lines
from web.figure_panels import NamedCurve, SpreadPoint, named_curves
from web.figures import Figure


def size_figures(payload: Any) -> list[Figure]:
    """A panel for each measure; none with fewer than two sizes."""
    lines = size_lines(payload)
    if len({line.documents for line in lines}) < 2:
        return []
    names, measures = payload["retrievers"], payload["measures"]
    panels = []
    for place, measure in enumerate(measures):
        curves = [
            NamedCurve(name, [_point(line, number, place) for line in lines])
            for number, name in enumerate(names)
        ]
        panels.append(named_curves(measure, _finding(measure, curves), curves, axis="documents"))
    return [
        Figure(
            name="corpus-sizes",
            title="Means over the size of the corpus",
            note="In percent, over the documents on a logarithmic scale. A dot is the mean over "
            "draws, an upright line goes from one standard deviation below it to one above.",
            panels=panels,
            head=("documents", *(f"{name}: {measure}" for name in names for measure in measures)),
            rows=[(line.documents, *(cell.mean for cell in line.flat_cells)) for line in lines],
            same_table="size-rows",
        )
    ]


def _point(line: SizeLine, retriever: int, measure: int) -> SpreadPoint:
    cell = line.cells[retriever][measure]
    deviation = 100 * (cell.deviation or 0.0)
    return SpreadPoint(line.documents or 0, 100 * cell.mean, deviation)


def _finding(measure: str, curves: Sequence[NamedCurve]) -> str:
    changes = (
        f"{curve.name} goes from {curve.points[0].y:.2f} with {curve.points[0].x:,} documents to "
        f"{curve.points[-1].y:.2f} with {curve.points[-1].x:,}"
        for curve in curves
    )
    return f"{measure}: {'; '.join(changes)}."
