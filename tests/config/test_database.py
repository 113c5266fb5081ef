"""Connections to PostgreSQL: checked before they are used again, and ended when a process hangs."""

from __future__ import annotations

import http.client
import socket
import subprocess
import sys

import pytest
from django.db import connection

from tests.support.api_world import token_of
from tests.support.factories import UserFactory
from tests.support.running import ROOT, environment, wait_until

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]

MINE = (
    "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
    "AND application_name = 'qrelsmith'"
)


@pytest.fixture
def web(on_postgresql, tmp_path):
    """A real web server with one thread, which therefore keeps one connection."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = ["-m", "gunicorn", "config.wsgi", "--bind", f"127.0.0.1:{port}", "--threads", "1"]
    with (tmp_path / "web.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, *command], cwd=ROOT, env=environment(), stdout=log, stderr=log
        )
    yield port
    process.terminate()
    process.wait(timeout=60)


def status(port: int, path: str, **headers: str) -> int:
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        link.request("GET", path, headers=headers)
        return link.getresponse().status
    except ConnectionRefusedError:
        return 0
    finally:
        link.close()


def sql(query: str) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return cursor.fetchall()


def test_a_request_after_a_lost_connection_is_answered(web):
    token = token_of(UserFactory().username)

    def ask() -> int:
        return status(web, "/api/v1/collections/", Authorization=f"Token {token}")

    wait_until(lambda: ask() == 200, 60, "the web server answers")
    for _ in range(3):
        ((ended,),) = sql(f"SELECT count(pg_terminate_backend(pid)) {MINE}")
        assert ended >= 1
        wait_until(lambda: sql(f"SELECT count(*) {MINE}") == [(0,)], 60, "it is gone")
        assert ask() == 200


def test_the_server_ends_sessions_of_processes_that_hang(on_postgresql):
    names = ("idle_in_transaction_session_timeout", "tcp_keepalives_idle", "application_name")
    shown = [sql(f"SHOW {name}")[0][0] for name in names]
    assert shown == ["1min", "30", "qrelsmith"]


def test_options_of_the_url_come_last(tmp_path):
    url = "postgres://u@127.0.0.1/d?options=-c%20idle_in_transaction_session_timeout%3D7"
    code = "from django.conf import settings; print(settings.DATABASES['default']['OPTIONS'])"
    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "-v0", "-c", code],
        cwd=ROOT,
        env={**environment(), "DATABASE_URL": url},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "-c idle_in_transaction_session_timeout=60000 " in done.stdout
    assert "-c idle_in_transaction_session_timeout=7'" in done.stdout
