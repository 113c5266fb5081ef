"""The addresses of models that admins may ask, from the server's setting MODEL_ADDRESSES.

An admin of a collection chooses an address and never types one. So no admin can make the server
send requests to hosts inside its network, or send a key to a host of his or her own: the operator
of the server writes which key belongs to which address.
"""

from __future__ import annotations

import os
from typing import NamedTuple
from urllib.parse import urlsplit

from django.conf import settings

from evaluation.shadow_judges.services import ShadowJudgeError

KEY_PREFIX = "QRELSMITH_MODEL_KEY_"


class InvalidAddress(ValueError):
    """An address of MODEL_ADDRESSES that cannot be used."""


class ModelAddress(NamedTuple):
    """A base URL, and the name of the variable that has its key; "" for none."""

    url: str
    key_name: str

    @property
    def name(self) -> str:
        """As in the setting. Two addresses may differ only in their keys."""
        return f"{self.url}?key={self.key_name}" if self.key_name else self.url


def parsed_address(text: str) -> ModelAddress:
    """An address of the setting, such as `https://host/v1?key=QRELSMITH_MODEL_KEY_HOST`.

    Raises InvalidAddress.
    """
    parts = urlsplit(text)
    url, _, query = text.partition("?")
    if "@" in parts.netloc:  # the message must not repeat a password
        raise InvalidAddress("An address must have no username or password.")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidAddress(f'"{url}" must be a URL such as http://127.0.0.1:11434/v1.')
    name, _, key_name = query.partition("=")
    if query and (name != "key" or not key_name.startswith(KEY_PREFIX) or "&" in query):
        raise InvalidAddress(
            f'"{url}" must be followed by nothing or by ?key={KEY_PREFIX}NAME. Write the name of '
            "the variable there, never the key itself."
        )
    return ModelAddress(url.rstrip("/"), key_name)


def allowed_addresses() -> list[ModelAddress]:
    """Those of the setting; a check of the program reports invalid ones, which are left out."""
    addresses = []
    for text in settings.MODEL_ADDRESSES:
        try:
            addresses.append(parsed_address(text))
        except InvalidAddress:
            continue
    return addresses


def allowed_address(name: str) -> ModelAddress:
    """The address with this name. Raises ShadowJudgeError for one that is not allowed."""
    for address in allowed_addresses():
        if address.name == name:
            return address
    listed = ", ".join(address.name for address in allowed_addresses()) or "none"
    raise ShadowJudgeError(
        f"The address {name.partition('?')[0]} is not allowed on this server. Ask its operator to "
        f"add it to the setting MODEL_ADDRESSES, which now has {listed}."
    )


def key_of(address: ModelAddress) -> str:
    """The key, "" where none is needed. Raises ShadowJudgeError if the variable is not set."""
    if not address.key_name:
        return ""
    key = os.environ.get(address.key_name, "").strip()
    if not key:
        raise ShadowJudgeError(
            f"The variable {address.key_name} is not set on the worker, so {address.url} cannot be "
            "asked. Ask the operator of the server to set it."
        )
    return key


def without_key(text: str, key: str) -> str:
    """The text of a server without the key, which a server may repeat in an error or an answer."""
    return text.replace(key, "[key]") if key else text
