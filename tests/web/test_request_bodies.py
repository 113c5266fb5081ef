"""A body that is too long is refused before it is read: nothing of it reaches the disk.

Against a real gunicorn, over plain sockets, since a test client sends no half requests.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.test import Client

from accounts.models import User
from tests.support.api_world import token_of
from tests.support.disks import small_disk
from tests.support.running import ROOT, environment, wait_until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_database]

MB = 1024 * 1024
UPLOAD = "/c/small/documents/import/"
API_UPLOAD = "/api/v1/collections/small/documents/"


class Server:
    """Gunicorn as the container starts it."""

    def __init__(self, port: int, process: subprocess.Popen, incoming: Path) -> None:
        self.port, self.process, self.incoming = port, process, incoming
        self.untouched = incoming.stat().st_mtime_ns

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def answer_to(self, *parts: bytes) -> tuple[int, str]:
        """Send the parts, then read one answer, though the request may not be complete."""
        with self.connect() as connection:
            for part in parts:
                connection.sendall(part)
            answer = http.client.HTTPResponse(connection)
            answer.begin()
            return answer.status, answer.read().decode()

    def has_kept_a_file(self) -> bool:
        """Whether a file was made in the folder, if only for a moment, or lies elsewhere."""
        return self.incoming.stat().st_mtime_ns != self.untouched or bool(self.open_uploads())

    def open_uploads(self) -> list[str]:
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if os.getpgid(int(folder.name)) == self.process.pid:
                    found += [str(file.readlink()) for file in (folder / "fd").iterdir()]
            except OSError:  # the process or the file is gone
                continue
        return [name for name in found if ".upload" in name]


@pytest.fixture
def gunicorn(settings, tmp_path):
    """Start a server on the test's database; it ends with the `with` block."""
    incoming = settings.DATA_DIR / "incoming"  # where a server of its own settings keeps it
    incoming.mkdir()

    @contextmanager
    def start(**env: str):
        with socket.socket() as listener, (tmp_path / "gunicorn.log").open("wb") as log:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            bind = ["--bind", f"fd://{listener.fileno()}"]
            process = subprocess.Popen(
                [sys.executable, "-m", "gunicorn", "config.wsgi", *bind, "--threads", "4"],
                cwd=ROOT,
                env=environment(**env),
                pass_fds=[listener.fileno()],
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                server = Server(listener.getsockname()[1], process, incoming)
                wait_until(lambda: server.answer_to(request("GET", "/healthz"))[0] == 200, 60)
                yield server
            finally:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait(timeout=10)

    return start


@pytest.fixture
def server(collection, gunicorn):
    with gunicorn(MAX_UPLOAD_MB="8") as server:
        yield server


def request(method: str, path: str, *headers: str) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def form(size: int, csrf: str = "") -> tuple[str, bytes]:
    """The type and the body of a form with a file of so many bytes."""
    token = "--x\r\nContent-Disposition: form-data; name=csrfmiddlewaretoken\r\n\r\n" + csrf
    file = "\r\n--x\r\nContent-Disposition: form-data; name=file; filename=corpus.jsonl\r\n\r\n"
    body = (token + file).encode() + b"\n" * size + b"\r\n--x--\r\n"
    return "Content-Type: multipart/form-data; boundary=x", body


def session_of(username: str) -> tuple[str, str]:
    """The Cookie header of a user who is logged in, and the CSRF token for a form."""
    client = Client()
    client.force_login(User.objects.get(username=username))
    client.get("/account/")
    csrf = client.cookies["csrftoken"].value
    return f"Cookie: sessionid={client.cookies['sessionid'].value}; csrftoken={csrf}", csrf


def long(size: int) -> str:
    return f"Content-Length: {size}"


def test_a_stranger_is_refused_before_the_body_comes(server):
    kind, _ = form(0)

    for path in ("/accounts/login/", UPLOAD, "/no/such/page/"):
        status, text = server.answer_to(request("POST", path, kind, long(10 * 1024 * MB)))

        assert status == 413
        assert "at most 65,536 are accepted without logging in" in text
    assert not server.has_kept_a_file()


def test_the_api_refuses_a_stranger_before_the_body_comes(server):
    kind, _ = form(0)
    head = request("POST", API_UPLOAD, kind, long(8 * MB))
    wrong = request("POST", API_UPLOAD, kind, long(8 * MB), "Authorization: Token nonsense")

    answers = [server.answer_to(head), server.answer_to(wrong)]

    assert [(status, json.loads(text)["code"]) for status, text in answers] == [
        (413, "too_large"),
        (401, "authentication_failed"),
    ]
    assert not server.has_kept_a_file()


def test_a_made_up_session_is_no_session(server):
    kind, _ = form(0)
    cookie = "Cookie: sessionid=abcdefghijklmnopqrstuvwxyz012345"

    assert server.answer_to(request("POST", UPLOAD, kind, long(8 * MB), cookie))[0] == 413
    assert not server.has_kept_a_file()


def test_a_body_in_chunks_is_refused(server):
    kind, body = form(4 * MB)
    chunk = f"{len(body):x}\r\n".encode() + body + b"\r\n0\r\n\r\n"

    status, text = server.answer_to(
        request("POST", UPLOAD, kind, "Transfer-Encoding: chunked"), chunk[: 32 * 1024]
    )

    assert status == 411
    assert "Send a Content-Length" in text
    assert not server.has_kept_a_file()


def test_more_than_was_declared_is_not_read(server):
    kind, body = form(4 * MB)

    for declared in ([], [long(100)], [long(0)]):
        head = request("POST", UPLOAD, kind, *declared)
        # An empty form has no CSRF token.
        assert server.answer_to(head, body[: 64 * 1024])[0] == 403
    assert not server.has_kept_a_file()


def test_a_length_that_is_no_number_is_refused(server):
    kind, _ = form(0)

    for declared in ("-1", "1e9", "²", "9" * 5000):
        head = request("POST", UPLOAD, kind, f"Content-Length: {declared}")
        assert 400 <= server.answer_to(head)[0] < 500
    assert not server.has_kept_a_file()


def test_less_than_was_declared_leaves_nothing_behind(server):
    cookie, csrf = session_of("admin")
    kind, body = form(4 * MB, csrf)
    with server.connect() as connection:
        connection.sendall(request("POST", UPLOAD, kind, cookie, long(len(body))) + body[: 3 * MB])
        wait_until(server.open_uploads, 30, "the file is on its way in")
        on_its_way = server.open_uploads()

    assert {Path(name).parent for name in on_its_way} == {server.incoming}
    wait_until(lambda: not server.open_uploads(), 30, "the file is closed")
    assert list(server.incoming.iterdir()) == []


def test_a_person_who_is_logged_in_sends_up_to_the_limit(server, collection):
    cookie, csrf = session_of("admin")
    statuses = []
    for size in (4 * MB, 8 * MB):
        kind, body = form(size, csrf)
        head = request("POST", UPLOAD, kind, cookie, long(len(body)))
        statuses.append(server.answer_to(head, body if size < 8 * MB else b"")[0])

    assert statuses == [302, 413]
    assert collection.jobs.filter(kind="import_documents").count() == 1
    assert server.has_kept_a_file()
    assert list(server.incoming.iterdir()) == []


def test_an_api_token_sends_up_to_the_limit(server, collection):
    token = f"Authorization: Token {token_of('admin')}"
    statuses = []
    for size in (4 * MB, 8 * MB):
        kind, body = form(size)
        head = request("POST", API_UPLOAD, kind, token, long(len(body)))
        statuses.append(server.answer_to(head, body if size < 8 * MB else b"")[0])

    assert statuses == [202, 413]
    assert collection.jobs.filter(kind="import_documents").count() == 1


def test_a_full_disk_is_said_in_words(client, collection, settings, tmp_path):
    client.force_login(User.objects.get(username="admin"))
    api = {"Authorization": f"Token {token_of('admin')}"}
    kind, body = form(4 * MB)
    with small_disk(tmp_path / "disk", "3m") as disk:
        settings.FILE_UPLOAD_TEMP_DIR = disk.folder
        page = client.generic("POST", UPLOAD, body, kind.partition(": ")[2])
        answer = Client().generic("POST", API_UPLOAD, body, kind.partition(": ")[2], headers=api)
        left = list(disk.folder.iterdir())

    assert page.status_code == 507
    assert "The server&#x27;s disk is full, so your file was not saved" in page.text
    assert (answer.status_code, answer.json()["code"]) == (507, "no_room")
    assert not collection.jobs.exists()
    assert left == []
