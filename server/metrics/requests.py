"""Counts in each web process: requests and their durations, and waits for the lock of SQLite.

With `config/gunicorn.py`, the processes keep their counts in files of one folder, and each of them
can answer for all.
"""

from __future__ import annotations

from prometheus_client import Counter, Histogram, disable_created_metrics

from database.fair_sqlite import base as fair_sqlite

disable_created_metrics()  # type: ignore[no-untyped-call]  # a second series for each of ours
# A judgment takes some milliseconds, and a page is slow from 0.2 s on.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2.5, 10, 60)
REQUESTS = Counter("qrelsmith_requests", "Requests answered.", ["route", "method", "status"])
DURATIONS = Histogram(
    "qrelsmith_request_seconds",
    "Seconds from the first middleware to the answer; of a stream, to its beginning.",
    ["route", "method"],
    buckets=BUCKETS,
)
SQLITE_WAITS = Counter("qrelsmith_sqlite_lock_waits", "Transactions that waited for SQLite's lock.")
SQLITE_WAITED = Counter(
    "qrelsmith_sqlite_lock_wait_seconds", "Seconds that transactions waited for SQLite's lock."
)


def count(method: str, route: str, status: int, seconds: float) -> None:
    REQUESTS.labels(route, method, str(status)).inc()
    DURATIONS.labels(route, method).observe(seconds)


def count_waits_of_sqlite() -> None:
    fair_sqlite.observe_wait = _count_wait


def _count_wait(seconds: float) -> None:
    SQLITE_WAITS.inc()
    SQLITE_WAITED.inc(seconds)
