"""`{% own_practice_sets as sets %}`: the sets of the person who reads the page, with progress.

For the page *Judge* of a room below, which knows nothing of practice.
"""

from __future__ import annotations

from django.template import Context, Library

from practice.models import PracticeMember
from practice.reading import own_members

register = Library()


@register.simple_tag(takes_context=True)
def own_practice_sets(context: Context) -> list[PracticeMember]:
    """Those that take answers first. One query."""
    members = own_members(context["collection"], context["request"].user)
    return sorted(members, key=lambda member: not member.takes_answers)
