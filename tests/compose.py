"""`make compose-check`: docker-compose.yml started by podman, used, each service killed, and restored from a backup.

Debian needs: apt-get install podman podman-compose runc netavark aardvark-dns iptables uidmap debootstrap. The images
are made of Debian's packages, so no image registry is asked.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import secrets
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from bench.judging import Judge

ROOT = Path(__file__).resolve().parents[1]
BASE, APP, PARTS = (f"localhost/qrelsmith-check-{name}" for name in ("base", "app", "parts"))
DOCKERFILE = """ARG BASE
FROM ${BASE}
RUN apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install \\
    caddy postgresql redis-server && install -d -o postgres -m 700 /var/lib/postgresql/data
COPY postgres-start /
"""
START = """set -eu
export PATH="$(echo /usr/lib/postgresql/*/bin):$PATH" PGDATA=/var/lib/postgresql/data/cluster
if [ ! -e $PGDATA/ready ]; then
    rm -rf $PGDATA && printf %s "$POSTGRES_PASSWORD" > /tmp/password
    initdb -U "$POSTGRES_USER" --pwfile=/tmp/password --auth-host=scram-sha-256 --auth-local=trust -E UTF8
    echo "host all all all scram-sha-256" >> $PGDATA/pg_hba.conf
    echo "CREATE DATABASE $POSTGRES_USER" | postgres --single postgres && touch $PGDATA/ready
fi
exec postgres -c listen_addresses='*' -c unix_socket_directories=/tmp
"""
DEBIAN = """services:
  db: {user: postgres, command: [sh, /postgres-start]}
  redis: {user: redis, entrypoint: [sh, -c, 'exec "$$@" --bind 0.0.0.0 --protected-mode no --dir /tmp', redis]}
  caddy:
    environment: {XDG_DATA_HOME: /data}
    command: [caddy, run, --config, /etc/caddy/Caddyfile]
"""
# Podman then needs neither systemd nor more than an ordinary user's limits.
CONF = '[engine]\nruntime = "runc"\n[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]\n'
SERVICES = ("web", "worker", "db", "redis", "caddy")
WORLD = """import json
from django.test import Client
from accounts.models import User
from demo.loading import load_demo
load_demo(say=str)
sessions = {}
for person in User.objects.all():
    client = Client()
    client.force_login(person)
    sessions[person.username] = client.cookies["sessionid"].value
print(json.dumps(sessions))"""
STATE = """import hashlib, json
from annotation.models import Judgment
from release.models import Release
release = Release.objects.get()
content = release.file.open().read()
assert hashlib.sha256(content).hexdigest() == release.sha256
print(json.dumps([sorted(map(str, Judgment.objects.values_list("key", flat=True))), release.sha256]))"""


def run(*command: str, **options: Any) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode:
        sys.exit(f"{' '.join(command[:8])} failed:\n{(done.stdout + done.stderr)[-4000:]}")
    return done.stdout


def podman(*arguments: str, **options: Any) -> str:
    return run("podman", "--log-level=error", *arguments, **options)


def until(is_done: Callable[[], Any], what: str) -> None:
    deadline = time.monotonic() + 180
    while not is_done():
        if time.monotonic() > deadline:
            sys.exit(f"In vain: {what}")
        time.sleep(0.5)


def build_images(scratch: Path) -> None:
    if BASE not in podman("images", "--format", "{{.Repository}}"):
        mirror = run("apt-get", "indextargets", "--format", "$(SITE)").splitlines()[0]
        include = "--include=ca-certificates,python3,python3-venv"
        run("debootstrap", "--variant=minbase", include, "bookworm", str(scratch / "base"), mirror)
        run("tar", "-C", str(scratch / "base"), "-cf", str(scratch / "base.tar"), ".")
        podman("import", str(scratch / "base.tar"), f"{BASE}:latest")
    # What pip of this machine is told: where its index is, and which certificates it trusts.
    told = re.findall(r"^\s+(/\S+), exists: True$", run(sys.executable, "-m", "pip", "config", "debug"), re.MULTILINE)
    files = {path.parent if path.parent.name == "pip" else path for path in map(Path, told)}  # settings name others
    files |= set(map(Path, filter(None, [ssl.get_default_verify_paths().cafile])))
    options = ["--network=host", f"--build-arg=BASE={BASE}", *(f"--volume={file}:{file}:ro" for file in files)]
    (scratch / "Dockerfile").write_text(DOCKERFILE)
    (scratch / "postgres-start").write_text(START)
    podman("build", "-q", *options, "-t", PARTS, "-f", str(scratch / "Dockerfile"), str(scratch))
    podman("build", "-q", *options, "-t", APP, "-f", str(ROOT / "deploy/Dockerfile"), str(ROOT))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Stack:
    """The services under a name of their own, with new volumes."""

    secret_key = secrets.token_urlsafe(64)  # of both: it is kept with a backup

    def __init__(self, scratch: Path, name: str) -> None:
        self.name, self.folder = f"qrelsmith-check-{os.getpid()}-{name}", scratch / name
        self.folder.mkdir()
        shutil.copy(ROOT / "docker-compose.yml", self.folder)
        shutil.copytree(ROOT / "deploy", self.folder / "deploy")
        (self.folder / "debian.yml").write_text(DEBIAN)
        ports = {"PORT": free_port(), "HTTP_PORT": free_port(), "HTTPS_PORT": free_port()}
        images = {"APP_IMAGE": APP, **dict.fromkeys(("POSTGRES_IMAGE", "REDIS_IMAGE", "CADDY_IMAGE"), PARTS)}
        own = {"SECRET_KEY": self.secret_key, "POSTGRES_PASSWORD": secrets.token_hex(16)}
        variables = {"ALLOWED_HOSTS": "localhost", **own, **images, **ports}
        (self.folder / ".env").write_text("".join(f"{key}={value}\n" for key, value in variables.items()))
        self.probe, self.port = f"http://127.0.0.1:{ports['PORT']}/healthz", ports["HTTPS_PORT"]

    def compose(self, *arguments: str) -> None:
        files = ("-f", "docker-compose.yml", "-f", "debian.yml")
        run("podman-compose", "-p", self.name, *files, *arguments, cwd=self.folder)

    def start(self, *services: str) -> None:
        """Podman without systemd runs no health checks, so `depends_on` would wait for ever."""
        self.compose("up", "--detach", "--no-build", "--no-deps", "db", "redis", *services)
        until(lambda: self.health().get("database"), "web is healthy")

    def health(self) -> dict[str, Any]:
        try:
            with urlopen(self.probe, timeout=5) as answer:
                return dict(json.load(answer))
        except OSError:
            return {}

    def container(self, service: str) -> str:
        return f"{self.name}_{service}_1"

    def manage(self, *arguments: str) -> str:
        return podman("exec", self.container("web"), "python", "manage.py", *arguments)

    def kill(self, service: str) -> None:
        """As a crash does; podman starts the service again. `podman kill` would count as a stop by hand."""
        before = self.pid(service)
        os.kill(before, signal.SIGKILL)
        until(lambda: self.pid(service) not in (0, before), f"{service} starts again")
        until(lambda: self.health().get("database"), "web is healthy")

    def pid(self, service: str) -> int:
        return int(podman("inspect", "--format", "{{.State.Pid}}", self.container(service)))

    def shell(self, code: str) -> Any:
        return json.loads(self.manage("shell", "-c", code).splitlines()[-1])

    def judge_one(self, session: str) -> str:
        judge = self.person(session)
        return judge.judge_patiently(judge.patiently(judge.pairs)[0])

    def person(self, session: str) -> Judge:
        """A person's browser, through Caddy and its certificate."""
        root = podman("exec", self.container("caddy"), "cat", "/data/caddy/pki/authorities/local/root.crt")
        trusted = ssl.create_default_context(cadata=root)
        judge = Judge(self.port, "demo", session)
        judge.link = http.client.HTTPSConnection("localhost", self.port, timeout=60, context=trusted)
        judge.headers = {"Referer": f"https://localhost:{self.port}/"}
        return judge

    def __enter__(self) -> Stack:
        return self

    def __exit__(self, *_: object) -> None:
        volumes = podman("volume", "ls", "--quiet", "--filter", f"name={self.name}").split()
        self.compose("down", "-t", "2")
        podman("volume", "rm", "--force", *volumes)


def publish(stack: Stack, admin: Judge) -> None:
    """On the page; the worker makes the release."""
    page = admin.request("GET", "/c/demo/release/")
    reasons = dict.fromkeys(re.findall(r'name="(accept_[^"]+)"', page), "To check the deployment.")
    admin.request("POST", "/c/demo/release/", {"version": "1.0", "notes": "", **reasons})
    until(lambda: stack.health().get("seconds_since_worker") is not None, "the worker gives a sign")
    until(lambda: ">1.0<" in admin.request("GET", "/c/demo/release/"), "the worker publishes")
    stack.manage("import_release", "/data/files/releases/demo/demo-1.0.zip", "again")  # which verifies it first


def main(scratch: Path) -> None:
    (scratch / "containers.conf").write_text(CONF)
    os.environ |= {"CONTAINERS_CONF": str(scratch / "containers.conf"), "COMPOSE_PROFILES": "tls"}
    say("Build the images")
    build_images(scratch)
    tar = scratch / "backup.tar"
    with Stack(scratch, "first") as first:
        say("Start the services")
        first.start("web", "worker", "caddy")
        sessions = first.shell(WORLD)
        keys = set()
        for service in SERVICES:
            say(f"Kill {service}, and judge")
            first.kill(service)
            for name in ("annotator", "annotator2"):
                keys.add(first.judge_one(sessions[name]))
        say("Publish a release")
        publish(first, first.person(sessions["admin"]))
        say("Back up, and restore into new volumes")
        first.manage("backup", "/data/backup.tar")
        with tar.open("wb") as copy:
            command = ["podman", "exec", first.container("web"), "cat", "/data/backup.tar"]
            subprocess.run(command, stdout=copy, check=True)
        state = first.shell(STATE)
        assert keys <= set(state[0]), "Judgments that the server acknowledged are lost."
    with Stack(scratch, "second") as second:
        second.start("web", "caddy")
        with tar.open("rb") as copy:
            podman("exec", "-i", second.container("web"), "sh", "-c", "cat > /tmp/backup.tar", stdin=copy)
        second.manage("restore", "/tmp/backup.tar")
        assert second.shell(STATE) == state, "The restored server is another."
        second.judge_one(sessions["annotator"])
    say("The services work, come back from each kill, and were restored from a backup.")


def say(what: str) -> None:
    print(f"{time.monotonic() - BEGAN:4.0f} s  {what}", flush=True)


if __name__ == "__main__":
    BEGAN = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="qrelsmith-compose-") as folder:
        main(Path(folder))
