"""`{{ moment|ago }}`: "3 minutes ago", with the exact time in the title; days until a date."""

from __future__ import annotations

from datetime import date, datetime

from django.conf import settings
from django.contrib.humanize.templatetags.humanize import naturaltime
from django.template import Library
from django.utils import dateformat, timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext

register = Library()


@register.filter
def ago(moment: datetime | None) -> SafeString | str:
    if moment is None:
        return ""
    exact = timezone.localtime(moment)
    if get_language() == settings.LANGUAGE_CODE:
        title = f"{exact.day} {exact:%B %Y, %H:%M:%S %Z}"  # `dateformat` takes three times as long
    else:
        title = dateformat.format(exact, gettext("j F Y, H:i:s T"))
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        exact.isoformat(timespec="seconds"),
        title,
        naturaltime(moment),
    )


@register.filter
def days_left(day: date) -> int:
    """The days from today until the day; negative after it."""
    return (day - timezone.localdate()).days
