"""A figure on a page, and as a file: SVG for a paper, CSV for a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import NamedTuple

from django.http import Http404, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.http import content_disposition_header

from web.csv_cells import defused
from web.figures import Figure, sheet_of

SVG, CSV = "svg", "csv"
KINDS = {SVG: "image/svg+xml", CSV: "text/csv"}


class ShownFigure(NamedTuple):
    """A figure with the addresses of its two files."""

    figure: Figure
    svg: str
    csv: str


def shown(figure: Figure, url_name: str, slug: str, parameters: str = "") -> ShownFigure:
    """`parameters` of the page's address decide what the figure is of, so the files need them."""
    svg, csv = (reverse(url_name, args=[slug, figure.name, kind]) for kind in (SVG, CSV))
    query = f"?{parameters}" if parameters else ""
    return ShownFigure(figure, f"{svg}{query}", f"{csv}{query}")


def figure_file(figures: Iterable[Figure], name: str, extension: str, slug: str) -> HttpResponse:
    """The file of the figure of that name; 404 if there is none."""
    figure = next((figure for figure in figures if figure.name == name), None)
    if figure is None or extension not in KINDS:
        raise Http404(f"no figure {name}.{extension}")
    content = _svg(figure) if extension == SVG else _csv(figure)
    response = HttpResponse(content, content_type=f"{KINDS[extension]}; charset=utf-8")
    filename = f"{slug}-{name}.{extension}"
    response["Content-Disposition"] = content_disposition_header(True, filename) or "attachment"
    return response


def _svg(figure: Figure) -> str:
    return render_to_string("web/figure_file.svg", {"sheet": sheet_of(figure)})


def _csv(figure: Figure) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([defused(cell) for cell in figure.head])
    writer.writerows([defused(cell) for cell in row] for row in figure.rows)
    return text.getvalue()
