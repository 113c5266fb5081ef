"""Exceptions described without what people wrote. Pure.

The message of an exception may repeat a row, a line of a file or a name: PostgreSQL's "Failing row
contains (…)" has whole abstracts. So a description has the type, codes and names of constraints,
and the message only of types whose messages come from the program.
"""

from __future__ import annotations

import errno
import sqlite3
import traceback
from collections.abc import Iterator

# Exactly these: a subclass of another package may add a value to its message.
FROM_THE_PROGRAM = (AttributeError, ImportError, ModuleNotFoundError, NameError, TypeError)
LONGEST_CHAIN = 5


def describe(error: BaseException) -> str:
    """The type and, in parentheses, what is known about the cause without any content."""
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ == "builtins" else _full_name(kind)
    details = "; ".join(_details(error))
    return f"{name} ({details})" if details else name


def _full_name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _details(error: BaseException) -> Iterator[str]:
    if type(error) in FROM_THE_PROGRAM:
        yield str(error)
    for cause in (error, error.__cause__):
        if isinstance(cause, OSError) and cause.errno:
            yield errno.errorcode.get(cause.errno, str(cause.errno))
        if sqlstate := getattr(cause, "sqlstate", None):
            yield f"SQLSTATE {sqlstate}"
            if constraint := getattr(getattr(cause, "diag", None), "constraint_name", None):
                yield f"constraint {constraint}"
        if isinstance(cause, sqlite3.Error) and (code := getattr(cause, "sqlite_errorname", "")):
            yield code
        if isinstance(cause, sqlite3.IntegrityError):
            yield str(cause)  # it names a column, a constraint or a rule of ours


def chain(error: BaseException) -> Iterator[BaseException]:
    """The error, and each one that it comes from, the latest first."""
    cause: BaseException | None = error
    for _ in range(LONGEST_CHAIN):
        if cause is None:
            return
        yield cause
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)


def places(error: BaseException) -> list[str]:
    """The lines of code that the error came through, as `file:line function`, the outermost first.

    Lines of the code itself are left out, because they are in the repository.
    """
    return [
        f"{frame.f_code.co_filename}:{line} {frame.f_code.co_name}"
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
