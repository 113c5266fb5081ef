"""The thread beside every worker, which must neither die nor be copied into a child half-way."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from jobs import services, tasks
from tests.support.running import ROOT, environment

FORK_IN_THE_MIDDLE_OF_A_TICK = """
import os, threading, time
import django
django.setup()
from jobs import services, tasks
from jobs.workers import duties

duties.Presence.note = lambda self: None  # the test's transaction has the lock of SQLite
in_tick, log = threading.Event(), []

def tick():
    in_tick.set()
    time.sleep(0.5)
    log.append("end of the tick")

services.reconcile = tick
tasks.start_reconciler()
assert in_tick.wait(30)
child = os.fork()
if child == 0:
    os._exit(0 if log == ["end of the tick"] else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.faults
def test_a_child_is_not_forked_in_the_middle_of_a_tick(db):
    done = subprocess.run(
        [sys.executable, "-c", FORK_IN_THE_MIDDLE_OF_A_TICK],
        cwd=ROOT,
        env=environment(DJANGO_SETTINGS_MODULE="config.settings", JOB_TICK_SECONDS="1"),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout == "0\n", done.stderr


@pytest.mark.django_db
def test_it_outlives_whatever_goes_wrong_in_a_tick(settings, monkeypatch, caplog):
    settings.JOB_TICK_SECONDS = 0
    stop, ticks = threading.Event(), []

    def tick():
        ticks.append(True)
        if len(ticks) == 3:
            stop.set()
        raise RuntimeError("no such thing")

    monkeypatch.setattr(services, "reconcile", tick)
    monkeypatch.setattr(tasks, "connection", Closed())
    tasks.keep_reconciling(stop, threading.Lock())
    assert len(ticks) == 3
    assert "reconciler: no such thing" in caplog.text


class Closed:
    def close(self) -> None:
        pass
