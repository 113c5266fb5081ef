"""Links between the pages of Evaluation, which keep their shared choices."""

from __future__ import annotations

from django.template import Library
from django.template.context import Context
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from evaluation.choices import choices_address, kept_choices

register = Library()


@register.simple_tag(takes_context=True)
def choices_url(context: Context, url_name: str, *arguments: str, **changes: str) -> str:
    """The address of a page of the collection with the choices of this one, and with `changes`.

    A page with defaults of its own has its choices as `kept`; else they are those of its address.
    """
    choices = context.get("kept") or context["request"].GET
    return choices_address(url_name, [context["collection"].slug, *arguments], choices, **changes)


@register.simple_tag(takes_context=True)
def kept_fields(context: Context, *own: str) -> SafeString:
    """Hidden fields of the shared choices, for a form that has the choices `own` itself."""
    kept = kept_choices(context["request"].GET)
    fields = [(name, value) for name, value in kept.items() if name not in own]
    return format_html_join("", '<input type="hidden" name="{}" value="{}">', fields)
