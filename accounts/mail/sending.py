"""Sending mail. It may take seconds and fail, so it happens outside of transactions and locks."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from smtplib import SMTPException, SMTPRecipientsRefused, SMTPSenderRefused
from typing import ClassVar

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db import connections
from django.utils.translation import gettext

from web.errors import UserFacingError

log = logging.getLogger(__name__)
FAILURES = (OSError, SMTPException)

# Two threads: a flood of requests waits in line, and does not open as many connections. When a
# process ends, Python waits for what is in line.
_threads = ThreadPoolExecutor(2, thread_name_prefix="mail")


class MailNotSent(UserFacingError):
    """The SMTP server failed. The message does not contain its answer, which is in the log."""

    status: ClassVar[int] = 503

    def __init__(self, recipient: str) -> None:
        super().__init__(
            gettext(
                "The mail to %(email)s could not be sent, because the mail server failed. Nothing "
                "else is lost. Try again later."
            )
            % {"email": recipient}
        )


class NoMail(UserFacingError):
    status: ClassVar[int] = 409

    def __init__(self) -> None:
        super().__init__(
            "This server sends no mail. Create an account instead, or ask the system administrator "
            "to set EMAIL_URL."
        )


def check_sends_mail() -> None:
    """Raise NoMail on a production server without EMAIL_URL."""
    if not settings.SENDS_MAIL:
        raise NoMail


def send_mail(message: EmailMessage) -> None:
    """Send a mail to one recipient now.

    Raises:
        MailNotSent: the server failed, or refused the recipient.
    """
    (error,) = send_mails([message])
    if error:
        raise error


def send_mails(messages: Sequence[EmailMessage]) -> list[MailNotSent | None]:
    """Send mails to one recipient each, over one connection; why each was not sent, if it was not.

    A refused recipient stops no other mail. A server that cannot be reached is not asked again:
    each try may last EMAIL_TIMEOUT.
    """
    connection = get_connection()
    outcomes: list[MailNotSent | None] = []
    is_reachable = True
    for message in messages:
        outcome = None if is_reachable else MailNotSent(message.to[0])
        if is_reachable:
            try:
                connection.open()
                connection.send_messages([message])
            except FAILURES as error:
                # Not the traceback: its frames hold the text, which may contain a link.
                log.error("A mail was not sent: %s: %s", type(error).__name__, error)
                outcome = MailNotSent(message.to[0])
                is_reachable = isinstance(error, SMTPRecipientsRefused | SMTPSenderRefused)
        outcomes.append(outcome)
    with suppress(*FAILURES):
        connection.close()
    return outcomes


def soon(send: Callable[[], None]) -> None:
    """Call `send` in another thread, so that its time tells nothing to the person who asked."""
    _threads.submit(_logged, send)


def _logged(send: Callable[[], None]) -> None:
    try:
        with suppress(MailNotSent):  # logged where it was raised
            send()
    except Exception:
        log.exception("A mail was not made")  # the thread has no one to tell
        raise
    finally:
        connections.close_all()
