"""Links between the pages of Evaluation, which keep their shared choices."""

from __future__ import annotations

from django.template import Library
from django.template.context import Context

from evaluation.choices import choices_address

register = Library()


@register.simple_tag(takes_context=True)
def choices_url(context: Context, url_name: str, *arguments: str, **changes: str) -> str:
    """The address of a page of the collection with the choices of this one, and with `changes`.

    A page with defaults of its own has its choices as `kept`; else they are those of its address.
    """
    choices = context.get("kept") or context["request"].GET
    return choices_address(url_name, [context["collection"].slug, *arguments], choices, **changes)
