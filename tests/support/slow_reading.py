"""Work under a heart that beats all the time: rows come slowly, and each report is written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection
from django.db.backends.utils import CursorWrapper

from jobs.lease import Lease
from tests.support.running import wait_until

ROWS = 3  # of each query, that wait for a heartbeat
STATEMENTS = 3  # of the job, that wait for one before their first row
REPORTS = 3  # of the job, that wait for one, because jobs also read files
LONG_ENOUGH = 30


class ImpatientLease(Lease):
    """A lease that counts its heartbeats, and reports all progress, not three times a second."""

    beats = 0
    reports = 0

    def progress(self, done: int, total: int | None, note: str = "") -> None:
        self._last_report = 0.0
        self.reports += 1
        super().progress(done, total, note)
        if self.reports <= REPORTS:
            self.wait_for_beat()  # the one that writes the report
            self.wait_for_beat()  # and one more, so that a job of one step has several

    def beat(self, **fields: Any) -> None:
        super().beat(**fields)
        self.beats += 1

    def wait_for_beat(self) -> None:
        """Wait until another connection has written the heartbeat, if it can.

        In a transaction, this connection may hold the lock for which the heartbeat waits.
        """
        if self.completed:
            return
        before = self.beats
        seconds = 0.05 if connection.in_atomic_block else LONG_ENOUGH
        try:
            wait_until(lambda: self.beats > before, seconds, "a heartbeat", pause=0.002)
        except AssertionError:
            if not connection.in_atomic_block:
                raise


class SlowCursor:
    """Rows one by one. After each of the first ones come a heartbeat and a report of progress.

    Jobs report after hundreds or thousands of rows, more than a small collection has.
    """

    def __init__(self, cursor: CursorWrapper, lease: ImpatientLease) -> None:
        self._cursor, self._lease, self._rows = cursor, lease, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)

    def fetchmany(self, size: int) -> list[Any]:
        rows = self._cursor.fetchmany(1)
        if rows and self._rows < ROWS:
            self._rows += 1
            self._lease.wait_for_beat()
            self._report()
        return rows

    def _report(self) -> None:
        if connection.in_atomic_block:  # a job may read in one, but must not report there
            self._lease.check()
        else:
            self._lease.progress(self._rows, None, "rows read")


@contextmanager
def reading_slowly(lease: ImpatientLease) -> Iterator[None]:
    """Slow this thread's connection down: its streams of rows, and its first statements."""
    statements = 0
    stream = connection.chunked_cursor

    def slow_statement(execute: Any, sql: str, *given: Any) -> Any:
        nonlocal statements
        result = execute(sql, *given)
        is_read = sql.startswith("SELECT") and not connection.in_atomic_block
        if is_read and statements < STATEMENTS:
            statements += 1
            lease.wait_for_beat()
        return result

    connection.chunked_cursor = lambda: SlowCursor(stream(), lease)  # type: ignore[method-assign]
    try:
        with connection.execute_wrapper(slow_statement):
            yield
    finally:
        connection.chunked_cursor = stream  # type: ignore[method-assign]
