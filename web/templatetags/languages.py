"""The language of a page in its head, and the choice of another one."""

from __future__ import annotations

from typing import NamedTuple

from django.conf import settings
from django.template import Context, Library
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, get_language_bidi

register = Library()
ENGLISH = mark_safe('lang="en"')


@register.simple_tag
def page_language() -> SafeString:
    """The attributes of the element `html`."""
    language = get_language()
    if language == settings.LANGUAGE_CODE:
        return ENGLISH
    direction = mark_safe(' dir="rtl"') if get_language_bidi() else ""
    return format_html('lang="{}"{}', language, direction)


@register.simple_tag
def script_texts() -> SafeString:
    """The module with the texts of our scripts; none for English, which the scripts contain."""
    language = get_language()
    if language == settings.LANGUAGE_CODE:
        return mark_safe("")
    return format_html(
        '<script type="module" src="{}"></script>', static(f"js/languages/{language}.js")
    )


class LanguageChoice(NamedTuple):
    """A language of the pages, by its own name."""

    code: str
    name: str
    is_current: bool


@register.simple_tag(takes_context=True)
def language_choices(context: Context) -> list[LanguageChoice]:
    """The languages to choose from; none on a page that is in English only."""
    if not getattr(context.get("request"), "is_translated", False):
        return []
    current = get_language()
    return [LanguageChoice(code, name, code == current) for code, name in settings.LANGUAGES]
