"""The last step of `manage.py start_demo`, after the data is there: start the parts and watch them.

It replaces the process of the command and does not import Django. The command kept 86 MB, or 247 MB
after loading the demo collection. The launcher has 20 MB.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from demo import processes
from demo.processes import DemoProcess, PartFailed

HOST = "127.0.0.1"
VARIABLE = "QRELSMITH_DEMO_LAUNCH"
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Launch(NamedTuple):
    """The settings of the launcher. `welcome` has passwords, so it is not on the command line."""

    port: int
    data_dir: str
    frozen_after: float  # seconds without a pulse of the worker
    welcome: str
    command: str  # that starts the demo again


def replace_process(launch: Launch) -> None:
    """Go on as the launcher, in the same process. Signals wait until it handles them."""
    sys.stdout.flush()
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    environment = {**os.environ, VARIABLE: json.dumps(launch)}
    os.execve(sys.executable, processes.python_module("demo.launcher"), environment)


def main() -> None:
    launch = Launch(*json.loads(os.environ.pop(VARIABLE)))
    stop = threading.Event()
    for number in SIGNALS:
        signal.signal(number, lambda *_: stop.set())
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    try:
        run(launch, [_web(launch), _worker(launch)], stop)
    except PartFailed as failure:
        sys.exit(str(failure))


def run(launch: Launch, parts: Sequence[DemoProcess], stop: threading.Event) -> None:
    try:
        say("Starting the web server and the worker …")
        processes.start(parts, stop)
        if not stop.is_set():
            say(launch.welcome)
        processes.watch(parts, stop, say)
    finally:
        processes.end(parts)
    say(f"\nStopped. `{launch.command}` continues where you left off.")


def say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()  # a pipe would buffer it


def _web(launch: Launch) -> DemoProcess:
    address = f"{HOST}:{launch.port}"
    options = ["--bind", address, "--threads", "8", "--graceful-timeout", "2"]
    return DemoProcess(
        name="web server",
        command=processes.python_module("gunicorn", "config.wsgi", *options),
        log=Path(launch.data_dir, "logs", "web.log"),
        is_ready=lambda part: not part.is_dead() and _answers(launch.port),
        environment={"QRELSMITH_DEMO": "1", "DATA_DIR": launch.data_dir},
    )


def _worker(launch: Launch) -> DemoProcess:
    options = ["--loglevel", "INFO"]
    quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    pulse = Path(launch.data_dir, "worker-pulse")
    return DemoProcess(
        name="worker",
        command=processes.python_module("celery", "-A", "config", "worker", *options, *quiet),
        log=Path(launch.data_dir, "logs", "worker.log"),
        is_ready=lambda part: " ready." in part.log_text(),
        environment={
            "QRELSMITH_DEMO": "1",
            "DATA_DIR": launch.data_dir,
            # Django's checks are for the settings of an installation. They load all pages: 30 MB.
            "CELERY_SKIP_CHECKS": "1",
            "LOG_LEVEL": os.environ.get("LOG_LEVEL", "INFO"),
            "WORKER_PULSE_FILE": str(pulse),
        },
        pulse=pulse,
        frozen_after=launch.frozen_after,
    )


def _answers(port: int) -> bool:
    link = http.client.HTTPConnection(HOST, port, timeout=2)
    try:
        link.request("GET", "/healthz")
        return link.getresponse().status == 200
    except OSError:
        return False
    finally:
        link.close()


if __name__ == "__main__":
    main()
