"""Rows that break the rules of mails about waiting work, and of deadlines."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from django.utils import timezone

from annotation.models import Deadline
from notices.models import MailChoice, NoticeMail
from tests.database.rules.world import Case, World, again, change

DAY = date(2026, 3, 2)


def mail(world: World, **changes: Any) -> NoticeMail:
    """A mail that waits."""
    row = {"day": DAY, "period": "2026-W10", "state": "waiting", "next_try_at": timezone.now()}
    return NoticeMail.objects.create(user=world.stranger, **row | changes)


def claimed(world: World) -> NoticeMail:
    row = mail(world)
    change(row, state="sending")
    return row


def sent(world: World) -> NoticeMail:
    row = claimed(world)
    change(row, state="sent", sent_at=timezone.now())
    return row


def due(world: World, **changes: Any) -> Deadline:
    return Deadline.objects.create(collection=world.collection, due_on=DAY, **changes)


CASES = [
    Case(
        "mail_choice_frequency_known",
        lambda world: MailChoice.objects.create(user=world.stranger, frequency="hourly"),
    ),
    Case("notice_mail_once_a_day", lambda world: again(mail(world), period="2026-03-02")),
    Case(
        "notice_mail_once_a_period",
        lambda world: again(mail(world), day=DAY + timedelta(days=1)),
    ),
    Case("notice_mail_state_known", lambda world: mail(world, state="lost")),
    Case("notice_mail_has_period", lambda world: mail(world, period="")),
    Case("notice_mail_has_period", lambda world: mail(world, state="nothing")),
    Case("notice_mail_sent_has_time", lambda world: change(claimed(world), state="sent")),
    Case("notice_mail_waiting_has_time", lambda world: mail(world, next_try_at=None)),
    Case("notice_mail_ends_once", lambda world: change(sent(world), state="waiting", sent_at=None)),
    Case("notice_mail_claimed_once", lambda world: change(claimed(world), state="sending")),
    Case(
        "notice_mail_sent_after_its_claim",
        lambda world: change(mail(world), state="sent", sent_at=timezone.now()),
    ),
    Case(
        "notice_mail_keeps_person_and_period",
        lambda world: change(mail(world), period="2026-W11"),
    ),
    Case("deadline_of_collection_once", lambda world: (due(world), due(world))),
    Case(
        "deadline_of_annotator_once",
        lambda world: [due(world, annotator=world.first) for _ in range(2)],
    ),
    Case("deadline_of_a_judge_insert", lambda world: due(world, annotator=world.stranger)),
    Case(
        "deadline_of_a_judge_update",
        lambda world: change(due(world, annotator=world.first), annotator=world.stranger),
    ),
]
