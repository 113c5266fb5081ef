"""Judging goes on while the web processes are restarted, as an update does it: docs/updates.md."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.test import Client

from annotation.models import Judgment, Slot
from bench.judging.annotators import Annotator
from bench.judging.browser import Browser
from tests.support.factories import a_collection, an_open_query, annotators
from tests.support.running import ROOT, environment, wait_until

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True), pytest.mark.one_database]

PAIRS = 30
BEFORE, AFTER = 5, 25  # keys of each person before and after which all processes are new
PROCESSES = 2


@contextmanager
def gunicorn(log: Path) -> Iterator[tuple[int, subprocess.Popen]]:
    with socket.socket() as listener, log.open("wb") as file:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        bind = ["--bind", f"fd://{listener.fileno()}", "--workers", str(PROCESSES)]
        process = subprocess.Popen(
            [sys.executable, "-m", "gunicorn", "config.wsgi", *bind, "--threads", "4"],
            cwd=ROOT,
            env=environment(),
            pass_fds=[listener.fileno()],
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            yield listener.getsockname()[1], process
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(timeout=10)


def test_a_restart_while_two_people_judge_loses_and_refuses_no_answer(tmp_path):
    """A judgment that is refused raises or is a problem. The client sends it again once, on a new
    connection, if the server closed the one that it kept.
    """
    collection = a_collection()
    an_open_query(collection, size=PAIRS)
    log = tmp_path / "gunicorn.log"

    def times(line: str) -> int:
        return log.read_text().count(line)

    def is_restarted() -> bool:
        return (
            times("Booting worker") == 2 * PROCESSES and times("Worker exiting (pid:") == PROCESSES
        )

    with gunicorn(log) as (port, process):
        wait_until(lambda: times("Booting worker") == PROCESSES, 60)
        people = [a_person(port, user, collection.slug) for user in annotators(collection)]

        def enough(pressed: int) -> bool:
            if pressed < AFTER:
                time.sleep(0.05)  # so that keys are pressed during all of the restart
            else:
                wait_until(is_restarted, 120)
            return False

        def restart() -> None:
            wait_until(lambda: min(len(person.keys) for person in people) >= BEFORE, 60)
            process.send_signal(signal.SIGHUP)

        with ThreadPoolExecutor() as pool:
            done = [pool.submit(person.judge, enough) for person in people]
            restart()
            for each in done:
                each.result()

    assert [person.problems for person in people] == [[], []]
    pressed = sum(len(person.keys) for person in people)
    assert pressed == Judgment.objects.count() == Slot.objects.judged().count() == 2 * PAIRS


def a_person(port: int, user, slug: str) -> Annotator:
    client, browser = Client(), Browser(port)
    client.force_login(user)
    browser.cookies["sessionid"] = client.cookies["sessionid"].value
    return Annotator(browser, slug)
