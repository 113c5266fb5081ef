"""`manage.py start_demo` as in a terminal: real processes, in a separate folder."""

from __future__ import annotations

import http.client
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from uuid import UUID

import pytest

from tests.support.running import ROOT, wait_until

# Its database is always SQLite.
pytestmark = [pytest.mark.faults, pytest.mark.one_database]

PATIENCE = 90  # seconds; loading the demo collection takes a few on an idle machine


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory, migrated) -> Path:
    """One folder for all of these tests, as when a user starts the demo again and again.

    Its database has no rows yet. The migrations alone would take half of the first start.
    """
    folder = tmp_path_factory.mktemp("demo")
    if migrated:
        shutil.copyfile(migrated, folder / "qrelsmith.sqlite3")
    return folder


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Demo:
    def __init__(self, data_dir: Path, port: int, **more: str) -> None:
        unset = {"DATABASE_URL", "CELERY_BROKER_URL", "REDIS_URL", "CELERY_QUEUE", "SECRET_KEY"}
        inherited = {name: value for name, value in os.environ.items() if name not in unset}
        self.output = data_dir / f"output-{port}"
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "start_demo"],
                cwd=ROOT,
                env={**inherited, "DATA_DIR": str(data_dir), "PORT": str(port), **more},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def output_text(self) -> str:
        return self.output.read_text()

    def wait_for(self, words: str) -> None:
        wait_until(
            lambda: words in self.output_text() or self.process.poll() is not None, PATIENCE, words
        )
        assert words in self.output_text(), self.output_text()

    def parts(self) -> list[int]:
        pid = self.process.pid
        return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.fixture
def start_demo(data_dir, port):
    started = []

    def start(**more: str) -> Demo:
        demo = Demo(data_dir, port, **more)
        started.append(demo)
        return demo

    yield start
    for demo in started:
        demo.process.terminate()
        demo.process.wait(timeout=30)


def still_running(data_dir: Path) -> list[str]:
    """Processes that were given this data folder and have not ended."""
    mark = f"DATA_DIR={data_dir}\0".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (folder / "environ").read_bytes():
                found.append((folder / "cmdline").read_text().replace("\0", " "))
        except OSError:  # ended meanwhile, or of another user
            continue
    return found


def status(port: int, path: str) -> int:
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    link.request("GET", path)
    return link.getresponse().status


@pytest.mark.by_day(4, day=0)
def test_ctrl_c_leaves_nothing_behind_and_a_second_start_shows_the_same_accounts(
    start_demo, data_dir, port
):
    def accounts(end: Callable[[int], None]) -> list[str]:
        demo = start_demo()
        demo.wait_for("Press Ctrl-C to stop.")
        assert f"http://127.0.0.1:{port}/" in demo.output_text()
        assert status(port, "/accounts/login/") == 200
        end(demo.process.pid)
        assert demo.process.wait(timeout=30) == 0
        assert still_running(data_dir) == []
        return demo.output_text().partition("Log in as")[2].partition("Try first")[0].split()

    def press_ctrl_c(process: int) -> None:
        os.killpg(process, signal.SIGINT)

    def terminate(process: int) -> None:  # the launcher alone, which ends its parts
        os.kill(process, signal.SIGTERM)

    assert accounts(press_ctrl_c) == accounts(terminate)
    assert (data_dir / "demo-accounts.json").stat().st_mode & 0o077 == 0


@pytest.mark.by_day(4, day=1)
def test_a_worker_that_is_frozen_and_parts_that_die_are_started_again_until_one_keeps_dying(
    start_demo, data_dir, port
):
    demo = start_demo(JOB_STALE_SECONDS="3", JOB_TICK_SECONDS="1")
    demo.wait_for("Press Ctrl-C to stop.")
    (worker,) = [part for part in demo.parts() if b"celery" in command_of(part)]
    os.kill(worker, signal.SIGSTOP)
    job = in_shell(data_dir, ASK_FOR_A_REPORT)
    demo.wait_for("The worker did not respond for 9 s and is restarted")
    wait_until(lambda: state_of(data_dir, job) == "succeeded", PATIENCE, "the job is done")
    assert not Path(f"/proc/{worker}").exists()

    for part in demo.parts():
        os.kill(part, signal.SIGKILL)
    demo.wait_for("The web server stopped and is restarted")
    demo.wait_for("The worker stopped and is restarted")
    wait_until(lambda: answers(port), PATIENCE, "the web server answers again")

    def kill_the_worker() -> bool:
        for part in demo.parts():
            if b"celery" in command_of(part):
                os.kill(part, signal.SIGKILL)
        return demo.process.poll() is not None

    wait_until(lambda: suppressing(kill_the_worker), PATIENCE, "the demo gives up")
    assert demo.process.returncode == 1
    assert demo.output_text().splitlines()[-1].startswith("The worker keeps stopping. See ")
    assert still_running(data_dir) == []


def suppressing(call) -> bool:
    try:
        return call()
    except OSError:  # it ended between looking and doing
        return False


def state_of(data_dir: Path, job: str) -> str:
    """As the file of the demo has it; each look with a shell would take seconds of work."""
    with closing(sqlite3.connect(data_dir / "qrelsmith.sqlite3")) as database:
        row = database.execute("SELECT state FROM jobs_job WHERE id = ?", [UUID(job).hex])
        return row.fetchone()[0]


ASK_FOR_A_REPORT = (
    "from accounts.models import Collection; from agreement.services import AgreementReport; "
    "from reports.services import request_report; "
    "print(request_report(AgreementReport('zero'), collection=Collection.objects.first()).pk)"
)


def in_shell(data_dir: Path, code: str) -> str:
    """What the code prints, run on the demo's data."""
    unset = {"DATABASE_URL", "CELERY_BROKER_URL", "REDIS_URL", "CELERY_QUEUE", "SECRET_KEY"}
    inherited = {name: value for name, value in os.environ.items() if name not in unset}
    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "-v0", "-c", code],
        cwd=ROOT,
        env={**inherited, "DATA_DIR": str(data_dir)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def command_of(process: int) -> bytes:
    return Path(f"/proc/{process}/cmdline").read_bytes()


def answers(port: int) -> bool:
    try:
        return status(port, "/healthz") == 200
    except OSError:
        return False


@pytest.mark.by_day(4)
def test_a_taken_port_is_one_line(start_demo, port):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", port))
        listener.listen()
        demo = start_demo()
        assert demo.process.wait(timeout=30) == 1
    assert demo.output_text() == f"Port {port} is in use. Run `make demo PORT={port + 1}`\n"


@pytest.mark.by_day(4)
def test_a_port_that_is_none_is_one_line(start_demo):
    demo = start_demo(PORT="eight")
    assert demo.process.wait(timeout=30) == 1
    assert demo.output_text() == "PORT must be a number from 1 to 65535, got 'eight'.\n"


def test_it_is_not_for_production(start_demo):
    demo = start_demo(QRELSMITH_MODE="production", SECRET_KEY="x" * 60, ALLOWED_HOSTS="a.example")
    assert demo.process.wait(timeout=30) == 1
    assert demo.output_text() == "The demo does not run in production. Unset QRELSMITH_MODE.\n"
