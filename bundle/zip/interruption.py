"""Stop the building of a release in the middle of a long file.

A build reads and writes for a minute. The functions that read and write many records call
`check_interruption` for each part. It does nothing outside of `interruptible`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


def never() -> None:
    """The check of a caller that cannot be interrupted."""


_check: ContextVar[Callable[[], None]] = ContextVar("check", default=never)


@contextmanager
def interruptible(check: Callable[[], None]) -> Iterator[None]:
    """Call `check` again and again in here. It raises to stop the work."""
    token = _check.set(check)
    try:
        yield
    finally:
        _check.reset(token)


def check_interruption() -> None:
    _check.get()()
