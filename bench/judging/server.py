"""Qrelsmith's web server as it is deployed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from bench.processes import children_of, free_port, memory_of, started, wait_until

# The command of docs/deployment.md and the Dockerfile.
GUNICORN = (
    *("-m", "gunicorn", "--config", "python:config.gunicorn"),
    *("config.wsgi", "--workers", "2", "--threads", "8"),
)
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


@dataclass(frozen=True)
class Server:
    """A running server, known by its port and its first process."""

    port: int
    process: subprocess.Popen[bytes]

    def largest_worker(self) -> int:
        """Bytes that the largest of its worker processes has resident."""
        return max((memory_of([pid]).rss for pid in children_of(self.process.pid)), default=0)


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


def _is_healthy(port: int) -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5) as answer:
            return bool(answer.status == 200)
    except (URLError, OSError):
        return False
