"""`{% public_release_count as count %}`: how many releases everybody may download."""

from __future__ import annotations

from django.template import Library

from release.models import PublicPeriod

register = Library()


@register.simple_tag
def public_release_count() -> int:
    return PublicPeriod.objects.current().count()
