"""The log of production: which fields its lines have, and that nothing of people is in them."""

from __future__ import annotations

import logging

import pytest
from django.test import Client, override_settings
from django.urls import reverse

from accounts.models import User
from accounts.password_links import password_link
from corpus.models import Document
from jobs.models import State
from jobs.services import enqueue, run
from tests.server import secrets
from tests.server.production_log import lines_of, production_log
from tests.support.api_world import EMAIL, HALF_NOTE, NAMES, NOTE, RETRIEVER, a_world, token_of
from tests.support.visits import client_of
from web.logs.context import in_job
from web.logs.descriptions import describe
from web.logs.formatters import JsonLines, TextLines

pytestmark = pytest.mark.one_database

FIELDS = {
    *("time", "level", "logger", "message", "request_id", "job_id", "error", "places"),
    *("method", "route", "status", "seconds"),
}


@pytest.mark.django_db
@override_settings(ROOT_URLCONF="tests.server.secrets")
def test_nothing_of_people_is_in_the_log_of_a_whole_small_collection(tmp_path):
    with production_log(tmp_path, LOG_FORMAT="json") as log:
        world = a_world()
        of_admin, of_annotator = (User.objects.get(username=name) for name in ("admin", "ann1"))
        admin, annotator, stranger = client_of("admin"), client_of("ann1"), Client()
        token = token_of("ann1")
        of_annotator.refresh_from_db()  # a log-in ends earlier links
        link = password_link(asked_by=of_admin, person=of_annotator)
        annotator.raise_request_exception = False
        answers = [
            admin.get(f"/c/{world.slug}/people/?q=planted-query"),
            annotator.get(reverse("judge-pair", args=[world.slug, world.query, world.token])),
            stranger.get(link),
            stranger.get(f"{link}planted-token/"),
            stranger.get("/api/v1/collections/", headers={"Authorization": f"Token {token}"}),
            stranger.get("/healthz"),
            stranger.post(reverse("login"), {"username": "ann1", "password": secrets.PASSWORD}),
            annotator.post("/planted/word-of-path/", {"username": "ann1", "note": NOTE}),
            stranger.get("/", headers={"Host": "planted-host.example"}),
        ]
        job = enqueue(
            kind=secrets.KIND,
            collection=world.collection,
            parameters={"secret": secrets.ABSTRACT},
        )
        with in_job(job.pk):
            run(job.pk)
    job.refresh_from_db()

    assert [answer.status_code for answer in answers] == [
        *(200, 200, 200, 404, 200, 200, 200, 500, 400)
    ]
    assert job.state == State.FAILED
    text = log.getvalue()
    document = Document.objects.filter(collection=world.collection)[0]
    planted = [
        *(EMAIL, NOTE, HALF_NOTE, *NAMES.values(), RETRIEVER, token, "my own note"),
        *(secrets.ABSTRACT, secrets.PASSWORD, secrets.EMAIL, "xenoglyphic", "planted-"),
        *(document.title, document.docno, "ann1", "word-of-path", link.split("/")[-2]),
        *(f"/{world.slug}/", world.token, "grade"),
    ]
    assert [word for word in planted if word in text] == []
    lines = lines_of(text)
    assert set().union(*lines) <= FIELDS
    (of_view,) = [line for line in lines if line["logger"] == "django.request" and "error" in line]
    assert of_view["message"] == "Internal Server Error: planted"
    assert of_view["error"][0] == "tests.server.secrets.PlantedError"
    assert of_view["error"][1].startswith("django.db.utils.IntegrityError (")
    assert of_view["places"][-1].endswith(" failing_view")
    (of_job,) = [line for line in lines if line.get("job_id") == str(job.pk)]
    assert of_job["message"] == f"job {job.pk} failed"
    routes = [line["route"] for line in lines if line["logger"] == "server.access"]
    assert routes[:2] == ["people", "judge-pair"]
    assert "healthz" not in text


@pytest.mark.django_db
class TestNumberOfARequest:
    def test_the_answer_and_the_line_have_it(self, client, tmp_path):
        with production_log(tmp_path, LOG_FORMAT="json") as log:
            first, second = client.get("/accounts/login/"), client.get("/nowhere/")

        lines = [line for line in lines_of(log.getvalue()) if line["logger"] == "server.access"]
        numbers = [answer.headers["X-Request-ID"] for answer in (first, second)]
        assert [line["request_id"] for line in lines] == numbers
        assert numbers[0] != numbers[1]

    @pytest.mark.parametrize(
        ("proxies", "given", "is_kept"),
        [
            (1, "abc-123_DEF", True),
            (0, "abc-123_DEF", False),
            (1, "short", False),
            (1, "a" * 65, False),
            (1, 'a", "level": "x', False),
            (1, "abcdefgh\n", False),
        ],
    )
    def test_only_a_trusted_proxy_may_give_it(self, client, settings, proxies, given, is_kept):
        settings.TRUSTED_PROXIES = proxies
        answer = client.get("/accounts/login/", headers={"X-Request-ID": given})
        assert (answer.headers["X-Request-ID"] == given) is is_kept


def a_record(message: str, *arguments: object, **more: object) -> logging.LogRecord:
    record = logging.LogRecord("jobs", logging.ERROR, "f.py", 1, message, arguments, None)
    record.__dict__.update(more)
    return record


def test_an_exception_in_a_message_is_described_without_its_content():
    record = a_record("it waits (%s)", OSError(28, "No space left", "/data/secret"))
    assert '"it waits (OSError (ENOSPC))"' in JsonLines().format(record)
    assert "it waits (OSError (ENOSPC))" in TextLines(guarded=True).format(record)
    assert "/data/secret" in TextLines(guarded=False).format(record)


def test_tasks_and_bad_requests_are_written_without_what_they_carry():
    task = a_record("Task %(name)s: %(exc)s", {"name": "jobs.run", "exc": "planted"})
    bad = a_record("Invalid request from ip=1.2.3.4: planted", name="gunicorn.error")
    failed = a_record("Error handling request %s", "/c/x/?q=planted", name="gunicorn.error")
    host = a_record("Invalid HTTP_HOST header: planted", name="django.security.DisallowedHost")

    for record in (task, bad, failed, host):
        assert "planted" not in JsonLines().format(record)


def test_a_description_has_the_message_only_of_errors_of_the_program():
    class OfAPackage(TypeError):
        pass

    assert describe(TypeError("no len()")) == "TypeError (no len())"
    assert describe(OfAPackage("a row")).endswith("OfAPackage")
    assert describe(ValueError("a row")) == "ValueError"
