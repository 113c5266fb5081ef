"""Django's backend for SQLite, where no writer waits much longer than the others.

A transaction begins with the write lock. SQLite's own wait for it looks again after 1, 2, 5, … 100 ms, so who
has waited long looks less often than who comes new: with eight annotators some waited 2.6 s. Here everybody
looks again after about a millisecond.
"""

from __future__ import annotations

import random
import sqlite3
import time

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError


class DatabaseWrapper(base.DatabaseWrapper):
    def _start_transaction_under_autocommit(self) -> None:
        timeout = float(self.settings_dict["OPTIONS"]["timeout"])
        deadline = time.monotonic() + timeout
        with self.cursor() as cursor:
            cursor.execute("PRAGMA busy_timeout = 0")
            try:
                while True:
                    try:
                        super()._start_transaction_under_autocommit()  # type: ignore[misc]
                        return
                    except OperationalError as error:
                        if time.monotonic() >= deadline or not is_locked(error):
                            raise
                    time.sleep(random.uniform(0.0005, 0.0015))
            finally:
                cursor.execute(f"PRAGMA busy_timeout = {round(timeout * 1000)}")


def is_locked(error: OperationalError) -> bool:
    cause = error.__cause__
    return isinstance(cause, sqlite3.OperationalError) and cause.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
