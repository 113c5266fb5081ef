"""The server's name and whom to ask, for templates. No database and no request is needed."""

from __future__ import annotations

from typing import NamedTuple

from django.conf import settings
from django.template import Library

register = Library()


class Contact(NamedTuple):
    """Whom people ask for help: the text of a link and its address."""

    caption: str
    url: str


@register.simple_tag
def server_name() -> str:
    name: str = settings.SERVER_NAME
    return name


@register.simple_tag
def contact() -> Contact | None:
    """The contact of this server; None if the setting is empty."""
    address: str = settings.SERVER_CONTACT
    if not address:
        return None
    is_page = address.startswith(("https://", "http://"))
    return Contact(address, address if is_page else f"mailto:{address}")


@register.simple_tag
def is_demo() -> bool:
    return bool(settings.DEMO)


@register.simple_tag
def sends_mail() -> bool:
    return bool(settings.SENDS_MAIL)


@register.simple_tag
def shows_mails() -> bool:
    """Return whether mails are files that staff can read on a page."""
    return bool(settings.SHOWS_MAILS)
