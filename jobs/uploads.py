"""Files from the browser or the API: kept whole, then handed to a job."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from accounts.models import Collection, User
from jobs import kept_files
from jobs.models import Job
from jobs.services import enqueue
from jobs.space import is_full, is_refused


class KeyTaken(Exception):
    """Another job with the same key is not done yet, so this one was not queued."""

    def __init__(self, job: Job) -> None:
        self.job = job
        super().__init__(job.key)


class NoRoom(Exception):
    """An upload cannot be kept; the message is for the person who sent it."""

    is_for_people = True

    def __init__(self, filename: str, error: OSError) -> None:
        full = "The server's disk is full", "make room"
        refused = f"The server cannot write its folder of uploads ({error.strerror})", "allow it"
        problem, cure = full if is_full(error) else refused
        super().__init__(
            f"{problem}, so nothing of {filename} was taken in. Ask the server's administrator to "
            f"{cure}, then send it again."
        )


def enqueue_upload(
    *,
    kind: str,
    collection: Collection,
    files: Mapping[str, UploadedFile[Any]],
    parameters: Mapping[str, Any],
    requested_by: User | None,
    key: str = "",
) -> Job:
    """Keep the files and queue the job that reads them; either both, or nothing is left.

    `files` go by the parameter that tells the job where one lies. `filename`, what the first of
    them is called, is a parameter as well.

    Raises:
        KeyTaken: a job with this key runs or waits.
        NoRoom: the disk is full or read-only.
    """
    first = next(iter(files.values()))
    places = {name: f"{collection.slug}/{uuid.uuid4()}" for name in files}
    asked = {"filename": first.name or "the file", **parameters, **places}
    taken = False
    try:
        for name, upload in files.items():
            _keep(upload, Path(settings.UPLOAD_DIR, places[name]))
        job = enqueue(
            kind=kind, collection=collection, parameters=asked, requested_by=requested_by, key=key
        )
        taken = job.parameters == asked
    finally:
        if not taken:
            kept_files.remove(places.values())
    if not taken:
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
