"""The due check of mails, which every worker makes, and the task that plans and sends them.

Mail may take seconds, so it is not sent within the check, which must not hold up the jobs. No
message is needed for longer than until the next check: the rows say what is due.
"""

from __future__ import annotations

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from jobs import registry
from jobs.last_look import LOOK_AGAIN_SECONDS, LastLook
from notices.mails import is_work_due, plan_and_send

_last_look = LastLook()


@shared_task(name="notices.send")
def send_notices() -> None:
    plan_and_send(timezone.now())


@registry.due_check
def queue_notices() -> None:
    """Once a minute in each worker: an indexed look at the day's rows."""
    if not settings.SENDS_MAIL or _last_look.still_holds(None):
        return
    _last_look.note(None)
    if is_work_due(timezone.now()):
        send_notices.apply_async(expires=LOOK_AGAIN_SECONDS, retry=False)
