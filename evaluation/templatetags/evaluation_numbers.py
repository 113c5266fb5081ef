"""Scores as a page shows them: in percent, with a dash for an undefined value."""

from __future__ import annotations

from django.template import Library
from django.utils.html import format_html
from django.utils.safestring import SafeString

from evaluation.leaderboard.rows import LeaderboardLine
from evaluation.significance.tables import points as point_text

register = Library()
UNDEFINED = "–"


@register.simple_tag
def percent(value: float | None) -> str:
    """ "66.70" for 0.667; a dash for an undefined value."""
    return UNDEFINED if value is None else f"{value * 100:.2f}"


@register.simple_tag
def bounds(low: float | None, high: float | None) -> str:
    """ "31.36–41.07" for the ends of an interval; one number if both are shown alike."""
    return "–".join(dict.fromkeys((percent(low), percent(high))))


@register.simple_tag
def hours(number: float) -> str:
    """ "2.6 h"; work that would be rounded to nothing is "under 0.1 h"."""
    return "under 0.1 h" if 0 < number < 0.05 else f"{number:,.1f} h"


@register.simple_tag
def points(value: float) -> str:
    """ "+3.30" for a difference of 0.033: percentage points."""
    return point_text(value)


@register.simple_tag
def score(line: LeaderboardLine, measure: str) -> SafeString | str:
    """The mean, with the standard deviation of repetitions; the full number is in the title."""
    value = line.row.measures.get(measure)
    if value is None:
        return UNDEFINED
    deviation = (line.deviations or {}).get(measure)
    more = "" if deviation is None else f" ± {deviation * 100:.2f}"
    return format_html('<span title="{}">{}{}</span>', value, percent(value), more)


@register.simple_tag
def interval(line: LeaderboardLine, measure: str) -> str:
    bounds = line.row.intervals.get(measure)
    return f"{percent(bounds[0])}–{percent(bounds[1])}" if bounds else UNDEFINED


@register.simple_tag
def folds(line: LeaderboardLine, measure: str) -> str:
    return " | ".join(percent(value) for value in line.row.folds.get(measure, ()))
