"""The services of docker-compose.yml, started with podman-compose under a name of their own."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from bench.processes import free_port
from tests.compose.commands import CheckFailed, output_of, podman, run

COMPOSE = [str(Path(sys.executable).with_name("podman-compose"))]
PROFILES = [f"--profile={name}" for name in ("tls", "builder", "backup")]
SERVICES = ("web", "worker", "builder", "database", "broker", "caddy")
BACKUP_SECONDS = 10
USER = 10001  # the number of the account in the Dockerfile
PATIENCE = 120  # seconds
# Podman must not need more than an ordinary user's limits, nor systemd.
CONTAINERS_CONF = """[engine]
runtime = "runc"
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
"""


class Stack:
    """The running services. Nothing of other projects of podman is touched."""

    def __init__(self, source: Path, images: Mapping[str, str], name: str = "") -> None:
        self.source = source
        self.name = f"qrelsmith-check-{os.getpid()}{name}"
        self.port, self.https_port = free_port(), free_port()
        settings = {
            "SECRET_KEY": secrets.token_urlsafe(64),
            "ALLOWED_HOSTS": "127.0.0.1,localhost",
            "POSTGRES_PASSWORD": secrets.token_hex(16),
            "PORT": str(self.port),
            "HTTP_PORT": str(free_port()),
            "HTTPS_PORT": str(self.https_port),
            "BACKUP_SECONDS": str(BACKUP_SECONDS),
            **images,
        }
        lines = (f"{name}={value}\n" for name, value in settings.items())
        (source / ".env").write_text("".join(lines))

    def start(self) -> None:
        """Start the services in the order of their conditions.

        Without systemd, podman runs no health checks, so this waits itself; and podman 4 cannot
        start a container whose requirement has already ended, such as `migrate`.
        """
        self.start_database()
        self._up("migrate")
        container = self._container("migrate")
        if code := output_of(*podman("wait", container)).strip().removeprefix("0"):
            raise CheckFailed(f"migrate ended with {code}:\n{self.log('migrate')}")
        self._up("web", "worker", "builder", "caddy")
        self.wait_until_healthy()

    def start_database(self) -> None:
        self._up("database", "broker")
        wait_until(self._database_answers, "the database answers")

    def end(self) -> None:
        """Remove all containers, networks and volumes. `down --volumes` leaves some volumes."""
        volumes = self._volumes()
        _try(
            *COMPOSE, "-p", self.name, *PROFILES, "down", "--volumes", "-t", "2", folder=self.source
        )
        if volumes:
            _try(*podman("volume", "rm", "--force", *volumes), folder=self.source)

    def _volumes(self) -> set[str]:
        """Those of its containers, also the ones without a name of their own."""
        label = f"label=io.podman.compose.project={self.name}"
        containers = output_of(*podman("ps", "--all", "--quiet", "--filter", label)).split()
        names = "{{range .Mounts}}{{.Name}} {{end}}"
        found = output_of(*podman("inspect", "--format", names, *containers)) if containers else ""
        return set(found.split())

    def manage(self, *arguments: str, **environment: str) -> str:
        """The output of a command of manage.py in the web container."""
        variables = [f"--env={name}={value}" for name, value in environment.items()]
        web = self._container("web")
        return output_of(*podman("exec", *variables, web, "python", "manage.py", *arguments))

    def copy_from_caddy(self, path: str, target: Path) -> None:
        run(*podman("cp", f"{self._container('caddy')}:{path}", str(target)))

    def kill(self, service: str) -> None:
        """Kill the first process of a service from outside, as a crash does. Another one starts.

        `podman kill` would count as a stop by hand, after which nothing is started again.
        """
        pid = self._pid(service)
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: self._pid(service) not in (0, pid), f"{service} starts again")
        self.wait_until_healthy()

    def restart(self, service: str) -> None:
        run(*podman("restart", "--time", "60", self._container(service)))
        self.wait_until_healthy()

    @contextmanager
    def without(self, service: str) -> Iterator[None]:
        """Stop a service by hand, until the block ends."""
        run(*podman("stop", "--time", "60", self._container(service)))
        yield
        run(*podman("start", self._container(service)))

    def start_backups(self) -> None:
        self._up("backup")

    def stop_backups(self) -> None:
        run(*podman("stop", "--time", "60", self._container("backup")))

    def files_in_backup_folder(self) -> list[str]:
        """The names, also those of hidden files, in the order of their time."""
        container = self._container("backup")
        return output_of(*podman("exec", container, "ls", "-A", "/backups")).split()

    def last_backup(self) -> dict[str, Any]:
        """What the last backup says of itself."""
        command = podman("exec", self._container("web"), "cat", "/data/backups/last.json")
        return dict(json.loads(output_of(*command)))

    def copy_backup(self, name: str, folder: Path) -> None:
        run(*podman("cp", f"{self._container('backup')}:/backups/{name}", str(folder)))

    def restore(self, file: Path) -> None:
        """As docs/backups.md says it. The services other than the database do not run yet."""
        os.chown(file, USER, USER)
        volume = f"--volume={file.parent}:/from:ro"
        command = ("backup", "python", "manage.py", "restore_backup", f"/from/{file.name}")
        options = ("run", "--rm", "--no-deps", "-T", volume)
        run(*COMPOSE, "-p", self.name, *PROFILES, *options, *command, folder=self.source)

    def log(self, service: str) -> str:
        done = subprocess.run(
            podman("logs", "--tail", "30", self._container(service)),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.stdout

    def wait_until_healthy(self) -> None:
        wait_until(self._database_answers, "the database answers")
        wait_until(self._web_is_healthy, "web answers /healthz")

    def _up(self, *services: str) -> None:
        options = ("--detach", "--no-build", "--no-deps")
        run(
            *(*COMPOSE, "-p", self.name, *PROFILES, "up", *options, *services),
            folder=self.source,
        )

    def _container(self, service: str) -> str:
        return f"{self.name}_{service}_1"

    def _pid(self, service: str) -> int:
        return int(output_of(*podman("inspect", "-f", "{{.State.Pid}}", self._container(service))))

    def _database_answers(self) -> bool:
        # As the user of the health check, but with a query: pg_isready needs no database.
        ask = "PGPASSWORD=$POSTGRES_PASSWORD psql -h 127.0.0.1 -U $POSTGRES_USER -c 'SELECT 1'"
        command = podman("exec", self._container("database"), "sh", "-c", ask)
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    def _web_is_healthy(self) -> bool:
        try:
            with urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=5) as answer:
                return bool(answer.status == 200)
        except (URLError, OSError):
            return False


def _try(*command: str, folder: Path) -> None:
    subprocess.run(command, cwd=folder, capture_output=True, check=False)


def wait_until(is_done: Callable[[], bool], what: str) -> None:
    """Ask again and again. Raises CheckFailed after PATIENCE seconds."""
    end = time.monotonic() + PATIENCE
    while not is_done():
        if time.monotonic() > end:
            raise CheckFailed(f"Waited {PATIENCE} s in vain until {what}.")
        time.sleep(0.5)
