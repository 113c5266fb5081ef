"""Store files from the browser or the API, and queue the job that reads them."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction

from accounts.models import Collection, User
from database.natural_order import natural_key
from jobs import uploaded_files
from jobs.models import Job
from jobs.services import enqueue
from web.disk import NoRoom, is_full, is_refused
from web.stored_files import share
from web.words import listed

SHOWN_NAMES = 3
Uploads: TypeAlias = "UploadedFile[Any] | Sequence[UploadedFile[Any]]"


class KeyTaken(Exception):
    """Another job with the same key is not done yet, so this one was not queued."""

    def __init__(self, job: Job) -> None:
        self.job = job
        super().__init__(job.key)


class Upload(NamedTuple):
    """The files of one job by the parameters that hold their paths, its other parameters, and its
    key as of `enqueue`."""

    files: Mapping[str, Uploads]
    parameters: Mapping[str, Any]
    key: str = ""


def enqueue_upload(
    *,
    kind: str,
    collection: Collection,
    files: Mapping[str, Uploads],
    parameters: Mapping[str, Any],
    requested_by: User | None,
    key: str = "",
) -> Job:
    """Store the files and queue the job that reads them: both or neither.

    The keys of `files` are the job's parameters that hold their paths. The name of the first file
    becomes the parameter `filename`. For several files, the parameter holds a list of paths in the
    natural order of their names, and `filenames` the names; see `uploaded_files.files_of`.

    Raises:
        KeyTaken: another job with this key is queued or running.
        NoRoom: the disk is full or read-only.
        StorageFailed: the shared storage did not take a file.
    """
    upload = Upload(files, parameters, key)
    (job,) = enqueue_uploads(
        kind=kind, collection=collection, uploads=[upload], requested_by=requested_by
    )
    return job


def enqueue_uploads(
    *, kind: str, collection: Collection, uploads: Sequence[Upload], requested_by: User | None
) -> list[Job]:
    """Store the files of several jobs and queue all of them, or none. As `enqueue_upload`."""
    kept: dict[str, UploadedFile[Any]] = {}  # by place
    parameters = [_job_parameters(collection, upload, kept) for upload in uploads]
    jobs: list[Job] = []
    is_queued = False
    try:
        # Before the transaction, which on SQLite makes every other writer wait.
        for place, file in kept.items():
            _keep(file, Path(settings.UPLOAD_DIR, place))
        with transaction.atomic():
            for upload, values in zip(uploads, parameters, strict=True):
                job = enqueue(
                    kind=kind,
                    collection=collection,
                    parameters=values,
                    requested_by=requested_by,
                    key=upload.key,
                )
                if job.parameters != values:
                    raise KeyTaken(job)
                jobs.append(job)
        is_queued = True
    finally:
        if not is_queued:
            uploaded_files.remove(kept)
    return jobs


def _job_parameters(
    collection: Collection, upload: Upload, kept: dict[str, UploadedFile[Any]]
) -> Mapping[str, object]:
    """The parameters of the job. Adds each file to `kept` by its place."""
    parameters = {**_names(next(iter(upload.files.values()))), **upload.parameters}
    for name, files in upload.files.items():
        places = [f"{collection.slug}/{uuid.uuid4()}" for _ in _several(files)]
        kept |= zip(places, _several(files), strict=True)
        parameters[name] = places[0] if isinstance(files, UploadedFile) else places
    return parameters


def _several(
    uploads: Uploads,
) -> Sequence[UploadedFile[Any]]:
    if isinstance(uploads, UploadedFile):
        return [uploads]
    return sorted(uploads, key=lambda upload: natural_key(upload.name or ""))


def _names(uploads: Uploads) -> Mapping[str, object]:
    """The parameters that name the files."""
    names = [upload.name or "the file" for upload in _several(uploads)]
    if isinstance(uploads, UploadedFile):
        return {"filename": names[0]}
    return {"filename": listed(names, SHOWN_NAMES), "filenames": _different(names)}


def _different(names: Iterable[str]) -> list[str]:
    """The names, with a number after one that is there already: a file is known by its name."""
    different: dict[str, None] = {}
    for name in names:
        number, unique = 1, name
        while unique in different:
            number += 1
            unique = f"{name} ({number})"
        different[unique] = None
    return list(different)


def _keep(upload: UploadedFile[Any], place: Path) -> None:
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("wb") as stream:
            for chunk in upload.chunks():
                stream.write(chunk)
        share(place)
    except OSError as error:
        if is_full(error) or is_refused(error):
            raise NoRoom(upload.name or "the file", error) from error
        raise
