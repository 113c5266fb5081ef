"""`{% value_cell value %}`, `{% estimate_cell value %}`: numbers in tables, with their reasons."""

from __future__ import annotations

from django.template import Library
from django.utils.html import format_html
from django.utils.safestring import SafeString

from agreement.consistency.page import ShownEstimate
from agreement.tables import Value

register = Library()
INTERVAL = '<span class="small quiet regular block nowrap">{}</span>'


@register.simple_tag
def value_cell(value: Value, css: str = "", first: str = "", interval: str = "") -> SafeString:
    """The exact value, or why there is none, is in the title. `interval` is written below it.

    With `first`, the key of a coefficient, narrow screens have no others.

    A page can have 400 of them, and an included template takes several times as long.
    """
    if first and value.coefficient.key != first:
        css = "wide-only"
    if value.value is None:
        cell = '<td class="number {}" title="{}"><span class="quiet small">undefined</span></td>'
        return format_html(cell, css, value.exact)
    below = format_html(INTERVAL, interval) if interval else ""
    cell = '<td class="number {}" title="{}">{}{}</td>'
    return format_html(cell, css, value.exact, value.shown, below)


@register.simple_tag
def estimate_cell(shown: ShownEstimate, css: str = "") -> SafeString:
    """The value with its interval below it, or a dash; the title has the exact value or reason."""
    if shown.estimate.value is None:
        cell = '<td class="number {}" title="{}"><span class="quiet">–</span></td>'
        return format_html(cell, css, shown.exact)
    below = format_html(INTERVAL, shown.interval) if shown.interval else ""
    cell = '<td class="number {}" title="{}">{}{}</td>'
    return format_html(cell, css, shown.exact, shown.text, below)
