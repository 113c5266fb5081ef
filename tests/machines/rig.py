"""The processes of two machines and of what they share, each on a port of 127.0.0.1.

A machine is a `DATA_DIR` of its own, a gunicorn and a worker. They share PostgreSQL behind
PgBouncer, a Redis, a storage that speaks S3 (moto), and HAProxy in front.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from contextlib import ExitStack
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

import boto3

from bench.judging.server import DEPLOYED, GUNICORN
from bench.processes import ROOT, descendants_of, free_port, started, wait_until
from bench.worker import CELERY
from tests.compose.commands import output_of

BUCKET = "qrelsmith"
KEYS = {
    "AWS_ACCESS_KEY_ID": "of-this-check",
    "AWS_SECRET_ACCESS_KEY": "of-this-check",
    "AWS_DEFAULT_REGION": "us-east-1",
}
PGBOUNCER = """[databases]
* = host={host} port={port} user={user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {own_port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 12
max_client_conn = 500
ignore_startup_parameters = extra_float_digits
"""
HAPROXY = """defaults
  mode http
  timeout connect 2s
  timeout client 70s
  timeout server 70s
  option redispatch
  retries 3
frontend people
  bind 127.0.0.1:{port}
  http-request set-header X-Forwarded-Proto https
  default_backend web
backend web
  balance roundrobin
  option httpchk GET /readyz
  http-check send hdr Host 127.0.0.1 hdr X-Forwarded-Proto https
{servers}
"""


class Machine:
    """A web server and a worker that share nothing on disk with others."""

    def __init__(self, name: str, folder: Path, shared: dict[str, str], stack: ExitStack) -> None:
        self.name, self.folder, self.port = name, folder / name, free_port()
        self.folder.mkdir()
        self.environment = {**shared, "DATA_DIR": str(self.folder)}
        self._stack, self._logs = stack, folder
        self.start_web()
        self.start_worker()

    def start_web(self) -> None:
        command = [sys.executable, *GUNICORN, "--bind", f"127.0.0.1:{self.port}"]
        log = self._logs / f"{self.name}-web.log"
        self.web = self._stack.enter_context(started(command, self.environment, log))
        wait_until(lambda: answers(self.port, "/healthz"), self.web, log)

    def start_worker(self) -> None:
        command = [sys.executable, *CELERY, "--loglevel", "INFO"]
        log = self._logs / f"{self.name}-worker.log"
        before = log.stat().st_size if log.exists() else 0
        self.worker = self._stack.enter_context(started(command, self.environment, log))
        wait_until(lambda: b" ready." in log.read_bytes()[before:], self.worker, log)

    def worker_processes(self) -> list[int]:
        return descendants_of(self.worker.pid)

    def kill_web(self) -> None:
        os.killpg(self.web.pid, signal.SIGKILL)

    def kill_worker(self) -> None:
        os.killpg(self.worker.pid, signal.SIGKILL)

    def manage(self, *arguments: str) -> str:
        return manage(self.environment, *arguments)

    def files(self, folder: str) -> list[Path]:
        """The files of uploads or releases on this machine."""
        return [path for path in (self.folder / folder).rglob("*") if path.is_file()]


class Rig:
    """Everything, until the stack is closed. `database` is the URL of a database with a state."""

    def __init__(self, database: str, folder: Path, stack: ExitStack) -> None:
        self.port = free_port()
        shared = {
            **DEPLOYED,
            **KEYS,
            "BEHIND_PROXY": "1",
            "TRUSTED_PROXIES": "1",
            "DATABASE_URL": _start_pgbouncer(database, folder, stack),
            "DATABASE_POOLED": "1",
            "FILES_BUCKET": BUCKET,
            "FILES_ENDPOINT": _start_storage(folder, stack),
            "JOB_STALE_SECONDS": "5",
            "STATIC_ROOT": str(folder / "static"),
            **_start_redis(folder, stack),
        }
        manage({**shared, "DATA_DIR": str(folder)}, "collectstatic", "--noinput", "--verbosity=0")
        self.first, self.second = (
            Machine(name, folder, shared, stack) for name in ("first", "second")
        )
        self._start_haproxy(folder, stack)

    def _start_haproxy(self, folder: Path, stack: ExitStack) -> None:
        servers = "\n".join(
            f"  server {machine.name} 127.0.0.1:{machine.port} check inter 1s fall 1 rise 1"
            for machine in (self.first, self.second)
        )
        file, log = folder / "haproxy.cfg", folder / "haproxy.log"
        file.write_text(HAPROXY.format(port=self.port, servers=servers))
        proxy = stack.enter_context(started(["haproxy", "-f", str(file), "-db"], {}, log))
        wait_until(lambda: answers(self.port, "/healthz"), proxy, log)


def _start_pgbouncer(database: str, folder: Path, stack: ExitStack) -> str:
    parts, port = urlsplit(database), free_port()
    given = {"host": parts.hostname, "port": parts.port, "user": parts.username}
    file, log = folder / "pgbouncer.ini", folder / "pgbouncer.log"
    file.write_text(PGBOUNCER.format(own_port=port, **given))
    folder.chmod(0o755)
    command = ["pgbouncer", str(file)]
    if os.geteuid() == 0:  # which it refuses
        command = ["runuser", "--user", "nobody", "--", *command]
    bouncer = stack.enter_context(started(command, {}, log))
    wait_until(lambda: b"process up" in log.read_bytes(), bouncer, log)
    return f"postgres://{parts.username}@127.0.0.1:{port}{parts.path}"


def _start_redis(folder: Path, stack: ExitStack) -> dict[str, str]:
    port, log = free_port(), folder / "redis.log"
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    redis = stack.enter_context(started(["redis-server", *options], {}, log))
    wait_until(lambda: b"eady to accept" in log.read_bytes(), redis, log)
    url = f"redis://127.0.0.1:{port}"
    return {"CELERY_BROKER_URL": f"{url}/0", "REDIS_URL": f"{url}/1"}


def _start_storage(folder: Path, stack: ExitStack) -> str:
    port, log = free_port(), folder / "storage.log"
    command = [sys.executable, "-m", "moto.server", "--host", "127.0.0.1", "--port", str(port)]
    server = stack.enter_context(started(command, {}, log))
    wait_until(lambda: answers(port, "/moto-api/"), server, log)
    endpoint = f"http://127.0.0.1:{port}"
    session = boto3.Session(
        aws_access_key_id=KEYS["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=KEYS["AWS_SECRET_ACCESS_KEY"],
        region_name=KEYS["AWS_DEFAULT_REGION"],
    )
    session.client("s3", endpoint_url=endpoint).create_bucket(Bucket=BUCKET)
    return endpoint


def manage(environment: dict[str, str], *arguments: str) -> str:
    variables = [f"{name}={value}" for name, value in environment.items()]
    return output_of("env", *variables, sys.executable, "manage.py", *arguments, folder=ROOT)


def missing_programs() -> list[str]:
    needed = {"haproxy": "haproxy", "pgbouncer": "pgbouncer", "redis-server": "redis-server"}
    return [package for program, package in needed.items() if not shutil.which(program)]


def answers(port: int, path: str) -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
            return bool(answer.status == 200)
    except (URLError, OSError):
        return False
