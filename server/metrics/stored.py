"""Figures that the database has: jobs, judgments, workers, connections and waits for locks.

Every count is of kept counts or of an index, except that of ended jobs. Each process asks at most
every FRESH_SECONDS, however many scrapes there are.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import connection
from django.db.models import Count, Min, Sum
from django.utils import timezone

from annotation.models import Judgment, SlotCount
from jobs import registry
from jobs.models import Job, State, WorkerProcess

FRESH_SECONDS = 10
# pg_stat_activity hides the sessions of other database users. `wait_event_type` is 'Lock' for a
# session that waits for a lock of another, not for the short locks inside the server.
SESSIONS = """
    SELECT COALESCE(state, 'unknown'), COUNT(*),
           COUNT(*) FILTER (WHERE wait_event_type = 'Lock'),
           COALESCE(MAX(EXTRACT(EPOCH FROM clock_timestamp() - (
               SELECT MIN(l.waitstart) FROM pg_locks l WHERE l.pid = a.pid AND NOT l.granted
           ))), 0)
    FROM pg_stat_activity a
    WHERE datname = current_database() AND usename = current_user
    GROUP BY 1
"""


class DatabaseSessions(NamedTuple):
    """Sessions of the database's user; empty on SQLite, which has none."""

    connections: Mapping[str, int]  # by state
    lock_waits: int
    longest_lock_wait_seconds: float


@dataclass(frozen=True)
class Figures:
    """The state of jobs, judgments, workers and the database at one moment."""

    jobs: dict[tuple[str, str], int]  # by kind and state
    oldest_waiting_seconds: float  # 0 if no job waits
    judged_slots: int
    slots: int
    judgments_last_minute: int
    workers: dict[str, float]  # seconds since each was seen, by name
    sessions: DatabaseSessions

    @property
    def waiting_jobs(self) -> int:
        return self._in_state(State.QUEUED)

    @property
    def running_jobs(self) -> int:
        return self._in_state(State.RUNNING)

    def _in_state(self, state: State) -> int:
        return sum(count for (_, each), count in self.jobs.items() if each == state)


def read_figures() -> Figures:
    now = timezone.now()
    counts = SlotCount.objects.aggregate(judged=Sum("judged"), total=Sum("total"))
    return Figures(
        jobs=_jobs(),
        oldest_waiting_seconds=_oldest_waiting(now),
        judged_slots=counts["judged"] or 0,
        slots=counts["total"] or 0,
        judgments_last_minute=Judgment.objects.filter(
            created_at__gt=now - timedelta(minutes=1)
        ).count(),
        workers={
            worker.name: max(0.0, (now - worker.seen_at).total_seconds())
            for worker in WorkerProcess.objects.filter(seen_at__gt=now - timedelta(hours=1))
        },
        sessions=_sessions(),
    )


def _jobs() -> dict[tuple[str, str], int]:
    """The counts of each kind that this version knows; others are "other", whatever they are."""
    counts: dict[tuple[str, str], int] = {}
    known = registry.kinds()
    rows = Job.objects.order_by().values_list("kind", "state").annotate(count=Count("pk"))
    for kind, state, count in rows:
        key = (kind if kind in known else "other", state)
        counts[key] = counts.get(key, 0) + count
    return dict(sorted(counts.items()))


def _oldest_waiting(now: datetime) -> float:
    """The seconds that the oldest job waits for a worker. One that is put off does not wait."""
    waiting = Job.objects.filter(state=State.QUEUED).exclude(waits_until__gt=now)
    oldest = waiting.aggregate(oldest=Min("created_at"))["oldest"]
    return max(0.0, (now - oldest).total_seconds()) if oldest else 0.0


def _sessions() -> DatabaseSessions:
    if connection.vendor != "postgresql":
        return DatabaseSessions({}, 0, 0.0)
    with connection.cursor() as cursor:
        cursor.execute(SESSIONS)
        rows = cursor.fetchall()
    return DatabaseSessions(
        connections={state: count for state, count, _, _ in rows},
        lock_waits=sum(waits for _, _, waits, _ in rows),
        longest_lock_wait_seconds=max((float(longest) for *_, longest in rows), default=0.0),
    )


class RecentFigures:
    """The figures, asked again when they are FRESH_SECONDS old."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._figures: Figures | None = None
        self._until = 0.0

    def get(self) -> Figures:
        with self._lock:  # so that scrapes at the same moment ask once
            if self._figures is None or time.monotonic() >= self._until:
                self._figures = read_figures()
                self._until = time.monotonic() + FRESH_SECONDS
            return self._figures


recent_figures = RecentFigures()
