"""A real worker that does one job: `celery worker` as in docs/deployment.md.

It has the filesystem broker on SQLite, and Redis on PostgreSQL. Its due-checks do not run
meanwhile, because they would queue other jobs.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bench.processes import (
    DidNotStart,
    Measured,
    Values,
    computing_of,
    descendants_of,
    measured_process,
    peak_of,
    started,
    wait_until,
)
from bench.transactions import FOLDER, read_longest

if TYPE_CHECKING:
    from jobs.models import Job

# The command of docs/deployment.md.
CELERY = (
    *("-m", "celery", "-A", "config", "worker", "--concurrency", "2"),
    *("--without-gossip", "--without-mingle", "--without-heartbeat"),
)
REDIS = "redis://127.0.0.1:6379/0"
LOOK_SECONDS = 0.1
LONGEST_JOB = 4 * 3600  # seconds
NO_DUE_CHECKS = {"JOB_TICK_SECONDS": str(LONGEST_JOB)}


@dataclass
class Worker:
    """A worker that is ready, and the most memory that its processes had together so far."""

    pid: int
    environment: dict[str, str]
    peak: int = 0
    _ends: threading.Event = field(default_factory=threading.Event)

    def family(self) -> list[int]:
        return [self.pid, *descendants_of(self.pid)]

    def watch(self) -> None:
        # Imports run in short-lived children, so looking once at the end would miss them.
        while not self._ends.wait(LOOK_SECONDS):
            self.peak = max(self.peak, max(map(peak_of, self.family())))

    def end(self) -> None:
        self._ends.set()


@contextmanager
def working(environment: dict[str, str], log: Path) -> Iterator[Worker]:
    """A worker on this database, until the block ends."""
    with tempfile.TemporaryDirectory() as folder, _broker(environment) as broker:
        environment = {**environment, **broker, FOLDER: folder}
        command = [sys.executable, *CELERY, "--loglevel", "INFO", "--include", "bench.transactions"]
        start = log.stat().st_size if log.exists() else 0
        with started(command, {**environment, **NO_DUE_CHECKS}, log) as process:
            wait_until(lambda: b" ready." in log.read_bytes()[start:], process, log)
            worker = Worker(process.pid, environment)
            watcher = threading.Thread(target=worker.watch)
            watcher.start()
            try:
                yield worker
            finally:
                worker.end()
                watcher.join()


@contextmanager
def _broker(environment: dict[str, str]) -> Iterator[dict[str, str]]:
    """The broker's part of the environment. A queue of its own in Redis is removed at the end."""
    if environment["DATABASE_URL"].startswith("sqlite"):
        yield {}
        return
    import redis

    url, queue = os.environ.get("BENCH_REDIS", REDIS), f"qrelsmith-bench-{os.getpid()}"
    try:
        yield {"CELERY_BROKER_URL": url, "CELERY_QUEUE": queue}
    finally:
        with redis.Redis.from_url(url) as client:
            client.delete(*client.scan_iter(f"*{queue}*"), queue)


def measured_job(
    module: str, given: Sequence[str], environment: dict[str, str], log: Path
) -> Measured:
    """Let a worker do a job that a step of the module requests; as `measured_process`.

    The peak is of the largest process of the worker. `cpu` is of all of them, `longest` the longest
    transaction.
    """
    try:
        with working(environment, log) as worker:
            before = computing_of(worker.family())
            values, _, problem = measured_process(module, given, worker.environment)
            computing = computing_of(worker.family()) - before
            longest = read_longest(Path(worker.environment[FOLDER]))
    except DidNotStart as error:  # perhaps without Redis
        return Measured({}, 0, str(error).splitlines()[-1])
    if not problem:
        values = {**values, "cpu": computing, "longest": longest}
    return Measured(values, worker.peak, problem)


def end_of(job: Job) -> Values:
    """Wait for the end of a queued job; its own seconds and attempts.

    Ends the process if the job failed, or needed more than one attempt.
    """
    from jobs.models import Job, State

    ends = time.monotonic() + LONGEST_JOB
    while (ended := Job.objects.get(pk=job.pk)).is_live and time.monotonic() < ends:
        time.sleep(LOOK_SECONDS)
    if (ended.state, ended.attempts) != (State.SUCCEEDED, 1):
        problem = ended.error or ended.progress_note
        raise SystemExit(f"{ended.kind}: {ended.state}, attempt {ended.attempts}: {problem}")
    assert ended.elapsed is not None
    return {"seconds": ended.elapsed.total_seconds(), "attempts": ended.attempts}
