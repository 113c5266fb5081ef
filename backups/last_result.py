"""The result of the last backup, in a file of the data folder, for those who watch the server."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from release.files import write_file


def own_folder() -> Path:
    return Path(settings.DATA_DIR, "backups")


def note_result(*, file: Path | None, error: str = "") -> None:
    """`file` is empty if none was made. A backup that lacks files has both."""
    result = {
        "finished_at": timezone.now().isoformat(),
        "ok": not error,
        "file": str(file) if file else None,
        "error": error or None,
    }
    write_file(own_folder() / "last.json", f"{json.dumps(result)}\n".encode())


def stamp_of(moment: datetime) -> str:
    return moment.strftime("%Y%m%dT%H%M%SZ")
