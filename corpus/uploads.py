"""Document files from the browser: kept whole, then handed to a job."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from accounts.models import Collection, User
from corpus.services import CorpusError
from corpus.sources import AUTO
from corpus.tasks import JOB_KIND
from jobs.models import Job
from jobs.services import enqueue


class ImportUnderWay(CorpusError):
    """One import at a time: two could bring different texts for one docno."""

    def __init__(self, job: Job) -> None:
        self.job = job
        super().__init__(
            f"{job.parameters.get('filename', 'Another file')} is being imported just now, so "
            "nothing of yours was taken in. Wait until that is done, then choose your file again."
        )


def request_import(
    *,
    collection: Collection,
    upload: UploadedFile[Any],
    requested_by: User,
    format_name: str = AUTO,
    filter_name: str = "",
    skip_bad: int = 0,
) -> Job:
    """Keep the upload and have a worker import it, read as `import_documents` is told to.

    Raises:
        ImportUnderWay: another import of this collection is not done yet.
    """
    path = Path(collection.slug) / str(uuid.uuid4())
    kept = Path(settings.UPLOAD_DIR) / path
    kept.parent.mkdir(parents=True, exist_ok=True)
    with kept.open("wb") as file:
        for chunk in upload.chunks():
            file.write(chunk)
    job = enqueue(
        kind=JOB_KIND,
        collection=collection,
        parameters={
            "path": str(path),
            "filename": upload.name or "the file",
            "format": format_name,
            "filter": filter_name,
            "skip_bad": skip_bad,
        },
        requested_by=requested_by,
    )
    if job.parameters.get("path") != str(path):
        kept.unlink()
        raise ImportUnderWay(job)
    return job
