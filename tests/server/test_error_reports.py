"""Errors that a Sentry-compatible server receives: where and what, and nothing of people."""

from __future__ import annotations

import gzip
import http.server
import json
import sys
import threading
from http import HTTPStatus
from queue import Queue

import pytest
import sentry_sdk
from django.core.exceptions import ImproperlyConfigured
from django.test import Client, override_settings

from jobs.services import enqueue, run
from server import error_reports
from tests.server import secrets
from tests.support.factories import UserFactory, a_collection
from web.logs.context import in_job

pytestmark = pytest.mark.one_database

RECEIVED: Queue[str] = Queue()


class Ingest(http.server.BaseHTTPRequestHandler):
    """The address of a Sentry-compatible server that takes envelopes."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        RECEIVED.put(f"{self.path}\n{body.decode()}")
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def reports():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ingest)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    error_reports.start(f"http://publickey@127.0.0.1:{server.server_address[1]}/7")
    yield RECEIVED
    sentry_sdk.get_client().close()
    # Without an address, nothing is sent.
    sentry_sdk.init(default_integrations=False, auto_enabling_integrations=False)
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.django_db
@override_settings(ROOT_URLCONF="tests.server.secrets")
def test_errors_of_a_view_and_of_a_job_arrive_without_personal_data(reports):
    UserFactory(username="planted-name")
    person = UserFactory(username="planted-person", email=secrets.EMAIL)
    client = Client(raise_request_exception=False)
    client.force_login(person)
    client.cookies["planted-cookie"] = "planted-cookie-value"
    body = {"username": "planted-name", "note": "planted-note"}
    address = "/planted/planted-path/?token=planted-query"
    job = enqueue(
        kind=secrets.KIND, collection=a_collection(), parameters={"secret": secrets.ABSTRACT}
    )

    answer = client.post(address, body, headers={"User-Agent": "planted-agent"})
    with in_job(job.pk):
        run(job.pk)

    sentry_sdk.get_client().flush(timeout=30)
    texts = [reports.get(timeout=30) for _ in range(reports.qsize())]
    events = [json.loads(line) for text in texts for line in text.splitlines() if '"level"' in line]
    of_view, of_job = [event for event in events if "exception" in event]
    assert answer.status_code == 500
    assert of_view["transaction"] == "planted"
    assert of_view["tags"] == {"request_id": answer.headers["X-Request-ID"]}
    assert [each["type"] for each in of_view["exception"]["values"]][-1] == "PlantedError"
    frames = of_view["exception"]["values"][-1]["stacktrace"]["frames"]
    assert frames[-1]["function"] == "failing_view"
    assert of_job["tags"] == {"job_id": str(job.pk)}
    assert of_job["logentry"] == {"message": f"job {job.pk} failed"}
    ours = {"tags", "logentry", "exception", "transaction"}
    assert set().union(*events) <= {*error_reports.KEPT} | ours
    everything = "\n".join(texts)
    for word in ("xenoglyphic", "planted-", secrets.EMAIL, person.password, "sessionid"):
        assert word not in everything, word


def test_it_does_not_start_without_package_or_with_another_address(monkeypatch):
    with pytest.raises(ImproperlyConfigured, match="SENTRY_DSN is no DSN"):
        error_reports.start("errors.example.org")
    monkeypatch.setitem(sys.modules, "sentry_sdk", None)
    with pytest.raises(ImproperlyConfigured, match="sentry-sdk is missing"):
        error_reports.start("http://key@127.0.0.1/1")
