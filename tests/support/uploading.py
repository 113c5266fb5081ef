"""What tests of uploads ask: which files are kept, and what became of the job that reads them."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from jobs.models import Job
from jobs.services import run


def kept() -> list[Path]:
    return [path for path in Path(settings.UPLOAD_DIR).rglob("*") if path.is_file()]


def done() -> Job:
    """The newest job, after it ran."""
    job = Job.objects.first()
    assert job is not None
    run(job.pk)
    job.refresh_from_db()
    return job
