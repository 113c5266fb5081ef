"""`{% upload_limit field %}`: the largest file that the field accepts, in bytes."""

from __future__ import annotations

from django.conf import settings
from django.forms import BoundField
from django.template import Library

from web.file_fields import SmallFileField

register = Library()


@register.simple_tag
def upload_limit(field: BoundField) -> int:
    limit: int = settings.MAX_UPLOAD_BYTES
    return min(limit, field.field.largest) if isinstance(field.field, SmallFileField) else limit
