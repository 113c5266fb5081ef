"""A real SMTP server for tests."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from aiosmtpd.controller import Controller


class Picky:
    """Refuses recipients whose address begins with "refused", and all mail while `is_down`."""

    def __init__(self) -> None:
        self.received: list[tuple[str, str]] = []
        self.is_down = False

    async def handle_RCPT(self, server, session, envelope, address, options):  # noqa: N802
        if address.startswith("refused"):
            return "550 no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):  # noqa: N802
        if self.is_down:
            return "451 try again later"
        self.received.append((envelope.rcpt_tos[0], envelope.content.decode()))
        return "250 OK"


@contextmanager
def smtp_server(settings: Any) -> Iterator[Picky]:
    """The settings lead to it."""
    handler = Picky()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = Controller(handler, hostname="127.0.0.1", port=port)
    server.start()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
    try:
        yield handler
    finally:
        server.stop()
