"""Start the demo's processes together, restart those that stop, and end them together."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 60
STOP_SECONDS = 5
RESTARTS = 3  # within RESTARTS_WITHIN; after that, another restart would not help
RESTARTS_WITHIN = 120  # seconds


class PartFailed(Exception):
    """A part does not start or keeps stopping. The message is for the terminal."""


@dataclass
class DemoProcess:
    """A process with its children, in a process group of its own.

    A terminal's Ctrl-C does not reach this group, so the parts end in order and only once.
    `pulse` is a file that the part touches regularly. If it does not for `frozen_after` seconds,
    the part counts as frozen.
    """

    name: str
    command: Sequence[str]
    log: Path
    is_ready: Callable[[DemoProcess], bool]
    environment: dict[str, str] = field(default_factory=dict)
    pulse: Path | None = None
    frozen_after: float = 60
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)
    log_starts_at: int = field(default=0, init=False)
    deaths: list[float] = field(default_factory=list, init=False)
    last_pulse: tuple[int, float] = field(default=(0, 0), init=False)

    def start(self) -> None:
        self.last_pulse = (0, time.monotonic())
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            self.log_starts_at = log.tell()
            self.process = subprocess.Popen(
                self.command,
                cwd=ROOT,  # gunicorn and celery import from the working directory first
                env={**os.environ, **self.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def log_text(self) -> str:
        """The part's log since it was last started."""
        with self.log.open("rb") as log:
            log.seek(self.log_starts_at)
            return log.read().decode(errors="replace")

    def is_dead(self) -> bool:
        return self.process is None or self.process.poll() is not None

    def is_frozen(self) -> bool:
        """Return whether the pulse file is too old. Time while the machine sleeps is left out."""
        if self.pulse is None:
            return False
        try:
            pulse = self.pulse.stat().st_mtime_ns
        except FileNotFoundError:  # it has only just started
            pulse = 0
        before, since_time = self.last_pulse
        if pulse != before:
            self.last_pulse = (pulse, time.monotonic())
            return False
        return time.monotonic() - since_time > self.frozen_after

    def ask_to_stop(self) -> None:
        if self.process is not None and not self.is_dead():
            self.process.terminate()

    def end(self, seconds: float) -> None:
        """Wait at most `seconds` for the process to end, then kill its whole group."""
        if self.process is None:
            return
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=max(0, seconds))
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def start(parts: Sequence[DemoProcess], stop: threading.Event) -> None:
    """Start all parts. Return when each is ready or `stop` is set."""
    for part in parts:
        part.start()
    deadline = time.monotonic() + START_SECONDS
    while not stop.is_set() and not all(part.is_ready(part) for part in parts):
        for part in parts:
            if part.is_dead():
                raise PartFailed(f"The {part.name} stopped while starting. See {part.log}")
        if time.monotonic() > deadline:
            raise PartFailed(f"Not ready after {START_SECONDS} s. See {parts[0].log.parent}")
        stop.wait(0.1)


def watch(parts: Sequence[DemoProcess], stop: threading.Event, say: Callable[[str], None]) -> None:
    """Restart parts that stop or freeze, until `stop` is set."""
    while not stop.wait(0.5):
        for part in parts:
            if part.is_dead():
                _restart(part, "stopped", say)
            elif part.is_frozen():
                _restart(part, f"did not respond for {part.frozen_after} s", say)


def _restart(part: DemoProcess, problem: str, say: Callable[[str], None]) -> None:
    now = time.monotonic()
    part.deaths = [death for death in part.deaths if now - death < RESTARTS_WITHIN] + [now]
    if len(part.deaths) > RESTARTS:
        raise PartFailed(f"The {part.name} keeps stopping. See {part.log}")
    say(f"The {part.name} {problem} and is restarted. See {part.log}")
    part.end(0)
    part.start()


def end(parts: Sequence[DemoProcess]) -> None:
    """End all parts together, within STOP_SECONDS."""
    for part in parts:
        part.ask_to_stop()
    deadline = time.monotonic() + STOP_SECONDS
    for part in parts:
        part.end(deadline - time.monotonic())


def python_module(*arguments: str) -> list[str]:
    return [sys.executable, "-m", *arguments]
