"""A full disk and a read-only folder, told apart from other trouble and put into words. Pure."""

from __future__ import annotations

import errno
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

FULL = (errno.ENOSPC, errno.EDQUOT)
REFUSED = (errno.EROFS, errno.EACCES, errno.EPERM)
# What passes a full disk on without its number: tantivy, and numpy when a file ends too early.
SAID = re.compile(r"No space left on device|\d+ requested and \d+ written")


class DiskFull(OSError):
    """What was to be written does not fit; the message names the folder, and is for people."""

    is_for_people = True

    def __init__(self, where: Path | str = "") -> None:
        self.where = str(where)
        place = f": {where}, free some" if where else "; free some"
        super().__init__(errno.ENOSPC, f"No space left on device{place} and start it again.")

    def __str__(self) -> str:
        return str(self.strerror)


class NotWritable(OSError):
    """A folder or file cannot be written; the message names it, and is for people."""

    is_for_people = True

    def __init__(self, error: OSError) -> None:
        place = f": {error.filename}" if error.filename else ""
        self.reason = f"{error.strerror}{place}"
        super().__init__(error.errno, self.reason)

    def __str__(self) -> str:
        return (
            f"{self.reason}. Let the server's user write there and start it again; nothing was "
            "changed."
        )


def is_refused(error: BaseException) -> bool:
    """Whether this error means that a file may not be written: read-only, or not permitted."""
    return isinstance(error, OSError) and error.errno in REFUSED


@contextmanager
def room_in(folder: Path | str) -> Iterator[None]:
    """Raise DiskFull, which names the folder, when something inside says that a disk is full."""
    try:
        yield
    except DiskFull:
        raise
    except (OSError, ValueError) as error:
        if not is_full(error):
            raise
        raise DiskFull(folder) from error


def is_full(error: BaseException) -> bool:
    """Whether this error, or the one it was raised from, means that a disk or quota is full."""
    return any(_says_full(one) for one in (error, error.__cause__) if one is not None)


def _says_full(error: BaseException) -> bool:
    match error:
        case OSError(errno=int() as number):
            return number in FULL
        case sqlite3.Error():
            return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
        case psycopg.Error():
            return isinstance(error, psycopg.errors.DiskFull)
        case OSError() | ValueError():
            return SAID.search(str(error)) is not None
    return False
