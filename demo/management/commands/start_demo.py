"""`make demo` and `qrelsmith demo`: start everything that Qrelsmith needs, until Ctrl-C."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import socket
import sys
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.management import CommandParser, call_command
from django.db import connections

from accounts.commands import ProjectCommand
from demo import launcher
from demo.launcher import HOST, Launch
from demo.services import DemoAccount, load_demo
from web.program import IS_CLONE

DUTIES = {
    "admin": "sets up the collection and publishes the release",
    "annotator": "judges pairs without seeing other judgments",
    "adjudicator": "decides pairs on which the two annotators disagree",
}
TRY_FIRST = """\
Try first
  1. As annotator, open a query and judge a few pairs with the keys 0 to 3.
  2. As adjudicator, decide a case.
  3. As admin, view the pools and the agreement, and publish a release.
"""


class Command(ProjectCommand):
    help = "Start Qrelsmith with a demo collection: web server and worker, until Ctrl-C."
    stage = "Overview"
    takes_collection = False
    writes = False
    requires_system_checks: list[str] = []  # their output would hide our own lines

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--port", help="The port of the web server (default: the variable PORT, or 8000)."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        for number in launcher.SIGNALS:
            signal.signal(number, _interrupt)
        try:
            launcher.replace_process(self.prepared_launch(_port(options["port"])))
        except KeyboardInterrupt:
            self.stdout.write("\nStopped.")

    def prepared_launch(self, port: int) -> Launch:
        _check_mode()
        _check_port(port)
        return Launch(
            port=port,
            data_dir=str(settings.DATA_DIR),
            frozen_after=3 * settings.JOB_STALE_SECONDS,
            welcome=_welcome(port, self.prepare()),
            command=_command(),
        )

    def say(self, words: str) -> None:
        self.stdout.write(words)
        self.stdout.flush()  # a pipe would buffer it

    def prepare(self) -> Sequence[DemoAccount]:
        call_command("migrate", verbosity=0, interactive=False)
        accounts = load_demo(progress=lambda step: self.say(f"Demo collection: {step}"))
        connections.close_all()
        return accounts


def _interrupt(*_: Any) -> None:
    raise KeyboardInterrupt


def _command(port: int | None = None) -> str:
    """Return the command that starts the demo again."""
    command, option = ("make demo", "PORT=") if IS_CLONE else ("qrelsmith demo", "--port ")
    return f"{command} {option}{port}" if port else command


def _port(option: str | None) -> int:
    text = option or os.environ.get("PORT") or "8000"
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
                sys.exit(f"Port {port} is in use. Run `{_command(_other_port(port))}`")
            sys.exit(f"Port {port} cannot be used: {error.strerror}. Run `{_command(8000)}`")


def _other_port(port: int) -> int:
    return port + 1 if port < 65535 else 8000


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
