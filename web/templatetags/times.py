"""`{{ moment|ago }}`: "3 minutes ago", with the exact time in the title."""

from __future__ import annotations

from datetime import datetime

from django.contrib.humanize.templatetags.humanize import naturaltime
from django.template import Library
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = Library()


@register.filter
def ago(moment: datetime | None) -> SafeString | str:
    if moment is None:
        return ""
    exact = timezone.localtime(moment)
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        exact.isoformat(timespec="seconds"),
        f"{exact.day} {exact:%B %Y, %H:%M:%S %Z}",
        naturaltime(moment),
    )
