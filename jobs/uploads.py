"""Store files from the browser or the API, and queue the job that reads them."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from accounts.models import Collection, User
from jobs import uploaded_files
from jobs.models import Job
from jobs.services import enqueue
from web.disk import NoRoom, is_full, is_refused


class KeyTaken(Exception):
    """Another job with the same key is not done yet, so this one was not queued."""

    def __init__(self, job: Job) -> None:
        self.job = job
        super().__init__(job.key)


def enqueue_upload(
    *,
    kind: str,
    collection: Collection,
    files: Mapping[str, UploadedFile[Any]],
    parameters: Mapping[str, Any],
    requested_by: User | None,
    key: str = "",
) -> Job:
    """Store the files and queue the job that reads them: both or neither.

    The keys of `files` are the job's parameters that hold their paths. The name of the first file
    becomes the parameter `filename`.

    Raises:
        KeyTaken: another job with this key is queued or running.
        NoRoom: the disk is full or read-only.
    """
    first = next(iter(files.values()))
    places = {name: f"{collection.slug}/{uuid.uuid4()}" for name in files}
    job_parameters = {"filename": first.name or "the file", **parameters, **places}
    is_queued = False
    try:
        for name, upload in files.items():
            _keep(upload, Path(settings.UPLOAD_DIR, places[name]))
        job = enqueue(
            kind=kind,
            collection=collection,
            parameters=job_parameters,
            requested_by=requested_by,
            key=key,
        )
        is_queued = job.parameters == job_parameters
    finally:
        if not is_queued:
            uploaded_files.remove(places.values())
    if not is_queued:
        raise KeyTaken(job)
    return job


def _keep(upload: UploadedFile[Any], place: Path) -> None:
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("wb") as stream:
            for chunk in upload.chunks():
                stream.write(chunk)
    except OSError as error:
        if is_full(error) or is_refused(error):
            raise NoRoom(upload.name or "the file", error) from error
        raise
