"""`{% help_url %}`: the address of the docs' page that helps with the page that is shown."""

from __future__ import annotations

from django.template import Context, Library

from dashboard.help import pages

register = Library()


@register.simple_tag(takes_context=True)
def help_url(context: Context) -> str:
    request = context.get("request")
    match = request and request.resolver_match
    return pages.help_url(match.url_name if match else "")
