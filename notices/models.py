"""Each person's choice of mails, and the mails that were planned and sent."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy


class Frequency(models.TextChoices):
    NEVER = "never", gettext_lazy("Never")
    DAILY = "daily", gettext_lazy("Once a day")
    WEEKLY = "weekly", gettext_lazy("Once a week")


class NoticeKind(models.TextChoices):
    """The kinds of notices. The values are the names of the columns of a choice."""

    CASES = "cases", gettext_lazy("Cases that you can decide")
    PAIRS = "pairs", gettext_lazy("Pairs that you have to judge")
    ANSWERS = "answers", gettext_lazy("Answers of an admin that you have not read")
    QUESTIONS = "questions", gettext_lazy("Questions of judges that wait for an admin")
    FAILED_JOBS = "failed_jobs", gettext_lazy("Jobs that failed in the last two weeks")


class MailChoice(models.Model):
    """The mails that a person wants. Without a row, the defaults hold: `MailChoice()` has them.

    A kind is on by default if the person has to do something. An answer needs nothing, and the
    judging pages show it.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="mail_choice", primary_key=True
    )
    frequency = models.CharField(max_length=8, choices=Frequency, default=Frequency.WEEKLY)
    cases = models.BooleanField(default=True)
    pairs = models.BooleanField(default=True)
    answers = models.BooleanField(default=False)
    questions = models.BooleanField(default=True)
    failed_jobs = models.BooleanField(default=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(frequency__in=Frequency.values), name="mail_choice_frequency_known"
            )
        ]

    def __str__(self) -> str:
        return f"mails {self.frequency}"

    @property
    def kinds(self) -> frozenset[str]:
        return frozenset(kind for kind in NoticeKind.values if getattr(self, kind))


class MailState(models.TextChoices):
    NOTHING = "nothing", "Nothing waited"
    WAITING = "waiting", "Waits to be sent"
    SENDING = "sending", "Being sent"
    SENT = "sent", "Sent"
    DROPPED = "dropped", "No longer needed"


ENDED = (MailState.NOTHING, MailState.SENT, MailState.DROPPED)


class NoticeMail(models.Model):
    """A look at what waits for a person, on one day, and the mail of it if something did.

    It holds no text: the mail says what waits when it is sent. `period` is the day or the ISO week
    that the mail is for, such as 2026-11-27 or 2026-W48.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="notice_mails", db_index=False
    )
    day = models.DateField()
    period = models.CharField(max_length=10, blank=True, default="")
    state = models.CharField(max_length=8, choices=MailState)
    tries = models.PositiveSmallIntegerField(default=0)
    next_try_at = models.DateTimeField(null=True, blank=True)
    claimed_at = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["user", "day"], name="notice_mail_once_a_day"),
            models.UniqueConstraint(
                fields=["user", "period"], condition=~Q(period=""), name="notice_mail_once_a_period"
            ),
            models.CheckConstraint(
                condition=Q(state__in=MailState.values), name="notice_mail_state_known"
            ),
            models.CheckConstraint(
                condition=Q(state=MailState.NOTHING, period="")
                | (~Q(state=MailState.NOTHING) & ~Q(period="")),
                name="notice_mail_has_period",
            ),
            models.CheckConstraint(
                condition=Q(state=MailState.SENT, sent_at__isnull=False)
                | (~Q(state=MailState.SENT) & Q(sent_at=None)),
                name="notice_mail_sent_has_time",
            ),
            models.CheckConstraint(
                condition=~Q(state=MailState.WAITING) | Q(next_try_at__isnull=False),
                name="notice_mail_waiting_has_time",
            ),
        ]
        indexes = [
            models.Index(
                fields=["next_try_at"], condition=Q(state="waiting"), name="notice_mail_waiting"
            ),
            models.Index(fields=["day"], name="notice_mail_by_day"),
        ]

    def __str__(self) -> str:
        return f"mail of {self.day}, {self.state}"
