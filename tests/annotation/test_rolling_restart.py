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
from playwright.sync_api import Page, expect

from accounts.models import User
from annotation.models import Judgment, Slot
from bench.judging.annotators import Annotator
from bench.judging.browser import Browser
from tests.support.factories import a_collection, an_open_query, annotators
from tests.support.judging_page import eventually, read_and_press
from tests.support.running import ROOT, environment, wait_until
from tests.support.sittings import grades_in, query_url

pytestmark = [
    *(pytest.mark.faults, pytest.mark.browser, pytest.mark.one_database),
    pytest.mark.django_db(transaction=True),
]

PAIRS = 30
BEFORE, AFTER = 3, 25  # keys of each person before the restart, and over HTTP until its end
IN_BROWSER = 8  # keys, each of which takes a third of a second, during the restart
PROCESSES = 1
WAITING_OR_REFUSED = r"Object.keys(localStorage).filter(name => /:(waiting|refused):/.test(name))"


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


def test_a_restart_while_two_people_judge_loses_and_refuses_no_answer(tmp_path, page):
    """One person judges in Chromium, the other over HTTP without a pause. Each answer of the server
    to either must be that it saved a judgment, and the outbox of the browser is empty at the end.
    """
    collection = a_collection()
    opening = an_open_query(collection, size=PAIRS)
    log = tmp_path / "gunicorn.log"
    in_browser, over_http = annotators(collection)

    def times(line: str) -> int:
        return log.read_text().count(line)

    def is_restarted() -> bool:
        return (
            times("Booting worker") == 2 * PROCESSES and times("Worker exiting (pid:") == PROCESSES
        )

    def enough(pressed: int) -> bool:
        if pressed < AFTER:
            time.sleep(0.05)  # so that keys are pressed during all of the restart
        else:
            wait_until(is_restarted, 120)
        return False

    with gunicorn(log) as (port, process), ThreadPoolExecutor() as pool:
        wait_until(lambda: times("Booting worker") == PROCESSES, 60)
        address = f"http://127.0.0.1:{port}"
        faults = faults_seen_by(page)
        page.context.add_cookies(
            [{"name": "sessionid", "value": session_of(in_browser), "url": address}]
        )
        page.goto(f"{address}{query_url(opening)}", timeout=60_000)
        read_and_press(page, *"2" * BEFORE)
        person = a_person(port, over_http, collection.slug)
        done = pool.submit(person.judge, enough)
        wait_until(lambda: len(person.keys) >= BEFORE, 60)
        process.send_signal(signal.SIGHUP)
        read_and_press(page, *"2" * IN_BROWSER)
        eventually(page, is_restarted, 120)
        read_and_press(page, "2")
        eventually(page, lambda: not page.evaluate(WAITING_OR_REFUSED), 60)
        expect(page.locator("#saved")).to_have_text("Saved")
        done.result()
        person.browser.close()

    assert (person.problems, faults) == ([], [])
    pressed = BEFORE + IN_BROWSER + 1
    assert len(grades_in(opening, in_browser.username)) == pressed
    assert len(person.keys) == PAIRS
    assert Judgment.objects.count() == Slot.objects.judged().count() == pressed + PAIRS


def faults_seen_by(page: Page) -> list[str]:
    """Fills while the page sends: answers that are no success, and requests without an answer."""
    faults: list[str] = []
    page.on("requestfailed", lambda request: faults.append(f"{request.url}: {request.failure}"))
    page.on(
        "response",
        lambda answer: faults.append(f"{answer.url}: {answer.status}") if not answer.ok else None,
    )
    return faults


def session_of(user: User) -> str:
    client = Client()
    client.force_login(user)
    return client.cookies["sessionid"].value


def a_person(port: int, user: User, slug: str) -> Annotator:
    browser = Browser(port)
    browser.cookies["sessionid"] = session_of(user)
    return Annotator(browser, slug)
