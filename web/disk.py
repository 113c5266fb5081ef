"""A full disk and a read-only folder: detection, error messages, closing a file. Pure."""

from __future__ import annotations

import errno
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from web.errors import UserFacingError

FULL = (errno.ENOSPC, errno.EDQUOT)
POSTGRESQL_DISK_FULL = "53100"  # the SQLSTATE. Workers on SQLite do not import psycopg.
REFUSED = (errno.EROFS, errno.EACCES, errno.EPERM)
# tantivy, and numpy when a file ends too early, report a full disk without its errno.
FULL_DISK_MESSAGE = re.compile(r"No space left on device|\d+ requested and \d+ written")


class DiskFull(UserFacingError, OSError):
    """The disk is full. The message names the folder and is for people."""

    def __init__(self, path: Path | str = "") -> None:
        self.path = str(path)
        place = f": {path}" if path else ""
        super().__init__(
            errno.ENOSPC, f"No space left on device{place}. Free some space, then try again."
        )

    def __str__(self) -> str:
        return str(self.strerror)


class NotWritable(UserFacingError, OSError):
    """A folder or file cannot be written. The message names it and is for people."""

    def __init__(self, error: OSError) -> None:
        place = f": {error.filename}" if error.filename else ""
        self.reason = f"{error.strerror}{place}"
        super().__init__(error.errno, self.reason)

    def __str__(self) -> str:
        return (
            f"{self.reason}. Nothing was changed. Give the server's user write permission, then "
            "try again."
        )


def is_refused(error: BaseException) -> bool:
    """Return whether the error means that a file is read-only or that writing is not permitted."""
    return isinstance(error, OSError) and error.errno in REFUSED


def discard(file: BinaryIO) -> None:
    """Close a temporary file. On a full disk its last bytes are lost, which are not needed."""
    with suppress(OSError):
        file.close()


@contextmanager
def room_in(folder: Path | str) -> Iterator[None]:
    """Raise DiskFull, which names the folder, if the block fails because a disk is full."""
    try:
        yield
    except DiskFull:
        raise
    except (OSError, ValueError) as error:
        if not is_full(error):
            raise
        raise DiskFull(folder) from error


def is_full(error: BaseException) -> bool:
    """Return whether the error, or its cause, means that a disk or quota is full."""
    return any(_says_full(cause) for cause in (error, error.__cause__) if cause is not None)


def _says_full(error: BaseException) -> bool:
    if getattr(error, "sqlstate", None) == POSTGRESQL_DISK_FULL:
        return True
    match error:
        case OSError(errno=int() as number):
            return number in FULL
        case sqlite3.Error():
            return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
        case OSError() | ValueError():
            return FULL_DISK_MESSAGE.search(str(error)) is not None
    return False


class NoRoom(UserFacingError):
    """An upload cannot be stored. The message is for the person who sent it."""

    status = 507

    def __init__(self, filename: str, error: OSError) -> None:
        full = "The server's disk is full", "free some space"
        not_allowed = (
            f"The server cannot write to its upload folder ({error.strerror})",
            "fix the permissions",
        )
        problem, cure = full if is_full(error) else not_allowed
        super().__init__(
            f"{problem}, so {filename} was not saved. Ask the server's administrator to {cure}, "
            "then send it again."
        )
