"""`{% upload_limit %}`: the largest file that the server accepts, in bytes."""

from __future__ import annotations

from django.conf import settings
from django.template import Library

register = Library()


@register.simple_tag
def upload_limit() -> int:
    limit: int = settings.MAX_UPLOAD_BYTES
    return limit
