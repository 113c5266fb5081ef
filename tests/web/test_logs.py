"""A server's log: readable by machines, and without anything that people wrote or that lets somebody in."""

from __future__ import annotations

import io
import json
import logging
import uuid

import pytest
from django.db import DataError, connection
from django.urls import reverse

from annotation.judging import shown_pair
from web.logs import JsonLines

pytestmark = pytest.mark.django_db


@pytest.fixture
def log():
    """The lines that are logged from here on."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    root, before = logging.getLogger(), logging.getLogger().level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    root.removeHandler(handler)
    root.setLevel(before)


def test_a_request_is_a_line(query, people, as_, log):
    answer = as_("admin").get(reverse("documents", args=["papers"]), {"q": "SECRETWORD"})
    (line,) = [each for each in log() if each["logger"] == "web.logs"]
    assert line["route"] == "c/<slug:slug>/documents/"
    assert (line["method"], line["status"], line["user"]) == ("GET", 200, people.admin.pk)
    assert line["ms"] >= 0
    assert line["request"] == answer["X-Request-ID"]
    assert line["time"].endswith("+00:00")
    assert "SECRETWORD" not in str(log())


def test_a_one_time_link_is_in_no_line(client, log):
    client.get(reverse("invitation", args=["SECRETTOKEN"]))
    client.get("/SECRETTOKEN/nowhere/")
    assert [each["status"] for each in log() if each["logger"] == "web.logs"] == [404, 404]
    assert "SECRETTOKEN" not in str(log())


def test_what_a_judge_sent_is_in_no_line(query, people, as_, log):
    """Not even where the database refuses it: PostgreSQL then tells the whole row."""

    def refuse(execute, sql, params, many, context):
        if sql.startswith('INSERT INTO "annotation_judgment"'):
            raise DataError(f"too long\nDETAIL:  Failing row contains ({', '.join(map(str, params))}).")
        return execute(sql, params, many, context)

    client, pair = as_("ann"), query.pairs.first()
    client.raise_request_exception = False
    digest = shown_pair(people.ann, query, pair.token).presentation.digest
    fields = {"grade": "", "reason": "text", "note": "My\nSECRETNOTE", "key": str(uuid.uuid4()), "digest": digest}
    with connection.execute_wrapper(refuse):
        answer = client.post(reverse("judge-pair", args=["papers", query.pk, pair.token]), fields | {"replaces": ""})
    lines = log()
    assert answer.status_code == 500
    assert any("DataError: too long" in each.get("trace", "") for each in lines)
    assert len({each["request"] for each in lines}) == 1
    assert "SECRETNOTE" not in str(lines)


@pytest.mark.parametrize("text", ['a "quote"\nnew line', "\u2028\x00\ud800", "\u202e"], ids=["line", "parts", "order"])
def test_no_text_begins_another_line(text):
    record = logging.LogRecord("any", logging.WARNING, "", 1, "%s", (text,), None)
    (line,) = JsonLines().format(record).splitlines()
    assert json.loads(line)["message"] == text
    line.encode()
