"""The text and the headers of a mail about waiting work, in the language of the person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext

from accounts.models import User
from notices.choices import stop_token
from notices.waiting import Notice
from web.languages.choice import language_of_person


def message_for(
    person: User, address: str, notices: Sequence[Notice], *, key: object
) -> EmailMessage:
    """The mail of these notices. `key` tells it from all other mails."""
    stop_link = _link("stop-notices", stop_token(person))
    with translation.override(language_of_person(person)):
        subject = " ".join((f"[{settings.SERVER_NAME}]", gettext("Waiting for you")))
        text = "\n".join(_lines(person, notices, stop_link))
    return EmailMessage(
        " ".join(subject.split()),
        text,
        to=[address],
        headers={
            # A mailbox shows a mail only once if a failing server took it twice.
            "Message-ID": f"<notices.{key}@{urlsplit(settings.LINK_BASE).hostname}>",
            "Auto-Submitted": "auto-generated",
            "List-Unsubscribe": f"<{stop_link}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",  # RFC 8058
        },
    )


def _lines(person: User, notices: Sequence[Notice], stop_link: str) -> Iterator[str]:
    yield gettext("Hello %(name)s,") % {"name": person.shown_name}
    yield ""
    yield gettext("this waits for you on %(server)s:") % {"server": settings.SERVER_NAME}
    for collection in dict.fromkeys(notice.collection for notice in notices):
        yield from ("", collection.name)
        for notice in notices:
            if notice.collection == collection:
                yield from (f"- {notice.text}:", f"  {settings.LINK_BASE}{notice.path}")
    yield from ("", gettext("Choose which mails you get:"), _link("notice-choice"))
    yield from ("", gettext("Stop these mails, without logging in:"), stop_link, "")


def _link(name: str, *values: str) -> str:
    return f"{settings.LINK_BASE}{reverse(name, args=values)}"
