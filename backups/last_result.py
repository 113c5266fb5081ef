"""The result of the last backup, in a file of the data folder, for those who watch the server."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.utils import timezone

from release.files import write_file


class LastBackup(NamedTuple):
    """The end of the last try to make a backup."""

    finished_at: datetime
    succeeded: bool


def own_folder() -> Path:
    return Path(settings.DATA_DIR, "backups")


def result_path() -> Path:
    return own_folder() / "last.json"


def note_result(*, file: Path | None, error: str = "") -> None:
    """`file` is empty if none was made. A backup that lacks files has both."""
    result = {
        "finished_at": timezone.now().isoformat(),
        "ok": not error,
        "file": str(file) if file else None,
        "error": error or None,
    }
    write_file(result_path(), f"{json.dumps(result)}\n".encode())


def last_backup() -> LastBackup | None:
    """The last result, or None if there is none.

    Raises:
        ValueError, KeyError, TypeError: the file was not written by `note_result`.
    """
    try:
        last = json.loads(result_path().read_text())
    except FileNotFoundError:
        return None
    finished_at = datetime.fromisoformat(last["finished_at"])
    if timezone.is_naive(finished_at):
        finished_at = timezone.make_aware(finished_at)
    return LastBackup(finished_at, last["ok"] is True)


def stamp_of(moment: datetime) -> str:
    return moment.strftime("%Y%m%dT%H%M%SZ")
