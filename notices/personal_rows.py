"""The rows about people in this room."""

from __future__ import annotations

from django.utils.translation import gettext_noop

from accounts.personal_data.registry import Fate, register_rows

register_rows(
    "mail_choice",
    gettext_noop("The choice of mails about work."),
    *("frequency", "cases", "pairs", "answers", "questions", "failed_jobs"),
    model="notices.MailChoice",
    people=["user"],
    fate=Fate.REMOVED,
)
register_rows(
    "mails_about_work",
    gettext_noop("When mails about work were sent. Their texts are not stored."),
    *("day", "state", "sent_at"),
    model="notices.NoticeMail",
    people=["user"],
    fate=Fate.REMOVED,
)
