"""`{% query_head query %}`: the head of a row about a query, its id as a link above its title."""

from __future__ import annotations

from django.template import Context, Library
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from corpus.models import Query

register = Library()


@register.simple_tag(takes_context=True)
def query_head(context: Context, query: Query) -> SafeString:
    """The query comes with its title, as `with_titles` loads it."""
    return format_html(
        '<th scope="row" class="paper-name">\n<a href="{}">{}</a>\n'
        '<span class="title clip" title="{}">{}</span>\n</th>',
        reverse("query", args=[context["collection"].slug, query.name]),
        query.name,
        query.query_paper.title,
        query.query_paper.title or "(no title)",
    )
