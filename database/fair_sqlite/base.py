"""Django's backend for SQLite, where no writer waits much longer than the others.

A transaction begins with the write lock. SQLite's own wait for it looks again after 1, 2, 5, … 100
ms, so who has waited long looks less often than who comes new: with eight annotators some waited
2.6 s. Here everybody looks again after about a millisecond. See docs/adr/0020-fair-writers.md.
"""

from __future__ import annotations

import random
import sqlite3
import time
from collections.abc import Callable

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError

from database.fair_sqlite.schema import DatabaseSchemaEditor

LOOK_AGAIN_SECONDS = 0.001
DEFAULT_TIMEOUT_SECONDS = 5.0  # of Python's sqlite3
# Called with the seconds of each wait for the write lock; the metrics count them.
observe_wait: Callable[[float], None] | None = None


class DatabaseWrapper(base.DatabaseWrapper):
    SchemaEditorClass = DatabaseSchemaEditor

    def _start_transaction_under_autocommit(self) -> None:
        """Begin once the write lock is free.

        Raises OperationalError ("database is locked") after the `timeout` of the settings' OPTIONS.
        """
        timeout = float(self.settings_dict["OPTIONS"].get("timeout", DEFAULT_TIMEOUT_SECONDS))
        began = time.monotonic()
        deadline = began + timeout
        waited = False
        with self.cursor() as cursor:
            cursor.execute("PRAGMA busy_timeout = 0")
            try:
                while not self._begin(last_try=time.monotonic() >= deadline):
                    waited = True
                    time.sleep(LOOK_AGAIN_SECONDS * random.uniform(0.5, 1.5))
            finally:
                cursor.execute(f"PRAGMA busy_timeout = {round(timeout * 1000)}")
                if waited and observe_wait is not None:
                    observe_wait(time.monotonic() - began)

    def _begin(self, *, last_try: bool) -> bool:
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except OperationalError as error:
            if last_try or not is_locked(error):
                raise
            return False
        return True


def is_locked(error: OperationalError) -> bool:
    """Return whether a statement failed because another connection writes."""
    cause = error.__cause__
    return isinstance(cause, sqlite3.OperationalError) and (
        cause.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
    )
