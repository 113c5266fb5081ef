"""`{{ panel|drawing }}` and `{{ panel|marks }}`: a figure's panel, and its marks, as SVG.

A page can have 500 of them. A template takes several times as long, and so does `format_html`.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from django.template import Library
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from web.figures import Bar, Dot, Panel, RowLink, Stroke, TextLine

register = Library()


@register.filter
def drawing(panel: Panel) -> SafeString:
    """The panel as an image of its own, which says its finding to those who cannot see it."""
    role = "group" if panel.links else "img"  # an image has no links
    links = mark_safe("\n".join(map(_link, panel.links)))  # escaped as below
    return format_html(
        '<svg viewBox="0 0 {} {}" width="{}" height="{}" role="{}" aria-label="{}">'
        "\n{}\n{}\n</svg>",
        *(panel.width, panel.height, panel.width, panel.height, role, panel.finding),
        *(marks(panel), links),
    )


@register.filter
def marks(panel: Panel) -> SafeString:
    return mark_safe("\n".join(_elements(panel)))  # every text is escaped, and all else is numbers


def _elements(panel: Panel) -> Iterator[str]:
    yield from map(_line, panel.strokes)
    yield from map(_rectangle, panel.bars)
    yield from map(_circle, panel.dots)
    yield from map(_text, panel.texts)


def _line(stroke: Stroke) -> str:
    css, x1, y1, x2, y2 = stroke
    return f'<line class="{escape(css)}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>'


def _rectangle(bar: Bar) -> str:
    colour = f'fill="{escape(bar.fill)}"' if bar.fill else f'class="{escape(bar.css)}"'
    return (
        f'<rect {colour} x="{bar.x}" y="{bar.y}" width="{bar.width}" height="{bar.height}">'
        f"{_title(bar.title)}</rect>"
    )


def _link(link: RowLink) -> str:
    return (
        f'<a href="{escape(link.url)}" tabindex="-1">{_title(link.name)}'
        f'<rect class="row-link" x="0" y="{link.y}" width="100%" height="{link.height}"/></a>'
    )


def _circle(dot: Dot) -> str:
    title = _title(dot.title)
    return f'<circle class="{escape(dot.css)}" cx="{dot.x}" cy="{dot.y}" r="4">{title}</circle>'


def _title(title: str) -> str:
    return f"<title>{escape(title)}</title>" if title else ""


def _text(text: TextLine) -> str:
    css = f' class="{escape(text.css)}"' if text.css else ""
    anchor = "" if text.anchor == "start" else f' text-anchor="{escape(text.anchor)}"'
    return f'<text{css} x="{text.x}" y="{text.y}"{anchor}>{escape(text.text)}</text>'
