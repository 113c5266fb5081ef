"""`{{ job|shown }}`: a job in words, for `jobs/_card.html` and the list of jobs."""

from __future__ import annotations

from django.template import Library
from django.utils import timezone

from jobs import presenting
from jobs.models import Job

register = Library()


@register.filter
def shown(job: Job) -> presenting.Shown:
    return presenting.shown(job, timezone.now())
