"""Checks of the disk, the folders and the last backup."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone

from backups.last_result import last_backup, result_path
from server.checks.results import CheckResult, failed, ok, warning
from web import stored_files

GIGABYTE = 1024**3
LITTLE, TOO_LITTLE = 0.10, 0.03  # shares of a disk or of its files
BACKUP_IS_OLD = timedelta(hours=26)  # a daily one that took longer than usual
BACKUP_IS_TOO_OLD = timedelta(days=7)


def check_disk() -> CheckResult:
    usage = shutil.disk_usage(settings.DATA_DIR)
    files = os.statvfs(settings.DATA_DIR)
    share = usage.free / usage.total
    found = f"{usage.free / GIGABYTE:.1f} GB free of {usage.total / GIGABYTE:.1f} GB in DATA_DIR"
    if files.f_files and files.f_favail / files.f_files < share:
        share = files.f_favail / files.f_files
        found = f"{found}, {files.f_favail:,} files free of {files.f_files:,}"
    advice = "Free some space: old indexes in DATA_DIR/artefacts can be built again."
    if share < TOO_LITTLE or usage.free < GIGABYTE / 4:
        return failed(found, advice)
    if share < LITTLE:
        return warning(found, advice)
    return ok(found)


def check_storage() -> CheckResult:
    """Write, read and remove a small file in each folder and in the storage of uploads."""
    for folder in _folders():
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=folder, prefix="check-") as file:
                file.write(b"kept")
                file.flush()
        except OSError as error:
            return failed(
                f"{folder}: {error.strerror}", "Give the server's user write permission there."
            )
    content = uuid.uuid4().hex.encode()
    name = default_storage.save(f"check-{uuid.uuid4().hex}", ContentFile(content))
    try:
        with default_storage.open(name) as stored:
            if stored.read() != content:
                return failed("It returned other content.", "Check the storage of uploads.")
    finally:
        default_storage.delete(name)
    return ok("Files can be written, read and removed.")


def check_bucket() -> CheckResult:
    """Store, read and remove a small file in the storage that several machines share."""
    if not settings.FILES_BUCKET:
        return ok("None is set: uploads and releases are in DATA_DIR.")
    path = Path(settings.UPLOAD_DIR, f"check-{uuid.uuid4().hex}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"kept")
    try:
        stored_files.share(path)
        with stored_files.local_copy(path) as copy:
            if copy.read_bytes() != b"kept":
                return failed("It returned other content.", "Check the storage.")
        stored_files.remove(path)
    finally:
        path.unlink(missing_ok=True)
    return ok(f"Files can be stored in {settings.FILES_BUCKET}, read and removed.")


def _folders() -> Iterator[Path]:
    yield settings.DATA_DIR
    yield settings.RELEASE_DIR
    yield Path(settings.FILE_UPLOAD_TEMP_DIR)


def check_backup() -> CheckResult:
    advice = "Make a backup: see Backup in the docs."
    try:
        last = last_backup()
    except (ValueError, KeyError, TypeError):
        return failed(f"{result_path()} cannot be read.", advice)
    if last is None:
        return warning("None was made here.", advice) if settings.PRODUCTION else ok("None yet.")
    age = timezone.now() - last.finished_at
    found = f"The last one ended {age.total_seconds() / 3600:.0f} hours ago"
    if not last.succeeded:
        return failed(f"{found} and failed.", "Read its output, then make another one.")
    if age > BACKUP_IS_TOO_OLD:
        return failed(f"{found}.", advice)
    if age > BACKUP_IS_OLD:
        return warning(f"{found}.", advice)
    return ok(f"{found}.")
