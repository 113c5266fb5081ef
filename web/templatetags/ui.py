"""Tags and filters of every template. They are built in: no template loads them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import template
from django.http import QueryDict
from django.template.defaultfilters import stringfilter
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from web.figures import Figure, Heat, Lines
from web.markdown import to_html

register = template.Library()


@register.simple_block_tag()
def page_head(content: str, title: str, lead: str = "") -> SafeString:
    """The head of a page: its title, a lead sentence, and what stands between the tags as its actions."""
    return render_to_string("web/page_head.html", {"title": title, "lead": lead, "actions": content})


@register.simple_block_tag()
def empty(content: str, title: str) -> SafeString:
    """What a page shows instead of nothing: what will be here, and the button that puts it there."""
    return render_to_string("web/empty.html", {"title": title, "content": content})


@register.inclusion_tag("web/meter.html")
def meter(done: int, total: int, label: str) -> dict[str, Any]:
    return {"done": done, "total": total, "label": label}


@register.inclusion_tag("web/grade.html")
def grade(value: int | None, reason: str = "") -> dict[str, Any]:
    """A grade as number on its colour; a missing one as a dash with its reason."""
    return {"grade": value, "reason": reason}


@register.filter
@stringfilter
def markdown(text: str) -> SafeString:
    return mark_safe(to_html(text))


@register.filter
def duration(seconds: float | None) -> str:
    """12 s, 4 min, 3.5 h: as exact as a person needs it."""
    if seconds is None:
        return "–"
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


@register.filter
def percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "–"


@register.filter
def get(mapping: Any, key: Any) -> Any:
    return mapping.get(key) if hasattr(mapping, "get") else mapping[key]


@register.filter
@stringfilter
def short(name: str) -> str:
    """As a figure has room for on a phone: beginning and end, which tell names of queries and systems apart."""
    return name if len(name) <= 15 else f"{name[:5]}…{name[-9:]}"


@register.filter
def plural(number: int, words: str) -> str:
    """`{{ 3|plural:"pair,pairs" }}` is "3 pairs"."""
    one, _, many = words.partition(",")
    return f"{number:,} {one if number == 1 else many}"


@register.filter
def joined(items: Iterable[Any]) -> str:
    """a, b and c"""
    *first, last = [str(item) for item in items] or [""]
    return f"{', '.join(first)} and {last}" if first else last


@register.filter
def decimals(value: float | None, places: int = 2) -> str:
    """A coefficient or measure; a dash where it is undefined, a true minus sign where it is negative."""
    return "–" if value is None else f"{value:z.{places}f}".replace("-", "−")


@register.simple_tag(takes_context=True)
def figure(context: dict[str, Any], drawing: Figure | Lines | Heat) -> SafeString:
    """The figure in its frame. The page answers its own address with `figure=<name>` by the numbers as CSV."""
    request = context.get("request")
    parameters = request.GET.copy() if request else QueryDict(mutable=True)
    parameters["figure"] = drawing.name
    return render_to_string("web/figure.html", {"figure": drawing, "csv_url": f"?{parameters.urlencode()}"})
