"""Uploaded files that jobs read. Each is kept below UPLOAD_DIR while a job may need it.

A job's parameters name its files, and the registry lists these parameters for each kind. A job
that succeeded no longer needs its files. After a dry run, the import may follow for a day, and a
failed or cancelled job can be retried for a day. A job whose worker died still counts as running,
so its files are kept.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from jobs import registry
from jobs.models import LIVE, Job, State
from web import stored_files
from web.errors import UserFacingError
from web.stored_files import (
    FoundFile,
    StorageFailed,
    fetch,
    is_stored,
    on_this_machine,
    stored_below,
)

logger = logging.getLogger(__name__)

DRY_RUN = "dry_run"  # a parameter: check the files, and keep them for the import
TO_TRY_AGAIN = timedelta(days=1)
# A file that no job names yet may still be uploading.
ON_ITS_WAY = timedelta(hours=1)
_OURS = re.compile(r"[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class FileGone(UserFacingError):
    """A job's file is missing. The message is for the person who requested the job."""

    def __init__(self, filename: str) -> None:
        super().__init__(
            f"{filename} is no longer on the server. Nothing was changed. Upload it again. If "
            "workers run on several machines, they need one DATA_DIR or FILES_BUCKET."
        )


def place_of(parameters: Mapping[str, Any], name: str = "path") -> Path:
    """The path of the file that this parameter names.

    Raises:
        FileGone: the file is missing.
    """
    return _existing(parameters[name], parameters.get("filename") or "The uploaded file")


def files_of(parameters: Mapping[str, Any], name: str = "path") -> dict[str, Path]:
    """The files that this parameter names: the path of each by its own name, in their order.

    Raises:
        FileGone: a file is missing.
    """
    places = _places(parameters[name])
    names = parameters.get("filenames") or [parameters.get("filename") or "the file"]
    return {
        filename: _existing(place, filename) for filename, place in zip(names, places, strict=True)
    }


def _existing(place: str, filename: str) -> Path:
    path = Path(settings.UPLOAD_DIR, place)
    if not fetch(path):
        raise FileGone(filename)
    return path


def _places(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def check_files_exist(kind: str, parameters: Mapping[str, Any]) -> None:
    """Raise FileGone if a file that such a job reads is missing."""
    for name in registry.kind(kind).reads:
        if isinstance(parameters.get(name), list):
            files_of(parameters, name)
        elif name in parameters:
            place_of(parameters, name)


def can_be_tried_again(job: Job) -> bool:
    """Return whether the job failed and its files are still kept."""
    if job.state != State.FAILED:
        return False
    oldest = timezone.now() - TO_TRY_AGAIN
    return not registry.kind(job.kind).reads or not job.finished_at or job.finished_at > oldest


def can_follow(job: Job) -> bool:
    """Return whether the job has checked files that can be imported now."""
    if job.state != State.SUCCEEDED or job.parameters.get(DRY_RUN) is not True:
        return False
    return all(
        is_stored(Path(settings.UPLOAD_DIR, place)) for place in places_in(job.kind, job.parameters)
    )


def remove(places: Iterable[str]) -> None:
    """Remove files by their path below UPLOAD_DIR. If that fails, `sweep` removes them later."""
    for place in places:
        with suppress(OSError, StorageFailed):
            stored_files.remove(Path(settings.UPLOAD_DIR, place))


def places_in(kind: str, parameters: Mapping[str, Any]) -> Iterator[str]:
    for name in registry.kind(kind).reads:
        if name in parameters:
            yield from _places(parameters[name])


def sweep() -> int:
    """Remove every file that no job needs. Returns how many."""
    oldest = timezone.now() - ON_ITS_WAY
    old = [file.path for file in _files() if file.stored_at < oldest]
    if not old:
        return 0
    needed_paths = {Path(settings.UPLOAD_DIR, place) for place in _needed_places()}
    unneeded_paths = [path for path in old if path not in needed_paths]
    for path in unneeded_paths:
        stored_files.remove(path)
    if unneeded_paths:
        logger.info("removed %s uploaded files that no job needs", len(unneeded_paths))
    return len(unneeded_paths)


def _files() -> Iterator[FoundFile]:
    """Files that Qrelsmith named. Other files in the folder must not be removed."""
    for file in stored_below(Path(settings.UPLOAD_DIR)):
        if _OURS.fullmatch(file.path.name):
            yield file
    # Django removes these itself, unless its process was killed.
    for file in on_this_machine(Path(settings.FILE_UPLOAD_TEMP_DIR)):
        if ".upload" in file.path.name:
            yield file


def _needed_places() -> Iterator[str]:
    recent = timezone.now() - TO_TRY_AGAIN
    is_retryable = Q(state__in=[State.FAILED, State.CANCELLED], finished_at__gte=recent)
    is_checked = Q(
        state=State.SUCCEEDED, finished_at__gte=recent, **{f"parameters__{DRY_RUN}": True}
    )
    jobs = Job.objects.filter(
        is_retryable | is_checked | Q(state__in=LIVE), kind__in=registry.reading_kinds()
    )
    for kind, parameters in jobs.order_by().values_list("kind", "parameters"):
        yield from places_in(kind, parameters)
