"""/healthz says what works, and fails only where nobody could judge."""

from __future__ import annotations

import time

import pytest
from celery import current_app
from django.core.cache import cache
from django.db import OperationalError, connection

from jobs import health


@pytest.fixture
def asked(client):
    return lambda: client.get("/healthz", headers={"host": "127.0.0.1"})


@pytest.mark.django_db
def test_all_is_well(asked):
    health.give_sign()
    answer = asked()
    assert (answer.status_code, answer.json()) == (
        200,
        {"database": True, "broker": True, "seconds_since_worker": 0},
    )


@pytest.mark.django_db
def test_a_silent_worker_and_a_dead_broker_are_told_but_people_can_judge(asked, monkeypatch):
    monkeypatch.setattr(current_app.conf, "broker_write_url", "redis://127.0.0.1:1/0")
    cache.set(health.SIGN, time.time() - 90)
    answer = asked()
    assert (answer.status_code, answer.json()["broker"], answer.json()["database"]) == (200, False, True)
    assert 90 <= answer.json()["seconds_since_worker"] < 120


@pytest.mark.django_db
def test_without_its_database_a_server_is_not_healthy(asked):
    def fail(*_):
        raise OperationalError("connection to server failed: password of qrelsmith")

    with connection.execute_wrapper(fail):
        answer = asked()
    assert (answer.status_code, answer.json()["database"]) == (503, False)
    assert b"password" not in answer.content
