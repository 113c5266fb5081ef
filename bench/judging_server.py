"""Qrelsmith's web server as it is deployed, and the memory of processes."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS, STOP_SECONDS = 60, 20
# The command of docs/deployment.md and the Dockerfile.
GUNICORN = ("-m", "gunicorn", "config.wsgi", "--workers", "2", "--threads", "8")
DEPLOYED = {
    "QRELSMITH_MODE": "production",
    "SECRET_KEY": "of-this-benchmark-and-of-nothing-else-0123456789-0123456789",
    "ALLOWED_HOSTS": "127.0.0.1",
    # All clients have the same address here.
    "LOGIN_TRIES_PER_ADDRESS": "10000",
}
BEHIND_PROXY = {"BEHIND_PROXY": "1", "TRUSTED_PROXIES": "1"}
# A browser has no proxy with a certificate in front here.
WITHOUT_TLS = {"SECURE_SSL_REDIRECT": "0"}


class DidNotStart(Exception):
    """A process ended, or was not ready in time."""


@dataclass(frozen=True)
class Memory:
    """Bytes of some processes together. PSS shares what several of them map."""

    rss: int
    pss: int


@dataclass(frozen=True)
class Server:
    """A running server, known by its port and its first process."""

    port: int
    process: subprocess.Popen[bytes]

    def largest_worker(self) -> int:
        """Bytes that the largest of its worker processes has resident."""
        return max((memory_of([pid]).rss for pid in children_of(self.process.pid)), default=0)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def serving(
    environment: dict[str, str], log: Path, access: Mapping[str, str] = BEHIND_PROXY
) -> Iterator[Server]:
    """Gunicorn on a free port of this machine, until the block ends."""
    port = free_port()
    command = [sys.executable, *GUNICORN, "--bind", f"127.0.0.1:{port}"]
    with started(command, {**environment, **DEPLOYED, **access}, log) as process:
        wait_until(lambda: _is_healthy(port), process, log)
        yield Server(port, process)


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


def _is_healthy(port: int) -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5) as answer:
            return bool(answer.status == 200)
    except (URLError, OSError):
        return False


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
