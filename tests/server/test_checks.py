"""Each check, its levels and advice; the command, the page and `/readyz` that show them."""

from __future__ import annotations

import http.server
import json
import os
import shutil
import socketserver
import ssl
import subprocess
import threading
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.message import Message
from http import HTTPStatus

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.utils import timezone
from kombu.exceptions import KombuError

from config.celery import app
from jobs.models import WorkerProcess
from jobs.queues import JobQueue
from server.checks import configuration, database, files, network, registry, running, work
from server.checks.results import CheckLevel, NamedCheck, ok
from tests.support.factories import UserFactory, a_collection
from tests.support.running import sending_through

NOTHING_THERE = "redis://127.0.0.1:9/0"


@pytest.fixture
def production(settings):
    settings.PRODUCTION = True
    settings.SECURE_SSL_REDIRECT = True
    return settings


def a_worker(*, seconds_ago: float = 0, ahead: float = 0, version: str = "") -> WorkerProcess:
    seen_at = timezone.now() - timedelta(seconds=seconds_ago)
    return WorkerProcess.objects.create(
        name="host:1",
        version=version or registry_version(),
        started_at=seen_at,
        seen_at=seen_at + timedelta(seconds=ahead),
        stored_at=seen_at,
    )


def registry_version() -> str:
    from django.conf import settings

    return settings.SOFTWARE_VERSION


@pytest.mark.django_db
class TestDatabase:
    def test_the_tests_database_is_as_it_should_be(self):
        results = [database.check_database(), database.check_migrations(), database.check_clock()]
        assert [result.level for result in results] == ["ok"] * 3
        assert results[0].found.startswith(("SQLite 3.", "PostgreSQL "))

    def test_a_missing_migration_is_named(self, monkeypatch):
        monkeypatch.setattr(database, "_migrated", set())
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM django_migrations WHERE app = 'jobs' AND name LIKE '0003%'")
        result = database.check_migrations()
        assert result.level == "failed"
        assert "1 are missing: jobs.0003_queues_of_workers" in result.found

    @pytest.mark.parametrize(("ahead", "level"), [(0.5, "ok"), (5, "warning"), (11, "failed")])
    def test_the_clock_of_a_worker_is_compared(self, settings, ahead, level):
        settings.JOB_STALE_SECONDS = 20
        a_worker(ahead=ahead)
        assert database.check_clock().level == level


@pytest.mark.django_db
@pytest.mark.one_database
class TestWork:
    def test_a_worker_was_seen(self):
        assert work.check_workers().level == "failed"
        worker = a_worker()
        assert work.check_workers().level == "ok"
        WorkerProcess.objects.update(queues="short memory")
        result = work.check_workers()
        assert result.level == "failed"
        assert result.found.endswith(f"none takes jobs from {JobQueue.LONG.name_at_broker}.")
        WorkerProcess.objects.update(version="0.0.9", queues="short long memory")
        assert "0.0.9" in work.check_workers().found
        WorkerProcess.objects.filter(pk=worker.pk).update(
            seen_at=timezone.now() - timedelta(minutes=2)
        )
        assert work.check_workers().level == "failed"

    def test_a_job_that_waits_for_long_is_a_warning(self):
        job = a_collection().jobs.create(kind="release", key="1")
        assert work.check_queue().level == "ok"
        type(job).objects.update(created_at=timezone.now() - timedelta(minutes=11))
        result = work.check_queue()
        assert (result.level, result.found) == ("warning", "1 job, the oldest for 11 minutes")

    def test_a_broker_that_does_not_answer_raises(self):
        assert work.check_broker().level == "ok"
        with sending_through(app, url=NOTHING_THERE), pytest.raises(KombuError):
            work.check_broker()


@pytest.mark.one_database
class TestFiles:
    def test_a_folder_that_is_not_writable_is_named(self, settings):
        assert files.check_storage().level == "ok"
        settings.RELEASE_DIR = settings.DATA_DIR / "file" / "releases"
        (settings.DATA_DIR / "file").write_text("")
        result = files.check_storage()
        assert result.level == "failed"
        assert "Not a directory" in result.found

    @pytest.mark.parametrize(("free", "level"), [(50, "ok"), (8, "warning"), (2, "failed")])
    def test_a_full_disk_is_seen(self, monkeypatch, free, level):
        usage = shutil._ntuple_diskusage(100 * 1024**3, (100 - free) * 1024**3, free * 1024**3)
        monkeypatch.setattr(files.shutil, "disk_usage", lambda path: usage)
        assert files.check_disk().level == level

    @pytest.mark.parametrize(
        ("hours", "succeeded", "level"),
        [(2, True, "ok"), (30, True, "warning"), (200, True, "failed"), (2, False, "failed")],
    )
    def test_the_age_of_the_last_backup_counts(self, settings, hours, succeeded, level):
        last = settings.DATA_DIR / "backups" / "last.json"
        last.parent.mkdir()
        finished_at = (timezone.now() - timedelta(hours=hours)).isoformat()
        last.write_text(json.dumps({"finished_at": finished_at, "ok": succeeded}))
        result = files.check_backup()
        assert result.level == level
        assert f"{hours} hours ago" in result.found

    def test_no_backup_is_a_warning_in_production_and_a_broken_file_fails(self, production):
        assert files.check_backup().level == "warning"
        last = production.DATA_DIR / "backups" / "last.json"
        last.parent.mkdir()
        last.write_text("[]")
        assert files.check_backup().level == "failed"


@contextmanager
def serving(server: socketserver.BaseServer):
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class MailServer(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        self.wfile.write(b"220 mail\r\n")
        while line := self.rfile.readline():
            self.wfile.write(b"221 bye\r\n" if line.startswith(b"QUIT") else b"250 ok\r\n")


class PublicServer(http.server.BaseHTTPRequestHandler):
    headers_to_send: dict[str, str] = {}

    def do_GET(self) -> None:
        self.send_response(HTTPStatus.OK)
        for name, value in self.headers_to_send.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.mark.one_database
class TestNetwork:
    def test_the_mail_server_must_answer(self, settings):
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        assert network.check_mail() == ok("No mail server is set.")
        settings.EMAIL_HOST = "127.0.0.1"
        with serving(socketserver.TCPServer(("127.0.0.1", 0), MailServer)) as port:
            settings.EMAIL_PORT = port
            assert network.check_mail() == ok(f"127.0.0.1:{port} accepts mail.")
        result = network.check_mail()
        assert (result.level, result.found) == (
            "failed",
            f"127.0.0.1:{port}: ConnectionRefusedError",
        )

    def test_a_proxy_must_be_known_and_trusted(self, production):
        assert network.check_proxies().level == "warning"
        production.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
        assert network.check_proxies().level == "failed"
        production.TRUSTED_PROXIES = 1
        assert network.check_proxies().level == "ok"

    def test_the_public_address_is_the_setting_or_the_first_host(self, production):
        production.ALLOWED_HOSTS = ["localhost", "*", ".example.org", "q.example.org"]
        assert network.public_address() == "https://q.example.org"
        production.ALLOWED_HOSTS = ["localhost"]
        assert network.check_tls().level == "warning"
        production.SERVER_URL = "http://q.example.org"
        assert network.check_tls().level == "failed"

    def test_strangers_get_a_valid_certificate_and_all_headers(
        self, production, tmp_path, monkeypatch
    ):
        certificate = tmp_path / "certificate.pem"
        _make_certificate(certificate)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server = http.server.HTTPServer(("127.0.0.1", 0), PublicServer)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        with serving(server) as port:
            production.SERVER_URL = f"https://localhost:{port}"
            untrusted = network.check_tls()
            monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
            without_headers = network.check_tls()
            good = {"Strict-Transport-Security": "max-age=1", "X-Frame-Options": "DENY"}
            good |= {"X-Content-Type-Options": "nosniff"}
            good |= {"Content-Security-Policy": "frame-ancestors 'none'"}
            monkeypatch.setattr(PublicServer, "headers_to_send", good)
            valid = network.check_tls()
        refused = network.check_tls()

        assert "self-signed certificate" in untrusted.found
        assert "lacks Strict-Transport-Security, Content-Security-Policy" in without_headers.found
        assert (valid.level, "29 days" in valid.found) == ("ok", True)
        assert "Connection refused" in refused.found
        assert [each.level for each in (untrusted, without_headers, refused)] == ["failed"] * 3

    def test_a_redirect_and_an_old_certificate_are_seen(self):
        headers, soon = Message(), datetime.now(UTC) + timedelta(days=3)
        for name in ("Strict-Transport-Security", "X-Frame-Options", "X-Content-Type-Options"):
            headers[name] = "DENY nosniff"
        headers["Content-Security-Policy"] = "frame-ancestors 'none'"
        assert network._judged("https://q", 301, headers, soon).level == "failed"
        assert network._judged("https://q", 200, headers, soon).level == "warning"


def _make_certificate(path) -> None:
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *(
                "-nodes",
                "-days",
                "30",
                *names,
                "-keyout",
                str(path),
                "-out",
                str(path.with_suffix(".crt")),
            ),
        ],
        check=True,
        capture_output=True,
        env={"PATH": os.environ["PATH"]},
    )
    path.write_text(path.read_text() + path.with_suffix(".crt").read_text())


@pytest.mark.one_database
def test_settings_of_production_are_checked(production):
    result = configuration.check_configuration()
    assert result.level in (CheckLevel.WARNING, CheckLevel.FAILED)
    assert "security.W" in result.found
    production.PRODUCTION = False
    assert configuration.check_configuration().level == "ok"


class TestSideBySide:
    def test_a_check_that_hangs_fails_alone_and_is_not_started_twice(self):
        released, starts = threading.Event(), []

        def hang():
            starts.append(True)
            released.wait()
            return ok("late")

        checks = {"hangs": hang, "works": lambda: ok("at once")}
        side_by_side = running.SideBySide()
        try:
            first = side_by_side.run(checks, 0.05)
            second = side_by_side.run(checks, 0.05)
        finally:
            released.set()
        third = side_by_side.run(checks, 30)

        assert first == second
        assert [each.result.level for each in first] == ["failed", "ok"]
        assert third[0] == NamedCheck("hangs", ok("late"))
        assert len(starts) in (1, 2)  # the third may wait for the thread of the first

    def test_an_error_is_described_without_its_content(self):
        def fail():
            raise ConnectionError("redis://:password@host")

        (named,) = running.SideBySide().run({"broker": fail}, 30)
        assert (named.result.level, named.result.found) == ("failed", "ConnectionError")


@pytest.mark.one_database
@pytest.mark.django_db(transaction=True)
def test_command_page_and_readiness_show_the_same_parts(capsys, settings):
    """In transactions that commit, because checks have connections of their own."""
    a_worker()
    call_command("doctor", "--format", "json")
    results = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in results] == list(registry.CHECKS)
    assert {each["level"] for each in results} == {"ok"}
    assert Client().get("/readyz", headers={"host": "10.0.0.7"}).text == (
        "database ok\nmigrations ok\ncache ok\nbroker ok\nstorage ok\n"
    )

    staff, person = Client(), Client()
    staff.force_login(UserFactory(is_staff=True))
    person.force_login(UserFactory())
    page = staff.get("/server/")
    for expected in ("Everything works.", "host:1", "Database", "No job waits."):
        assert expected in page.text
    assert 'href="/server/"' in page.text
    assert 'href="/server/"' not in person.get("/account/").text

    WorkerProcess.objects.all().delete()
    settings.RELEASE_DIR = settings.DATA_DIR / "file" / "releases"
    (settings.DATA_DIR / "file").write_text("")
    with sending_through(app, url=NOTHING_THERE):
        with pytest.raises(CommandError, match="3 checks failed"):
            call_command("doctor")
        ready = Client().get("/readyz")
    assert "→ Start a worker" in capsys.readouterr().out
    assert ready.status_code == 503
    assert ready.text == "database ok\nmigrations ok\ncache ok\nbroker failed\nstorage failed\n"
    settings.RELEASE_DIR = settings.DATA_DIR / "releases"
    with sending_through(app, url=NOTHING_THERE):
        assert Client().get("/readyz").status_code == 200  # people judge without the broker
