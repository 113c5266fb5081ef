"""The jobs that a page shows."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import QuerySet

from accounts.models import Collection
from jobs.models import Job
from jobs.uploaded_files import can_be_tried_again


def jobs_to_show(collection: Collection, kinds: Iterable[str]) -> list[Job]:
    """Live jobs, and the newest job of each key if it failed and can be retried."""
    return to_show(collection.jobs.all(), kinds)


def to_show(all_jobs: QuerySet[Job], kinds: Iterable[str]) -> list[Job]:
    newest: dict[str, Job] = {}
    jobs: list[Job] = []
    for job in all_jobs.filter(kind__in=list(kinds)).order_by("-created_at")[:50]:
        first_of_its_key = newest.setdefault(job.key, job) is job
        if job.is_live or (first_of_its_key and can_be_tried_again(job)):
            jobs.append(job)
    return jobs
