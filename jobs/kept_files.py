"""Files from outside that jobs read. Each lies below UPLOAD_DIR for as long as a job may need it.

A job names them in its parameters, and its kind says in the registry which parameters these are. A
job that ended well needs them no more. One that failed or was cancelled can be tried again for a
day. A job that a dead worker left behind is still running by its row, so its files stay.
"""

from __future__ import annotations

import logging
import re
import time
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

logger = logging.getLogger(__name__)

TO_TRY_AGAIN = timedelta(days=1)
# A file that no job names yet may be on its way in.
ON_ITS_WAY = timedelta(hours=1)
_OURS = re.compile(r"[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class FileGone(Exception):
    """A job's file is kept no longer; the message is for the person who asked for the job."""

    is_for_people = True

    def __init__(self, filename: str) -> None:
        super().__init__(
            f"{filename} is not kept any more, so it cannot be read again; nothing was changed. "
            "Upload it once more. (Where workers run on several machines, they need one shared "
            "folder of uploads.)"
        )


def place_of(parameters: Mapping[str, Any], name: str = "path") -> Path:
    """Where the file of this parameter lies.

    Raises:
        FileGone: it does not.
    """
    place = Path(settings.UPLOAD_DIR, parameters[name])
    if not place.is_file():
        raise FileGone(parameters.get("filename") or "The uploaded file")
    return place


def check_there(kind: str, parameters: Mapping[str, Any]) -> None:
    """Raises FileGone when a file that such a job reads is kept no longer."""
    for name in registry.reads(kind):
        if name in parameters:
            place_of(parameters, name)


def can_be_tried_again(job: Job) -> bool:
    """Whether it failed, and what it read is there still."""
    if job.state != State.FAILED:
        return False
    forgotten = timezone.now() - TO_TRY_AGAIN
    return not registry.reads(job.kind) or not job.finished_at or job.finished_at > forgotten


def remove(places: Iterable[str]) -> None:
    """Remove files by their place below UPLOAD_DIR. What cannot be removed now is swept later."""
    for place in places:
        with suppress(OSError):
            Path(settings.UPLOAD_DIR, place).unlink(missing_ok=True)


def places_in(kind: str, parameters: Mapping[str, Any]) -> Iterator[str]:
    return (parameters[name] for name in registry.reads(kind) if name in parameters)


def sweep() -> int:
    """Remove every file that no job needs any more; returns how many."""
    old = [path for path in _files() if _is_old(path)]
    if not old:
        return 0
    needed = {Path(settings.UPLOAD_DIR, place) for place in _needed()}
    left = [path for path in old if path not in needed]
    for path in left:
        path.unlink(missing_ok=True)
    if left:
        logger.info("removed %s uploaded files that no job needs", len(left))
    return len(left)


def _files() -> Iterator[Path]:
    """What has a name of ours; anything else in the folder is not ours to remove."""
    for path in Path(settings.UPLOAD_DIR).glob("*/*"):
        if _OURS.fullmatch(path.name):
            yield path
    # Django removes these itself, unless its process was killed.
    yield from Path(settings.FILE_UPLOAD_TEMP_DIR).glob("*.upload*")


def _is_old(path: Path) -> bool:
    try:
        written = path.stat().st_mtime
    except FileNotFoundError:  # its job ended at this moment
        return False
    return time.time() - written > ON_ITS_WAY.total_seconds()


def _needed() -> Iterator[str]:
    recent = timezone.now() - TO_TRY_AGAIN
    again = Q(state__in=[State.FAILED, State.CANCELLED], finished_at__gte=recent)
    jobs = Job.objects.filter(again | Q(state__in=LIVE), kind__in=registry.reading_kinds())
    for kind, parameters in jobs.order_by().values_list("kind", "parameters"):
        yield from places_in(kind, parameters)
