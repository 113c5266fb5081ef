"""Processes that a benchmark starts, measures and ends."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS, STOP_SECONDS = 60, 20


Values = Mapping[str, Any]  # what a step measured: the JSON of its last line


class Measured(NamedTuple):
    """What a process measured, its peak resident bytes, and its error, if any."""

    values: Values
    peak: int
    problem: str = ""


class StepFailed(Exception):
    """A process ended with an error. What needs it is left out of the table."""


def measured_step(module: str, given: Sequence[object], environment: dict[str, str]) -> Measured:
    """As `measured_process`. Raises StepFailed."""
    return successful(measured_process(module, list(map(str, given)), environment), given[0])


def successful(measured: Measured, name: object) -> Measured:
    if measured.problem:
        raise StepFailed(f"{name}: {measured.problem}")
    return measured


def measured_process(module: str, given: Sequence[str], environment: dict[str, str]) -> Measured:
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", module, *given],
            cwd=ROOT,
            env={**os.environ, **environment},
            stdout=output,
            stderr=errors,
        )
        # Of this process alone. getrusage(RUSAGE_CHILDREN) would be the maximum so far.
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        output.seek(0)
        errors.seek(0)
        lines, problems = output.read().splitlines(), errors.read().strip().splitlines()
    if process.returncode:
        last = problems[-1] if problems else "no output"
        return Measured({}, peak, f"ended with {process.returncode}: {last}")
    return Measured(json.loads(lines[-1]), peak)


class DidNotStart(Exception):
    """A process ended, or was not ready in time."""


@dataclass(frozen=True)
class Memory:
    """Bytes of some processes together. PSS shares what several of them map."""

    rss: int
    pss: int


def exit_on_sigterm() -> None:
    """Let SIGTERM end this process as Ctrl-C does, so that it ends its servers and databases."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def started(
    command: Sequence[str], environment: dict[str, str], log: Path, folder: Path = ROOT
) -> Iterator[subprocess.Popen[bytes]]:
    """A process in a group of its own, which is ended, with its children, by its id."""
    with log.open("ab") as out:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    family = [process.pid, *descendants_of(process.pid)]
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    # Children that their parent left behind, each only if it is still the same process.
    for pid in family[1:]:
        if _group_of(pid) == process.pid:
            os.kill(pid, signal.SIGKILL)


def _group_of(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return None


def wait_until(is_ready: Callable[[], bool], process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait for a started process. Raises DidNotStart with the end of its log."""
    ends = time.monotonic() + START_SECONDS
    while time.monotonic() < ends and process.poll() is None:
        if is_ready():
            return
        time.sleep(0.1)
    tail = log.read_text(errors="replace")[-2000:]
    raise DidNotStart(f"{' '.join(map(str, process.args))} did not start:\n{tail}")  # type: ignore[arg-type]


def children_of(pid: int) -> list[int]:
    """Process ids of the direct children. Linux only; elsewhere none."""
    found = []
    for tasks in Path(f"/proc/{pid}/task").glob("*/children"):
        found += [int(child) for child in tasks.read_text().split()]
    return found


def descendants_of(pid: int) -> list[int]:
    children = children_of(pid)
    return children + [below for child in children for below in descendants_of(child)]


def memory_of(pids: Sequence[int]) -> Memory:
    """The memory of the processes that are still there. Linux only; elsewhere 0."""
    rss = pss = 0
    for pid in pids:
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        sizes = {line.split(":")[0]: line.split() for line in lines[1:]}
        rss += int(sizes["Rss"][1]) * 1024
        pss += int(sizes["Pss"][1]) * 1024
    return Memory(rss, pss)


def peak_of(pid: int) -> int:
    """The most bytes that the process had resident so far. Linux only; elsewhere 0."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    peaks = [int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")]
    return max(peaks, default=0)


def computing_of(pids: Sequence[int]) -> float:
    """CPU seconds of the processes, and of their children that have ended. Linux only."""
    ticks = 0
    for pid in pids:
        try:
            # The name of the program, in brackets, may hold spaces.
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")
