"""A figure on a page, and as a file: SVG and PDF for a paper, CSV for a spreadsheet."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from django.conf import settings
from django.http import Http404, HttpResponse
from django.template import Context, Engine
from django.urls import reverse

from web.downloads import as_download
from web.figures import Figure, sheet_of
from web.tables.csv_cells import csv_text

SVG, PDF, CSV = "svg", "pdf", "csv"
KINDS = {
    SVG: "image/svg+xml; charset=utf-8",
    PDF: "application/pdf",
    CSV: "text/csv; charset=utf-8",
}
POINTS_IN_PIXEL = 0.75  # the converter makes a whole point of a pixel


class ShownFigure(NamedTuple):
    """A figure with the addresses of its files."""

    figure: Figure
    svg: str
    pdf: str
    csv: str


def shown(
    figure: Figure, url_name: str, slug: str, parameters: str = "", *, subject: str = ""
) -> ShownFigure:
    """`parameters` of the page's address decide what the figure is of, so the files need them.

    `subject` is what the address names between the collection and the figure.
    """
    query = f"?{parameters}" if parameters else ""
    names = [slug, *filter(None, [subject]), figure.name]
    files = (f"{reverse(url_name, args=[*names, kind])}{query}" for kind in KINDS)
    return ShownFigure(figure, *files)


def figure_file(figures: Iterable[Figure], name: str, extension: str, slug: str) -> HttpResponse:
    """The file of the figure of that name; 404 if there is none."""
    figure = next((figure for figure in figures if figure.name == name), None)
    if figure is None or extension not in KINDS:
        raise Http404(f"no figure {name}.{extension}")
    response = HttpResponse(_content(figure, extension), content_type=KINDS[extension])
    return as_download(response, f"{slug}-{name}.{extension}")


def _content(figure: Figure, extension: str) -> str | bytes:
    if extension == PDF:
        return pdf_of(figure)
    return svg_of(figure) if extension == SVG else csv_text(figure.head, *figure.rows)


def svg_of(figure: Figure, *, for_pdf: bool = False) -> str:
    """The figure as an SVG file that needs no other file."""
    sheet = sheet_of(figure)
    scale = POINTS_IN_PIXEL if for_pdf else 1
    context = {
        "sheet": sheet,
        "width": sheet.width * scale,
        "height": sheet.height * scale,
        "for_pdf": for_pdf,
    }
    return _svg_templates().get_template("web/figure_file.svg").render(Context(context))


@cache
def _svg_templates() -> Engine:
    """The templates with the libraries that a figure loads.

    The pages' engine imports the libraries of every app, which took a fifth of a second of a
    release.
    """
    libraries = {"figures": "web.templatetags.figures", "l10n": "django.templatetags.l10n"}
    return Engine(dirs=[str(settings.BASE_DIR / "templates")], libraries=libraries)


def pdf_of(figure: Figure) -> bytes:
    """The SVG file as a PDF with its font: the same bytes each time, and no date."""
    import vl_convert  # 80 MB, which most processes never need

    return vl_convert.svg_to_pdf(svg_of(figure, for_pdf=True))
