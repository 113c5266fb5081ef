"""Plan a mail for each person, at most one a period, and send what waits.

A look at a person is a row of the day; if something waits, the row is also that of the period. Both
are unique in the database, so workers that look at once make one mail. To send it, a worker claims
the row and commits that, sends, and notes the outcome. A worker that is killed in between leaves a
claimed row. It is not sent again: it may have arrived, and the next one says all it said.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta

from allauth.account.models import EmailAddress
from django.core.mail import EmailMessage
from django.db import IntegrityError, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from accounts.mail.sending import MailNotSent, send_mail
from accounts.models import Collection, Membership, User
from notices.choices import choice_of
from notices.message import message_for
from notices.models import Frequency, MailState, NoticeMail
from notices.waiting import Notice, active_roles, notices_for

FIRST_HOUR = 6  # UTC; a day's mails go out from then on
PEOPLE_AT_ONCE = 200
FIRST_PAUSE, LONGEST_PAUSE = timedelta(minutes=15), timedelta(hours=6)  # after a failed try
CLAIM_LASTS = timedelta(minutes=10)  # a mail that was claimed before is not being sent any more
KEPT_DAYS = 60


def is_work_due(now: datetime) -> bool:
    """Return whether a person is to be looked at, or a mail is to be sent."""
    return people_to_look_at(now).exists() or _to_send(now).exists()


def plan_and_send(now: datetime) -> None:
    """Look at each person once a day, send the mails that wait, and delete old rows."""
    for person in people_to_look_at(now)[:PEOPLE_AT_ONCE]:
        plan_mail(person, now)
    send_waiting(now)
    NoticeMail.objects.filter(day__lt=now.date() - timedelta(days=KEPT_DAYS)).delete()


def people_to_look_at(now: datetime) -> QuerySet[User]:
    """The people who can get a mail and were not looked at today, after FIRST_HOUR."""
    if now.hour < FIRST_HOUR:
        return User.objects.none()
    seen = NoticeMail.objects.filter(user=OuterRef("pk"), day=now.date())
    return people_who_get_mails().filter(~Exists(seen)).order_by("pk")


def people_who_get_mails() -> QuerySet[User]:
    """They can log in, have confirmed their email, have a role in use, and did not stop mails."""
    active = Collection.objects.active().finished()
    roles = Membership.objects.filter(user=OuterRef("pk"), collection__in=active)
    addresses = EmailAddress.objects.filter(user=OuterRef("pk"), primary=True, verified=True)
    people = User.objects.filter(Exists(roles), Exists(addresses), is_active=True)
    return people.exclude(mail_choice__frequency=Frequency.NEVER)


def plan_mail(person: User, now: datetime) -> NoticeMail | None:
    """The row of the look at the person today; None if another worker has looked."""
    choice = choice_of(person)
    period = period_of(choice.frequency, now.date())
    has_mail = NoticeMail.objects.filter(user=person, period=period).exists()
    waits = not has_mail and bool(wanted_notices(person))
    row = NoticeMail(user=person, day=now.date(), state=MailState.NOTHING)
    if waits:
        row.period, row.state, row.next_try_at = period, MailState.WAITING, now
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError:
        return None
    return row


def period_of(frequency: str, day: date) -> str:
    """The day or the ISO week, as a row names it."""
    if frequency == Frequency.WEEKLY:
        year, week, _ = day.isocalendar()
        return f"{year}-W{week:02}"
    return day.isoformat()


def wanted_notices(person: User) -> list[Notice]:
    """The notices of the kinds that the person wants by mail."""
    kinds = choice_of(person).kinds
    return [each for each in notices_for(person, active_roles(person)) if each.kind in kinds]


def _to_send(now: datetime) -> QuerySet[NoticeMail]:
    return NoticeMail.objects.filter(state=MailState.WAITING, next_try_at__lte=now)


def send_waiting(now: datetime) -> int:
    """Send the mails whose time has come. Returns how many were sent.

    The first that fails ends the round, because each try of a server that does not answer takes
    EMAIL_TIMEOUT. The next round begins with the others.
    """
    sent = 0
    for mail in _to_send(now).select_related("user").order_by("next_try_at", "pk"):
        claimed = NoticeMail.objects.filter(pk=mail.pk, state=MailState.WAITING).update(
            state=MailState.SENDING, claimed_at=now, tries=F("tries") + 1
        )
        if not claimed:
            continue
        outcome = _send(mail, now)
        sent += outcome == MailState.SENT
        if outcome == MailState.WAITING:
            break
    return sent


def _send(mail: NoticeMail, now: datetime) -> MailState:
    """Send a claimed mail, and note the outcome."""
    claimed = NoticeMail.objects.filter(pk=mail.pk, state=MailState.SENDING)
    message = message_of(mail, now)
    if message is None:
        claimed.update(state=MailState.DROPPED)
        return MailState.DROPPED
    try:
        send_mail(message)
    except MailNotSent:
        pause = min(FIRST_PAUSE * 2**mail.tries, LONGEST_PAUSE)
        claimed.update(state=MailState.WAITING, next_try_at=now + pause)
        return MailState.WAITING
    claimed.update(state=MailState.SENT, sent_at=timezone.now())
    return MailState.SENT


def message_of(mail: NoticeMail, now: datetime) -> EmailMessage | None:
    """The mail as of now; None if it is no longer needed.

    That is so if its period is over, if nothing waits any more, and if the person stopped mails,
    lost the role or the email, or was blocked meanwhile.
    """
    person = people_who_get_mails().filter(pk=mail.user_id).first()
    if person is None or period_of(choice_of(person).frequency, now.date()) != mail.period:
        return None
    address = EmailAddress.objects.get(user=person, primary=True).email
    notices = wanted_notices(person)
    if not notices:
        return None
    return message_for(person, address, notices, key=mail.pk)


def unsent(now: datetime) -> QuerySet[NoticeMail]:
    """The mails that failed and will be tried again, and those whose sending was interrupted."""
    failed = Q(state=MailState.WAITING, tries__gt=0)
    interrupted = Q(state=MailState.SENDING, claimed_at__lt=now - CLAIM_LASTS)
    return NoticeMail.objects.filter(failed | interrupted)
