"""`{{ job|job_card }}`: a job's text, for `jobs/_card.html` and the list of jobs."""

from __future__ import annotations

from django.template import Library
from django.utils import timezone

from jobs import wording
from jobs.models import Job
from jobs.uploaded_files import can_follow

register = Library()


register.filter("can_be_imported", can_follow)
register.filter("job_parameters", wording.parameters)


@register.filter
def job_card(job: Job) -> wording.JobCard:
    return wording.job_card(job, timezone.now())
