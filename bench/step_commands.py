"""The command line of a module of steps: each is a process that ends with a line of JSON."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from bench.processes import Values

Step = Callable[..., Values]


class Clock:
    """Elapsed seconds and CPU seconds of this process inside `running`.

    On a machine that is busy with other work, only CPU seconds can be compared.
    """

    seconds = computing = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        start, computed = time.perf_counter(), time.process_time()
        yield
        self.seconds += time.perf_counter() - start
        self.computing += time.process_time() - computed


def set_up_django() -> None:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()


def write_json(values: Values) -> None:
    sys.stdout.write(json.dumps(values) + "\n")


def run_timed_step(steps: Mapping[str, Step], arguments: Sequence[str]) -> None:
    """Run the step that the first argument names. It gets a clock and the other arguments."""
    set_up_django()
    clock = Clock()
    name, *given = arguments
    values = steps[name](clock, *given)
    write_json({"seconds": clock.seconds, "cpu": clock.computing, **values})
