"""What is measured once: the idle demo, the statistics alone, and the peer."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.databases import on_sqlite
from bench.judging import peer
from bench.judging.browser import Browser
from bench.judging.keys import ANNOTATORS
from bench.judging.setting import STEPS, Bench
from bench.processes import (
    descendants_of,
    free_port,
    measured_step,
    memory_of,
    started,
    wait_until,
)
from bench.table import MIB

SETTLE_SECONDS = 6  # two ticks of a worker


def measure_demo(bench: Bench) -> None:
    """Web and worker of `make demo` without a request."""
    port = free_port()
    with tempfile.TemporaryDirectory(dir=bench.folder) as folder:
        environment = {**on_sqlite(Path(folder)), "PORT": str(port)}
        _measure_demo(bench, environment, port, Path(folder) / "demo.log")


def _measure_demo(bench: Bench, environment: dict[str, str], port: int, log: Path) -> None:
    with started([sys.executable, "manage.py", "start_demo"], environment, log) as process:
        ready: Callable[[], bool] = lambda: "is ready" in log.read_text(errors="replace")  # noqa: E731
        wait_until(ready, process, log)
        # The web server loads much only when it answers its first page.
        Browser(port).get("/accounts/login/")
        time.sleep(SETTLE_SECONDS)
        family = descendants_of(process.pid)
        memory, launcher = memory_of(family), memory_of([process.pid])
    bench.keep(
        "demo",
        "sqlite",
        f"{memory.pss / MIB:.0f} MiB PSS, {memory.rss / MIB:.0f} RSS",
        f"{len(family)} processes; the launcher has {launcher.rss / MIB:.0f} RSS",
    )


def measure_peer(bench: Bench) -> None:
    """The same number of annotators at full speed on Potato, where its program is named."""
    if not bench.potato:
        bench.say("no Potato; --potato names its program")
        return
    result = peer.measure(
        Path(bench.potato), bench.folder, annotators=ANNOTATORS, seconds=bench.size.seconds
    )
    bench.keep("peer", "-", result.value, result.note)


def measure_statistics(bench: Bench) -> None:
    """The statistics alone. They need no database, so this is measured once."""
    queries, pairs = bench.size.agreement
    done, peak, _ = measured_step(STEPS, ["summarize", queries, pairs], bench.anywhere())
    value = f"{done['seconds']:.1f} s, {peak / MIB:.0f} MiB"
    bench.keep("agreement", "-", value, f"{queries:,} × {pairs}")
