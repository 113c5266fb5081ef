"""Mails as files in the data folder, for servers without EMAIL_URL, and what is read of them."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Sequence, Set
from datetime import datetime
from email import message_from_bytes, policy
from email.message import EmailMessage as ReadMessage
from email.utils import getaddresses
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.utils import timezone

NAME = re.compile(r"\d{8}-\d{6}-\d{6}-[0-9a-f]{8}\Z")
SHOWN = 100  # mails on the page, the newest


class FileBackend(BaseEmailBackend):
    """Writes each mail to a file of its own, whole or not at all."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        folder = Path(settings.MAIL_DIR)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for message in email_messages:
            name = f"{timezone.now():%Y%m%d-%H%M%S-%f}-{secrets.token_hex(4)}"
            draft = folder / f".{name}"
            draft.write_bytes(message.message().as_bytes())
            draft.rename(folder / f"{name}.eml")
        return len(email_messages)


def delete_mails_to(emails: Set[str]) -> None:
    """Delete the mails to these addresses, which are in lower case."""
    for path in Path(settings.MAIL_DIR).glob("*.eml"):
        message = message_from_bytes(path.read_bytes(), policy=policy.default)
        if {each.lower() for _, each in getaddresses([str(message["To"])])} & emails:
            path.unlink(missing_ok=True)


def mails_before(moment: datetime) -> list[str]:
    """The names of the mails that were written before it."""
    end = f"{moment:%Y%m%d-%H%M%S}"
    return [path.stem for path in Path(settings.MAIL_DIR).glob("*.eml") if path.stem < end]


def delete_mails(names: Iterable[str]) -> None:
    for name in names:
        Path(settings.MAIL_DIR, f"{name}.eml").unlink(missing_ok=True)


class WrittenMail(NamedTuple):
    name: str
    sent_at: datetime
    to: str
    subject: str
    text: str


def written_mails() -> list[WrittenMail]:
    """The newest mails, the last one first."""
    names = sorted((path.stem for path in Path(settings.MAIL_DIR).glob("*.eml")), reverse=True)
    mails = (written_mail(name) for name in names[:SHOWN])
    return [mail for mail in mails if mail is not None]


def written_mail(name: str) -> WrittenMail | None:
    """The mail with that name, or None if there is none."""
    path = Path(settings.MAIL_DIR) / f"{name}.eml"
    if not NAME.match(name) or not path.is_file():
        return None
    message = message_from_bytes(path.read_bytes(), policy=policy.default)
    body = message.get_body(("plain",)) if isinstance(message, ReadMessage) else None
    sent_at = timezone.make_aware(datetime.strptime(name[:22], "%Y%m%d-%H%M%S-%f"))
    text = str(body.get_content()) if body is not None else ""
    return WrittenMail(name, sent_at, str(message["To"]), str(message["Subject"]), text)
