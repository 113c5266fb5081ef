"""A person's name, which links to the page of the person.

`{% person_link user %}` on pages of admins. `{% person_name user %}` on pages that others may open,
too: for them it is the name alone.
"""

from __future__ import annotations

from django.template import Context, Library
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.models import User

register = Library()


@register.simple_tag(takes_context=True)
def person_link(context: Context, person: User) -> SafeString:
    """A page can have 150 of them, and an included template takes several times as long."""
    address = reverse("person", args=[context["collection"].slug, person.pk])
    return format_html('<a href="{}">{}</a>', address, person.shown_name)


@register.simple_tag(takes_context=True)
def person_name(context: Context, person: User) -> str:
    return person_link(context, person) if context["navigation"].is_admin else person.shown_name
