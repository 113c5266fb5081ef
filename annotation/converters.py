"""The token of a pair in an address."""

from django.urls.converters import StringConverter


class TokenConverter(StringConverter):
    regex = "[0-9a-f]{16,32}"
