"""The pages, the command and the API that ask a model, and the key that none of them shows."""

from __future__ import annotations

import json
import re
from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from evaluation.models import Asking, ModelAnswer
from evaluation.shadow_judges.asking.addresses import InvalidAddress, parsed_address
from evaluation.shadow_judges.asking.checks import check_model_addresses
from evaluation.shadow_judges.asking.services import ASKING_KIND, request_asking
from jobs.models import Job, State
from jobs.services import request_cancel
from tests.support.asking_scenes import FAST, a_plan
from tests.support.factories import a_collection
from tests.support.model_server import Answered, completion, model_server, refuses, says
from tests.support.release_scenes import a_judged_collection
from tests.support.running import wait_until
from tests.support.uploading import done
from tests.support.visits import address, client_of, queries_of, text_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.by_day(2)]
KEY_NAME = "QRELSMITH_MODEL_KEY_TEST"
KEY = "sk-4f9Qz-nobody-may-see-this"
FORM = {
    "name": "tiny",
    "model": "tiny-1",
    "template": "guideline",
    "pairs": "all",
    "temperature": "0",
    "seed": "1",
    "max_tokens": "50",
    "limit_name": "max_tokens",
    "repetitions": "1",
    "facets": ["background", "method", "result"],
    "prompt_price": "1",
    "completion_price": "2",
    "currency": "EUR",
    "budget": "5",
    "requests_per_minute": "6000",
    "concurrency": "4",
    "timeout_seconds": "20",
}


@pytest.fixture
def server():
    with model_server() as server:
        yield server


@pytest.fixture
def form(server, settings, monkeypatch):
    monkeypatch.setenv(KEY_NAME, KEY)
    settings.MODEL_ADDRESSES = [f"{server.url}?key={KEY_NAME}"]
    return FORM | {"address": settings.MODEL_ADDRESSES[0]}


@once_a_file
def judged():
    return a_judged_collection()


@pytest.fixture
def reader(judged):
    return client_of("admin")


def test_without_an_address_nothing_can_be_asked(reader):
    assert "No address is allowed on this server" in text_of(reader.get(address("ask-model")))
    refused = reader.post(
        address("ask-model"), FORM | {"address": "http://10.0.0.1/v1", "begin": 1}
    )
    assert refused.status_code == 422
    assert not Job.objects.filter(kind=ASKING_KIND).exists()


def test_an_address_that_is_not_listed_is_refused(reader, form):
    for other in ("http://127.0.0.1:1/v1", form["address"].partition("?")[0]):
        refused = reader.post(address("ask-model"), form | {"address": other, "begin": "1"})
        assert refused.status_code == 422
    assert not Asking.objects.exists()


def test_the_price_and_three_prompts_are_shown_before_anything_is_sent(reader, form, server):
    page = reader.post(address("ask-model"), form | {"estimate": "1"})
    shown = text_of(page)

    assert page.status_code == 200
    assert "9, for 9 pairs" in shown
    assert page.text.count('aria-label="Prompt for q') == 3
    assert "at most 450 of answers" in shown
    assert "Ask 9 times" in shown
    assert server.requests == []
    assert not Asking.objects.exists()


def test_a_model_is_asked_from_the_page_and_its_figures_are_shown(reader, form, server):
    server.script = lambda number, received: says("Two." if number == 2 else '{"grade": 2}')
    reader.post(address("ask-model"), form | {"begin": "1"})
    assert Asking.objects.get().currency == "EUR"
    job = done()

    assert (job.state, job.error) == (State.SUCCEEDED, "")
    assert job.result == {
        "shadow_judge": "tiny",
        "answers": 9,
        "without_a_grade": 1,
        "spent": "0.00108 EUR",
    }
    page = text_of(reader.get(address("shadow-judge", "tiny")))
    assert "9 of 9 requests" in page
    assert "1: no grade in the form that was asked for" in page
    assert "0.0011 of 5 EUR" in page
    lines = b"".join(reader.get(address("model-answers", "tiny")).streaming_content).splitlines()
    answers = [json.loads(line) for line in lines]
    assert len(answers) == 9
    assert [answer["problem"] for answer in answers if answer["raw"] == "Two."] == ["no-grade"]
    assert "tiny-1" in text_of(reader.get(address("label-effects")))


def test_it_continues_with_a_larger_budget(reader, form, server):
    reader.post(address("ask-model"), form | {"begin": "1", "budget": "0.002"})
    job = done()
    assert job.result["stopped_by_the_budget"]
    before = len(server.requests)
    assert before < 9
    page = text_of(reader.get(address("shadow-judge", "tiny")))
    assert f"Ask the other {9 - before}" in page

    limits = {key: form[key] for key in ("requests_per_minute", "concurrency", "timeout_seconds")}
    reader.post(address("continue-model", "tiny"), limits | {"budget": "5"})
    assert done().result["answers"] == 9
    assert len(server.requests) == 9
    wrong = reader.post(address("continue-model", "tiny"), limits | {"budget": "-1"}, follow=True)
    assert "Budget:" in text_of(wrong)


def test_the_page_asks_few_questions_of_the_database(reader, form, server, judged):
    reader.post(address("ask-model"), form | {"begin": "1"})
    done()
    assert queries_of(reader, address("shadow-judge", "tiny")) <= 35
    assert queries_of(reader, address("ask-model")) <= 25


def test_the_command_shows_the_price_asks_and_continues(judged, form, server, capsys):
    arguments = ["ask_model", judged.slug, "--name", "tiny"]
    first = [*arguments, "--model", "tiny-1", "--address", form["address"]]
    fast = ["--requests-per-minute", "6000", "--budget", "1", "--completion-price", "1"]
    call_command(*first, *fast, "--dry-run")
    printed = capsys.readouterr().out
    assert printed.count("--- q") == 3
    assert "9 requests about 9 pairs" in printed
    assert server.requests == []
    assert not judged.shadow_judges.exists()

    call_command(*first, *fast)
    assert "9 answers of tiny, 0 without a grade, 0.00009 USD spent." in capsys.readouterr().out
    call_command(*arguments)
    assert len(server.requests) == 9
    with pytest.raises(CommandError, match="--model is missing"):
        call_command("ask_model", judged.slug, "--name", "other")


def test_the_api_estimates_asks_and_tells_the_figures(reader, form, server, judged):
    body = {key: value for key, value in form.items() if key != "facets"} | {"dry_run": True}
    url = f"/api/v1/collections/{judged.slug}/asked-models/"
    planned = reader.post(url, body, content_type="application/json")
    assert (planned.status_code, planned.json()["requests"]) == (200, 9)
    assert len(planned.json()["prompts"]) == 3
    assert server.requests == []

    started = reader.post(url, body | {"dry_run": False}, content_type="application/json")
    assert started.status_code == 202
    done()
    figures = reader.get(f"/api/v1/collections/{judged.slug}/shadow-judges/tiny/asking/").json()
    assert (figures["answers_count"], figures["problems"]) == (9, {})
    assert (figures["name"], figures["model"], figures["key_name"]) == ("tiny", "tiny-1", KEY_NAME)


def everything_in_the_database() -> str:
    with connection.cursor() as cursor:
        texts = []
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            texts.extend(map(repr, cursor.fetchall()))
    return "\n".join(texts)


@pytest.mark.parametrize("case", ["answers", "echoes", "refuses", "unreadable", "rejects"])
def test_the_key_is_sent_and_is_nowhere_else(reader, form, server, judged, caplog, capfd, case):
    """Also when a server repeats it in an answer or an error."""
    caplog.set_level("DEBUG")
    bearer = f"Bearer {KEY}"
    server.script = {
        "answers": lambda number, received: says(),
        "echoes": lambda number, received: Answered(
            completion(f'{received.headers["authorization"]} {{"grade": 2}}')
        ),
        "refuses": lambda number, received: refuses(401, f"Incorrect key: {bearer}"),
        "unreadable": lambda number, received: Answered(f"<p>{bearer}</p>".encode()),
        "rejects": lambda number, received: refuses(422, f"Invalid: {bearer}"),
    }[case]
    reader.post(address("ask-model"), form | {"begin": "1"})
    job = done()

    assert {received.headers["authorization"] for received in server.requests} == {bearer}
    pages = [
        reader.get(address("shadow-judge", "tiny")).text,
        reader.get(address("ask-model")).text,
        reader.get(address("label-effects")).text,
        reader.get(address("jobs")).text,
        reader.get(address("job", job.pk)).text,
        reader.get(f"/api/v1/collections/{judged.slug}/shadow-judges/tiny/asking/").text,
        reader.get(f"/api/v1/collections/{judged.slug}/jobs/{job.pk}/").text,
        b"".join(reader.get(address("model-answers", "tiny")).streaming_content).decode(),
    ]
    printed = capfd.readouterr()
    for text in (*pages, everything_in_the_database(), caplog.text, printed.out, printed.err):
        assert KEY not in text
    if case == "echoes":
        assert set(ModelAnswer.objects.values_list("raw", "grade")) == {
            ('Bearer [key] {"grade": 2}', 2)
        }
    if case == "refuses":
        assert "Incorrect key: Bearer [key]" in job.error


def test_a_key_that_is_not_set_ends_the_job_with_its_name(reader, form, server, monkeypatch):
    monkeypatch.delenv(KEY_NAME)
    reader.post(address("ask-model"), form | {"begin": "1"})
    job = done()
    assert f"The variable {KEY_NAME} is not set" in job.error
    assert server.requests == []


def test_keys_and_headers_that_the_environment_has_for_others_are_not_sent(
    reader, form, server, settings, monkeypatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-operator")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-the-operator")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Secret: of-the-operator")
    settings.MODEL_ADDRESSES = [server.url]
    reader.post(address("ask-model"), form | {"begin": "1", "address": server.url})
    assert done().state == State.SUCCEEDED
    assert all("of-the-operator" not in str(received.headers) for received in server.requests)
    assert "authorization" not in server.requests[0].headers


def test_an_address_of_the_setting_is_a_url_and_the_name_of_a_key():
    assert parsed_address("https://a.example/v1/") == ("https://a.example/v1", "")
    assert parsed_address(f"http://[::1]:8000/v1?key={KEY_NAME}").key_name == KEY_NAME
    for wrong in (
        "a.example/v1",
        "ftp://a.example",
        "file:///etc/passwd",
        "https://user:password@a.example/v1",
        "https://a.example/v1?key=SECRET_KEY",
        "https://a.example/v1?key=DATABASE_URL",
        "https://a.example/v1?key=sk-abc",
        f"https://a.example/v1?key={KEY_NAME}&key=SECRET_KEY",
        f"https://a.example/v1?name={KEY_NAME}",
    ):
        with pytest.raises(InvalidAddress) as error:
            parsed_address(wrong)
        assert "sk-abc" not in str(error.value)
        assert "password@" not in str(error.value)


def test_an_invalid_address_is_reported_at_the_start(settings):
    settings.MODEL_ADDRESSES = ["http://ok.example/v1", "nonsense"]
    (message,) = check_model_addresses()
    assert "nonsense" in message.msg


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("broker", ["filesystem"], indirect=True)
def test_a_worker_killed_in_the_middle_loses_nothing_and_asks_nothing_again(
    start_worker, broker, settings, transactional_db
):
    collection = a_judged_collection()
    with model_server(lambda number, received: says()._replace(delay=0.3)) as server:
        settings.MODEL_ADDRESSES = [f"{server.url}?key={KEY_NAME}"]
        variables = {KEY_NAME: KEY, "MODEL_ADDRESSES": settings.MODEL_ADDRESSES[0]}
        worker = start_worker(**variables)
        limits = FAST.__class__(Decimal(10), 60_000, 2, 20)
        plan = a_plan(settings.MODEL_ADDRESSES[0], repetitions=2, limits=limits)
        job = request_asking(collection=collection, plan=plan, requested_by=None)
        wait_until(lambda: ModelAnswer.objects.count() >= 4, 60, "some answers are stored")
        worker.kill()
        stored = dict(ModelAnswer.objects.values_list("pk", "raw"))
        start_worker(**variables)
        wait_until(lambda: not Job.objects.get(pk=job.pk).is_live, 90, "the job ends")

    ended = Job.objects.get(pk=job.pk)
    assert (ended.state, ended.error, ended.attempts) == (State.SUCCEEDED, "", 2)
    asking = Asking.objects.get()
    assert asking.answers_count == ModelAnswer.objects.count() == 18
    assert stored.items() <= dict(ModelAnswer.objects.values_list("pk", "raw")).items()
    # Only those that were on their way at the kill were sent twice, and the budget counts them.
    assert 18 <= len(server.requests) <= 18 + limits.concurrency
    assert asking.unanswered_requests <= limits.concurrency
    assert len(server.requests) - 18 <= asking.unanswered_requests
    logs = worker.log_text()
    assert KEY not in logs + everything_in_the_database()
    assert re.search("ready", logs)


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("broker", ["filesystem"], indirect=True)
def test_a_job_is_cancelled_while_the_server_holds_its_answers(
    start_worker, broker, settings, transactional_db
):
    collection = a_judged_collection()
    with model_server(
        lambda number, received: says()._replace(delay=0 if number < 3 else 30)
    ) as server:
        settings.MODEL_ADDRESSES = [server.url]
        start_worker(MODEL_ADDRESSES=server.url)
        job = request_asking(collection=collection, plan=a_plan(server.url), requested_by=None)
        wait_until(lambda: ModelAnswer.objects.count() >= 2, 60, "two answers are stored")
        request_cancel(job=job)
        wait_until(lambda: not Job.objects.get(pk=job.pk).is_live, 10, "the job is cancelled")
    assert Job.objects.get(pk=job.pk).state == State.CANCELLED
    assert ModelAnswer.objects.count() == 2


def test_without_an_open_query_the_page_says_what_is_missing(form):
    a_collection()

    page = text_of(client_of("admin").get(address("ask-model")))

    assert "Open queries for judging first." in page
    assert '<form method="post" class="sheet"' not in page
