"""A figure as a PDF, for a paper: the marks of its sheet, drawn by matplotlib's PDF canvas.

The colours and widths are the rules of templates/web/figure_file.svg, so both files look the same.
The fonts are embedded, and the file has no date: the same figure gives the same bytes.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

import matplotlib as mpl
from django.template.loader import get_template
from matplotlib.artist import Artist
from matplotlib.figure import Figure as Canvas
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Rectangle
from matplotlib.text import Text as CanvasText
from matplotlib.transforms import Affine2D

from web.figures import GAP, Bar, Dot, Figure, PlacedKey, Sheet, Stroke, TextLine, sheet_of

POINT = 0.75  # points in a CSS pixel
SIZES = {"large": 16}  # pixels; other text has 12
FONTS = {"normal": "DejaVuSans.ttf", "bold": "DejaVuSans-Bold.ttf"}
ALIGNMENTS: Mapping[str, Literal["left", "center", "right"]] = {
    "start": "left",
    "middle": "center",
    "end": "right",
}
TEMPLATE = "web/figure_file.svg"

Style = Mapping[str, str]

mpl.rcParams["pdf.fonttype"] = 42  # TrueType: journals refuse the default, Type 3


def pdf_of(figure: Figure) -> bytes:
    sheet = sheet_of(figure)
    canvas = Canvas(figsize=(sheet.width * POINT / 72, sheet.height * POINT / 72))
    canvas.patch.set_facecolor(styles("rect", "paper")["fill"])
    for place, artist in enumerate(_artists(sheet)):
        artist.set_zorder(place)  # matplotlib would draw all lines over all bars
        canvas.add_artist(artist)
    content = io.BytesIO()
    metadata = {"Title": figure.title, "Subject": sheet.description, "Creator": "Qrelsmith"}
    canvas.savefig(content, format="pdf", metadata=metadata | {"CreationDate": None})
    return content.getvalue()


def styles(element: str, css: str) -> Style:
    """The declarations for an element with these classes, as a browser applies them to the SVG."""
    found: dict[str, str] = {}
    for selector, declarations in _rules():
        name, _, css_class = selector.rpartition(".")
        if (name in ("", element) and css_class in css.split()) or selector == element:
            found |= declarations
    return found


@cache
def _rules() -> list[tuple[str, Style]]:
    """Selector and declarations of each rule: the more specific `rect.x` stand after `.x`."""
    template: Any = get_template(TEMPLATE)
    sheet = re.search(r"<style>(.*?)</style>", template.template.source, re.DOTALL)
    assert sheet is not None, f"{TEMPLATE} has no <style>"
    return [
        (selector.strip(), dict(re.findall(r"([\w-]+): ([^;]+);", body)))
        for selectors, body in re.findall(r"([^{}]+)\{([^}]*)\}", sheet[1])
        for selector in selectors.split(",")
    ]


def _artists(sheet: Sheet) -> Iterator[Artist]:
    """In the order of the SVG file, which is the order of drawing."""
    page = Drawing(sheet, 0, 0)
    yield page.text(TextLine(GAP, 34, sheet.figure.title, css="heading large"))
    yield from map(page.text, sheet.note)
    for key in sheet.keys:
        yield page.key(key)
        yield page.text(key.label)
    for place in sheet.panels:
        panel = Drawing(sheet, place.x, place.y)
        yield from map(panel.stroke, place.panel.strokes)
        yield from map(panel.bar, place.panel.bars)
        yield from map(panel.dot, place.panel.dots)
        yield from map(panel.text, place.panel.texts)


class Drawing:
    """Makes artists from marks, whose coordinates are pixels from (x, y) of the sheet, down."""

    def __init__(self, sheet: Sheet, x: float, y: float) -> None:
        self.transform = Affine2D().translate(x, y - sheet.height).scale(POINT, -POINT)

    def stroke(self, stroke: Stroke) -> Artist:
        style = styles("line", stroke.css)
        return self._placed(
            Line2D(
                [stroke.x1, stroke.x2],
                [stroke.y1, stroke.y2],
                color=style.get("stroke", "none"),
                linewidth=_width(style),
                alpha=float(style.get("opacity", 1)),
                solid_capstyle="butt",
            )
        )

    def bar(self, bar: Bar) -> Artist:
        shape = Rectangle((bar.x, bar.y), bar.width, bar.height)
        return self._placed(_filled(shape, styles("rect", bar.css), bar.opacity))

    def dot(self, dot: Dot) -> Artist:
        return self._placed(_filled(Circle((dot.x, dot.y), 4), styles("circle", dot.css)))

    def key(self, place: PlacedKey) -> Artist:
        if place.key.is_dot:
            return self.dot(Dot(place.key.css, place.x + 6, place.y + 6))
        return self.bar(Bar(place.key.css, place.x + 1, place.y + 1, 10, 10))

    def text(self, text: TextLine) -> Artist:
        style = styles("text", text.css)
        weight = "bold" if style.get("font-weight") == "600" else "normal"
        size = next((SIZES[css] for css in text.css.split() if css in SIZES), 12)
        return self._placed(
            CanvasText(
                text.x,
                text.y,
                text.text,
                color=style["fill"],
                horizontalalignment=ALIGNMENTS[text.anchor],
                verticalalignment="baseline",
                fontproperties=_font(weight, size * POINT),
                parse_math=False,  # a name may have two dollar signs
            )
        )

    def _placed(self, artist: Artist) -> Artist:
        artist.set_transform(self.transform)
        return artist


def _filled(shape: Rectangle | Circle, style: Style, opacity: float = 1) -> Artist:
    color = style.get("fill", "#000000")
    shape.set_facecolor((color, opacity))
    shape.set_edgecolor(style.get("stroke", "none"))
    shape.set_linewidth(_width(style))
    return shape


def _width(style: Style) -> float:
    return float(style.get("stroke-width", 1)) * POINT


@cache
def _font(weight: str, size: float) -> FontProperties:
    """Matplotlib's own copy of DejaVu Sans, so that no installed font changes the file."""
    return FontProperties(fname=Path(mpl.get_data_path(), "fonts/ttf", FONTS[weight]), size=size)
