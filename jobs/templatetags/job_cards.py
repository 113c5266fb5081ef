"""`{{ job|job_card }}`: a job's text, for `jobs/_card.html` and the list of jobs."""

from __future__ import annotations

from django.template import Library
from django.utils import timezone

from jobs import wording
from jobs.models import Job

register = Library()


@register.filter
def job_card(job: Job) -> wording.JobCard:
    return wording.job_card(job, timezone.now())
