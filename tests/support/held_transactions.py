"""Two services at once, the first of which has not committed when the second begins."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from django.db import connection, transaction

from tests.support.running import wait_until
from web.errors import UserFacingError


def outcome(call: Callable[[], None]) -> Exception | None:
    """None, or the domain error that the call ended with. Any other error is a fault."""
    try:
        call()
    except Exception as error:
        if not isinstance(error, UserFacingError):
            raise
        return error
    return None


class Thread:
    """A thread with a connection of its own, whose process in the database is known."""

    def __init__(self, pool: ThreadPoolExecutor, work: Callable[[], Any]) -> None:
        self.pid: int | None = None
        self.future: Future[Any] = pool.submit(self._run, work)

    def _run(self, work: Callable[[], Any]) -> Any:
        try:
            connection.ensure_connection()
            if connection.vendor == "postgresql":
                self.pid = connection.connection.info.backend_pid
            return work()
        finally:
            connection.close()

    def is_waiting(self) -> bool:
        """Whether it waits for a lock that another transaction holds."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT cardinality(pg_blocking_pids(%s)) > 0", [self.pid or 0])
            return bool(cursor.fetchone()[0])


def held_open(first: Callable[[], None], second: Callable[[], None]) -> list[Exception | None]:
    """Begin `second` when `first` has done its work but not committed; both outcomes."""
    worked, commit = threading.Event(), threading.Event()

    def first_then_wait() -> Exception | None:
        try:
            with transaction.atomic():
                ended = outcome(first)
                worked.set()
                commit.wait(30)
            return ended
        finally:
            worked.set()

    with ThreadPoolExecutor(2) as pool:
        first_thread = Thread(pool, first_then_wait)
        assert worked.wait(30)
        second_thread = Thread(pool, lambda: outcome(second))
        try:
            wait_until(
                lambda: second_thread.future.done() or second_thread.is_waiting(), 20, pause=0.005
            )
        finally:
            commit.set()
        return [first_thread.future.result(30), second_thread.future.result(30)]
