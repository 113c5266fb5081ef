"""Celery workers as forks of one process with the program loaded, which saves two seconds each.

Only the start differs from that of `celery worker`: the settings are read again in the environment
of the worker, before it connects to anything.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Mapping, Sequence
from multiprocessing.context import ForkServerProcess
from pathlib import Path

# `tests.support.loaded_program` finds its settings in the environment in which pytest runs.
_server = multiprocessing.get_context("forkserver")
_server.set_forkserver_preload(["tests.support.loaded_program"])


def start(options: Sequence[str], *, env: Mapping[str, str], log: Path) -> ForkServerProcess:
    """A `celery worker` in a process group of its own."""
    process = _server.Process(target=_work, args=(list(options), dict(env), log))
    process.start()
    return process


def _work(options: list[str], env: Mapping[str, str], log: Path) -> None:
    os.setsid()
    with log.open("ab") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    os.environ.clear()
    os.environ.update(env)
    read_settings_again()
    from celery.bin.celery import main

    sys.argv = ["celery", "-A", "config", "worker", *options]
    sys.exit(main())


def read_settings_again() -> None:
    import django
    from django.conf import Settings, settings
    from django.db import connections

    del sys.modules["config.settings"]  # what only some environments have would stay
    settings._wrapped = Settings("config.settings")
    connections.settings = connections.configure_settings(None)
    del connections["default"]
    django.setup()  # the logging
