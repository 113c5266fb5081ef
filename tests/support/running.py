"""Real processes and threads for tests: started together, killed and waited for."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Barrier
from typing import Any

import kombu.pools
from celery import Celery
from django.conf import settings
from django.db import connection

from tests.support import worker_processes

ROOT = Path(__file__).resolve().parents[2]

# Short, so that a death is noticed within seconds; a few beats long, so that a busy machine's
# pause is not taken for one.
SHORT_TIMES = {"JOB_HEARTBEAT_SECONDS": "1", "JOB_STALE_SECONDS": "4", "JOB_TICK_SECONDS": "1"}


def wait_until(
    predicate: Callable[[], object], seconds: float, what: str = "", *, pause: float = 0.05
) -> None:
    """Return as soon as the predicate holds; fail when it does not within the time."""
    deadline = time.monotonic() + seconds
    while not predicate():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what or predicate}")
        time.sleep(pause)


def at_once(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run all calls in threads that start together; their results, or what they raised."""
    barrier = Barrier(len(calls))

    def run(call: Callable[[], Any]) -> Any:
        try:
            barrier.wait()
            return call()
        except Exception as error:  # noqa: BLE001
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def database_url() -> str:
    """The test's database, for a process of its own."""
    settings = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{settings['NAME']}"
    account = settings["USER"] + (f":{settings['PASSWORD']}" if settings["PASSWORD"] else "")
    return f"postgres://{account}@{settings['HOST']}:{settings['PORT'] or 5432}/{settings['NAME']}"


def environment(**more: str) -> dict[str, str]:
    """For a child process on the test's database, in the test's data folder."""
    kept = ("PATH", "HOME", "QRELSMITH_CI_RUN")  # the last tells CI what it has to end
    inherited = {name: os.environ[name] for name in kept if name in os.environ}
    return {
        **inherited,
        "PYTHONUNBUFFERED": "1",
        "SECRET_KEY": settings.SECRET_KEY,
        "DATABASE_URL": database_url(),
        "DATA_DIR": str(settings.DATA_DIR),
        "LOG_LEVEL": "INFO",
        **more,
    }


@contextmanager
def sending_through(
    app: Celery, *, url: str, transport: str | None = None, options: dict[str, Any] | None = None
) -> Iterator[None]:
    """Point this process's messages at another broker for a while."""
    names = ("broker_url", "broker_transport", "broker_transport_options")
    before = {name: app.conf[name] for name in names}
    app.conf.update(zip(names, (url, transport, options or {}), strict=True))
    _forget_connections(app)
    yield
    app.conf.update(before)
    _forget_connections(app)


def _forget_connections(app: Celery) -> None:
    kombu.pools.reset()
    app._pool = None
    app.amqp._producer_pool = None


class Worker:
    """A `celery worker` in a process group of its own."""

    def __init__(
        self, *, log: Path, env: dict[str, str], include: str = "", options: Sequence[str] = ()
    ) -> None:
        self.log = log
        log.touch()
        quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
        options = ["-l", "INFO", *quiet, "-c", "1", *options]
        if include:
            options += ["--include", include]
        self.process = worker_processes.start(options, env=env, log=log)

    def log_text(self) -> str:
        return self.log.read_text(errors="replace")

    def wait_until_ready(self) -> Worker:
        wait_until(
            lambda: " ready." in self.log_text() or self.is_dead(), 60, "the worker is ready"
        )
        assert not self.is_dead(), f"the worker died at its start:\n{self.log_text()}"
        return self

    def is_dead(self) -> bool:
        return self.process.exitcode is not None

    def wait(self, seconds: float) -> int | None:
        """Its exit code, or None if it runs on."""
        self.process.join(seconds)
        return self.process.exitcode

    def children(self) -> list[int]:
        """The processes of the pool, which do the jobs; none where threads do them."""
        pid = self.process.pid
        return [
            int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        ]

    def group(self) -> list[int]:
        """All processes that belong to it, also those that outlived their parent."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(ProcessLookupError):
                if os.getpgid(int(folder.name)) == self.process.pid:
                    found.append(int(folder.name))
        return found

    def signal_all(self, number: int) -> None:
        os.killpg(self.process.pid, number)

    def kill(self) -> None:
        """As a power cut would: no goodbye from the worker or any child of it."""
        try:
            self.signal_all(signal.SIGKILL)
        except ProcessLookupError:
            return
        self.wait(10)
