"""`make demo`: a demo collection, a web server and a worker, until Ctrl-C."""

from __future__ import annotations

import os
import socket
import sys
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError, CommandParser, call_command

from demo.launcher import HOST
from demo.loading import load_demo

WELCOME = """
Qrelsmith is ready at http://{host}:{port}/

Log in as
{people}

Try first
  1. As annotator, judge a few pairs with the keys 0 to 3.
  2. As adjudicator, decide a case.
  3. As admin, look at the pools and the agreement, and publish a release.

Your work is kept in {data_dir}. Press Ctrl-C to stop.
"""
DUTIES = {
    "admin": "sets up the collection and publishes the release",
    "annotator": "judges pairs, blind",
    "annotator2": "judges the same pairs, blind",
    "adjudicator": "decides where the two differ",
}


class Command(BaseCommand):
    help = "Start Qrelsmith with a demo collection: web server and worker, until Ctrl-C."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=8000)

    def handle(self, *args: Any, port: int, **options: Any) -> None:
        if not settings.DEMO:
            raise CommandError("The demo starts with MODE=demo only, as `make demo` does.")
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, port))
            except OSError as error:
                raise CommandError(f"Port {port} is in use. Run `make demo PORT={port + 1}`") from error
        call_command("migrate", verbosity=0)
        passwords = load_demo(say=lambda words: print(words, flush=True))
        people = "\n".join(f"  {name:12} {passwords[name]:14} {duty}" for name, duty in DUTIES.items())
        words = {"host": HOST, "port": port, "people": people, "data_dir": settings.DATA_DIR}
        environment = os.environ | {"DEMO_WELCOME": WELCOME.format(**words), "CELERY_SKIP_CHECKS": "1"}
        arguments = [sys.executable, "-m", "demo.launcher", str(port), str(settings.DATA_DIR)]
        sys.stdout.flush()
        os.execve(sys.executable, arguments, environment)
