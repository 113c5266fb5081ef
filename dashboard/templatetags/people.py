"""`{% person_link user %}`: a person's name, which links to the page of the person."""

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
