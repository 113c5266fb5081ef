"""Two web hosts and a worker that share a database, a broker and an object store, but no folder, behind nginx.

Hosts and worker are killed while eight people judge and a file is imported: nothing is lost, nothing done twice.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import socket
import threading
from contextlib import ExitStack
from datetime import timedelta
from types import SimpleNamespace
from urllib.request import Request, urlopen

import pytest
from django.db.models import Count
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.urls import reverse
from django.utils import timezone

from annotation.models import Judgment, Pair
from jobs.models import Job, State
from release.models import Release
from tests import builders
from tests.test_kills import PYTHON, answers, environment, judge_all, process, until

MISSING = [name for name in ("nginx", "redis-server") if not shutil.which(name)]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(bool(MISSING) and "REQUIRE_ALL" not in os.environ, reason=f"Not installed: {MISSING}"),
]
BUCKET = "qrelsmith"
NGINX = """daemon off;
pid nginx.pid;
events {{}}
http {{
    access_log off;
    client_body_temp_path bodies;
    proxy_temp_path answers;
    upstream web {{
        server 127.0.0.1:{first} fail_timeout=2s;
        server 127.0.0.1:{second} fail_timeout=2s;
    }}
    server {{
        listen 127.0.0.1:{proxy};
        location / {{
            proxy_pass http://web;
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-Proto $scheme;
            proxy_set_header X-Forwarded-For $remote_addr;
            proxy_connect_timeout 2s;
        }}
    }}
}}
"""
__all__ = ["environment"]  # a fixture


@pytest.fixture
def hosts(environment, tmp_path):
    """The processes; `kill` one and `start` it again."""
    boto3 = pytest.importorskip("boto3")
    pytest.importorskip("moto")
    ports = SimpleNamespace(**{name: free_port() for name in ("proxy", "redis", "store", "first", "second")})
    store, redis = f"http://127.0.0.1:{ports.store}", f"redis://127.0.0.1:{ports.redis}"
    keys = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_DEFAULT_REGION": "us-east-1"}
    shared = environment | keys | {"S3_BUCKET": BUCKET, "S3_ENDPOINT": store}
    shared |= {"BROKER_URL": f"{redis}/0", "CACHE_URL": f"rediscache://127.0.0.1:{ports.redis}/1"}
    (tmp_path / "nginx.conf").write_text(NGINX.format(**vars(ports)))
    gunicorn = [*PYTHON, "gunicorn", "--config", "python:config.gunicorn", "config.wsgi"]
    celery = [*PYTHON, "celery", "-A", "config", "worker", "--concurrency", "1", "--without-mingle"]
    commands = {
        "redis": (["redis-server", "--port", str(ports.redis), "--save", ""], {}),
        "store": ([*PYTHON, "moto.server", "--port", str(ports.store)], keys),
        "proxy": (["nginx", "-p", str(tmp_path), "-c", "nginx.conf", "-e", "stderr"], {}),
        "worker": (celery, shared | {"DATA_DIR": str(tmp_path / "worker")}),
    }
    for name in ("first", "second"):
        own = {"DATA_DIR": str(tmp_path / name), "BIND": f"127.0.0.1:{getattr(ports, name)}"}
        commands[name] = (gunicorn, shared | own)
    running = {}
    with ExitStack() as stack:

        def start(name):
            command, variables = commands[name]
            begun = process(*command, environment=os.environ | variables, log=tmp_path / f"{name}.log")
            running[name] = stack.enter_context(begun)
            if name in ("first", "second"):
                until(lambda: is_healthy(getattr(ports, name)), seconds=120)
            elif name != "worker":
                until(lambda: answers(getattr(ports, name)))

        def kill(name):
            os.killpg(running[name].pid, signal.SIGKILL)
            running[name].wait()

        for name in ("redis", "store"):
            start(name)
        session = boto3.Session(*keys.values())
        session.client("s3", endpoint_url=store, region_name="us-east-1").create_bucket(Bucket=BUCKET)
        for name in ("first", "second", "worker", "proxy"):
            start(name)
        yield SimpleNamespace(ports=ports, start=start, kill=kill, folder=tmp_path)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def is_healthy(port) -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{port}/healthz", timeout=30) as answer:
            return answer.status == 200
    except OSError:
        return False


def ask(port, session, path, fields=None):
    """The answer's address and body. `fields` are posted as a form with files."""
    headers = {"Cookie": f"sessionid={session}; csrftoken={'a' * 32}", "X-CSRFToken": "a" * 32}
    data = None
    if fields is not None:
        data, headers["Content-Type"] = encode_multipart(BOUNDARY, fields), MULTIPART_CONTENT
    with urlopen(Request(f"http://127.0.0.1:{port}{path}", data, headers), timeout=60) as answer:
        return answer.url, answer.read()


def test_nothing_is_lost_when_hosts_and_workers_are_killed(hosts, collection, papers, as_, tmp_path):
    judges = [builders.person(f"judge{number}", collection, "annotator") for number in range(8)]
    for number, paper in enumerate(papers):
        query, couple = builders.query(collection, paper), 2 * (number % 4)
        builders.opened(query, [*papers[:number], *papers[number + 1 :]], judges[couple], judges[couple + 1])
    sessions = {name: as_(name).cookies["sessionid"].value for name in ("admin", *(p.username for p in judges))}
    port, slug, admin = hosts.ports.proxy, collection.slug, sessions["admin"]

    # What one host took, another previews, and the worker imports.
    upload = tmp_path / "many.jsonl"
    upload.write_text("".join(json.dumps({"docno": f"x{n}", "title": f"T {n}"}) + "\n" for n in range(5_000)))
    with upload.open("rb") as file:
        chosen, _ = ask(hosts.ports.first, admin, reverse("import-documents", args=[slug]), {"file": file})
    path = chosen.partition(str(hosts.ports.first))[2]
    assert b"T 9" in ask(hosts.ports.second, admin, path)[1]
    ask(hosts.ports.second, admin, path, {"skip": "0", "split": "on"})

    clients = [threading.Thread(target=judge_all, args=(port, slug, sessions[p.username])) for p in judges]
    for thread in clients:
        thread.start()
    until(lambda: collection.documents.count() > 500)
    for name in ("first", "worker", "second"):
        hosts.kill(name)
        before = Judgment.objects.count()
        until(lambda before=before: Judgment.objects.count() > before + 4)  # the others carry on
        if name == "worker":  # as half a minute later
            Job.objects.filter(state=State.RUNNING).update(heartbeat_at=timezone.now() - timedelta(minutes=5))
        hosts.start(name)
    for thread in clients:
        thread.join(timeout=180)
    assert Judgment.objects.count() == 2 * Pair.objects.count() == 264
    assert not Pair.objects.annotate(judged=Count("slots__judgment")).exclude(judged=2).exists()

    Job.objects.update(created_at=timezone.now() - timedelta(minutes=5))
    until(lambda: Job.objects.get().is_finished, seconds=180)
    assert (Job.objects.get().state, collection.documents.count()) == (State.SUCCEEDED, 5_012)

    # What the worker publishes, every host gives out.
    page = reverse("release", args=[slug])
    faults = re.findall(r'name="(accept_[^"]+)"', ask(port, admin, page)[1].decode())
    ask(port, admin, page, {"version": "1.0", "notes": "", **dict.fromkeys(faults, "A test.")})
    until(Release.objects.exists)
    release = Release.objects.get()
    file = reverse("release-file", args=[slug, "1.0"])
    for host in (hosts.ports.first, hosts.ports.second):
        assert hashlib.sha256(ask(host, admin, file)[1]).hexdigest() == release.sha256
    for name in ("first", "second", "worker"):
        assert not list((tmp_path / name / "files").rglob("*")), "A file is kept on one machine."
