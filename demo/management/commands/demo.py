"""`make demo`: start everything that Qrelsmith needs, until Ctrl-C."""

from __future__ import annotations

import errno
import http.client
import os
import shutil
import signal
import socket
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import connections

from demo import processes
from demo.processes import Part, PartFailed
from demo.services import DemoAccount, load_demo

HOST = "127.0.0.1"
DUTIES = {
    "admin": "sets up the collection and publishes the release",
    "annotator": "judges pairs without seeing other judgments",
    "adjudicator": "settles pairs on which the two annotators disagree",
}
TRY_FIRST = """\
Try first
  1. As annotator, open a query and judge a few pairs with the keys 0 to 3.
  2. As adjudicator, settle a disagreement.
  3. As admin, view the pools and the agreement, and publish a release.
"""


class Command(BaseCommand):
    help = "Start Qrelsmith with a demo collection: web server and worker, until Ctrl-C."
    requires_system_checks: list[str] = []  # their output would hide our own lines

    def handle(self, *args: Any, **options: Any) -> None:
        stop = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: _interrupt(stop))
        try:
            self.run(port=_port(), stop=stop)
        except KeyboardInterrupt:
            self.stdout.write("\nStopped.")
        except PartFailed as failure:
            sys.exit(str(failure))

    def run(self, *, port: int, stop: threading.Event) -> None:
        _check_mode()
        _check_port(port)
        accounts = self.prepare()
        parts = [_web(port), _worker()]
        running.set()
        try:
            self.say("Starting the web server and the worker …")
            processes.start(parts, stop)
            if not stop.is_set():
                self.say(_welcome(port, accounts))
            processes.watch(parts, stop, self.say)
        finally:
            processes.end(parts)
        self.stdout.write("\nStopped. `make demo` continues where you left off.")

    def say(self, words: str) -> None:
        self.stdout.write(words)
        self.stdout.flush()  # a pipe would buffer it

    def prepare(self) -> Sequence[DemoAccount]:
        call_command("migrate", verbosity=0, interactive=False)
        accounts = load_demo(progress=lambda step: self.say(f"Demo collection: {step}"))
        connections.close_all()  # the parts open their own connections
        return accounts


running = threading.Event()


def _interrupt(stop: threading.Event) -> None:
    """Abort before the parts run. Later, only set `stop`, so that the parts end in order."""
    if not running.is_set():
        raise KeyboardInterrupt
    stop.set()


def _port() -> int:
    text = os.environ.get("PORT") or "8000"
    if not text.isdigit() or not 0 < int(text) < 65536:
        sys.exit(f"PORT must be a number from 1 to 65535, got {text!r}.")
    return int(text)


def _check_mode() -> None:
    if settings.PRODUCTION:
        sys.exit("The demo does not run in production. Unset QRELSMITH_MODE.")


def _check_port(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                sys.exit(f"Port {port} is in use. Run `make demo PORT={_other_port(port)}`")
            sys.exit(f"Port {port} cannot be used: {error.strerror}. Run `make demo PORT=8000`")


def _other_port(port: int) -> int:
    return port + 1 if port < 65535 else 8000


def _web(port: int) -> Part:
    options = ["--bind", f"{HOST}:{port}", "--threads", "8", "--graceful-timeout", "2"]
    return Part(
        name="web server",
        command=processes.python_module("gunicorn", "config.wsgi", *options),
        log=_logs() / "web.log",
        is_ready=lambda part: not part.is_dead() and _answers(port),
        environment={"QRELSMITH_DEMO": "1"},
    )


def _worker() -> Part:
    options = ["--concurrency", "1", "--loglevel", "INFO"]
    quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    pulse = settings.DATA_DIR / "worker-pulse"
    return Part(
        name="worker",
        command=processes.python_module("celery", "-A", "config", "worker", *options, *quiet),
        log=_logs() / "worker.log",
        is_ready=lambda part: " ready." in part.log_text(),
        environment={
            "QRELSMITH_DEMO": "1",
            "LOG_LEVEL": os.environ.get("LOG_LEVEL", "INFO"),
            "WORKER_PULSE_FILE": str(pulse),
        },
        pulse=pulse,
        frozen_after=3 * settings.JOB_STALE_SECONDS,
    )


def _logs() -> Path:
    folder: Path = settings.DATA_DIR / "logs"
    return folder


def _answers(port: int) -> bool:
    link = http.client.HTTPConnection(HOST, port, timeout=2)
    try:
        link.request("GET", "/healthz")
        return link.getresponse().status == 200
    except OSError:
        return False
    finally:
        link.close()


def _welcome(port: int, accounts: Sequence[DemoAccount]) -> str:
    width = max(len(account.username) for account in accounts)
    password_width = max(len(account.password) for account in accounts)
    people = "".join(
        f"  {account.username:{width}}  {account.password:{password_width}}"
        f"  {DUTIES.get(account.role, account.role)}\n"
        for account in accounts
    )
    rule = "─" * min(72, shutil.get_terminal_size().columns)
    return (
        f"{rule}\nQrelsmith is ready at http://{HOST}:{port}/\n\n"
        f"Log in as\n{people}\n{TRY_FIRST}\n"
        f"Your work is saved in {settings.DATA_DIR}. The logs are in its folder logs.\n"
        f"Press Ctrl-C to stop.\n{rule}"
    )
