"""Run checks side by side, each in a thread of its own, with one time limit.

A part that hangs, such as a dead network folder, may hold its thread for long. A check that still
runs is not started again: the next call waits for the same thread, so threads do not pile up.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TooLong

from django.db import connection

from server.checks.results import CheckResult, NamedCheck, failed
from web.logs.descriptions import describe

Check = Callable[[], CheckResult]


class SideBySide:
    """Runs checks by their names."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[str, Future[CheckResult]] = {}

    def run(self, checks: Mapping[str, Check], seconds: float) -> list[NamedCheck]:
        """The results in the order of the checks, at the latest after so many seconds."""
        deadline = time.monotonic() + seconds
        futures = {name: self._start(name, check) for name, check in checks.items()}
        return [
            NamedCheck(name, _result_of(future, deadline - time.monotonic(), seconds))
            for name, future in futures.items()
        ]

    def _start(self, name: str, check: Check) -> Future[CheckResult]:
        with self._lock:
            running = self._running.get(name)
            if running is not None and not running.done():
                return running
            future: Future[CheckResult] = Future()
            self._running[name] = future
        thread = threading.Thread(target=_run, args=[check, future], name=name, daemon=True)
        thread.start()
        return future


def _run(check: Check, future: Future[CheckResult]) -> None:
    try:
        future.set_result(check())
    except Exception as error:  # noqa: BLE001 (every error of a part is a result)
        future.set_exception(error)
    finally:
        connection.close()


def _result_of(future: Future[CheckResult], patience: float, seconds: float) -> CheckResult:
    try:
        return future.result(timeout=max(0.0, patience))
    except TooLong:
        return failed(
            f"It did not answer within {seconds:g} s.", "See whether its machine is overloaded."
        )
    except Exception as error:  # noqa: BLE001
        # Without the message, which may have a password of an address.
        return failed(describe(error), "Fix the cause, then run the checks again.")
