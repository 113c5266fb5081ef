"""Metrics: what they count, what they cost the database, and who may read them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from datetime import datetime, timedelta
from urllib.request import Request, urlopen

import pytest
import yaml
from django.core.exceptions import ImproperlyConfigured
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from accounts.models import Collection, User
from database.fair_sqlite import base as fair_sqlite
from jobs.models import Job, State, WorkerProcess
from server.metrics import access, page, requests, stored
from tests.server.production_log import lines_of
from tests.support.factories import UserFactory, a_collection, an_open_query
from tests.support.running import ROOT, environment, wait_until
from tests.support.sittings import judge, slots_of

TOKEN = "a-token-of-metrics"
HOUR = timedelta(hours=1)
DOCS = (ROOT / "docs" / "observing.md").read_text()


def samples(text: str) -> dict[tuple[str, tuple[str, ...]], float]:
    """Each value by its name and the values of its labels."""
    return {
        (sample.name, tuple(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def a_worker(name: str, *, seen_at: datetime) -> None:
    times = dict.fromkeys(("started_at", "seen_at", "stored_at"), seen_at)
    WorkerProcess.objects.create(name=name, version="1", **times)


@pytest.fixture
def read(client, settings, monkeypatch):
    settings.METRICS_TOKEN = TOKEN
    monkeypatch.setattr(page, "recent_figures", stored.RecentFigures())

    def read():
        return client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).text

    return read


@pytest.mark.django_db
class TestFigures:
    @pytest.mark.one_database
    def test_requests_are_counted_by_the_name_of_the_address(self, read, client):
        before = samples(read())
        client.get("/accounts/login/?q=planted")
        client.get("/c/planted/")
        client.generic("PLANTED", "/planted/")
        text = read()

        def more(*key):
            return samples(text)[key] - before.get(key, 0)

        of_login = more("qrelsmith_requests_total", ("GET", "login", "200"))
        assert of_login == more("qrelsmith_request_seconds_count", ("GET", "login")) == 1
        assert more("qrelsmith_requests_total", ("GET", "collection", "302")) == 1
        assert more("qrelsmith_requests_total", ("OTHER", "(no such address)", "404")) == 1
        assert "planted" not in text.lower()

    def test_jobs_judgments_and_workers_are_counted_in_a_few_queries(
        self, django_assert_max_num_queries
    ):
        now = timezone.now()
        opening = an_open_query(a_collection(), 2)
        judge(slots_of(opening, "ann1")[0], 2)
        jobs = opening.query.collection.jobs
        Job.objects.all().delete()
        jobs.create(kind="build_pools", key="ended", state=State.SUCCEEDED)
        jobs.create(kind="build_pools", key="waits")
        jobs.create(kind="of a later version", key="is put off", waits_until=now + HOUR)
        Job.objects.filter(key="waits").update(created_at=now - HOUR / 2)
        Job.objects.filter(key="is put off").update(created_at=now - 2 * HOUR)
        a_worker("host:1", seen_at=now)
        a_worker("host:2", seen_at=now - 2 * HOUR)

        with django_assert_max_num_queries(6):
            figures = stored.read_figures()

        assert figures.jobs == {
            ("build_pools", "queued"): 1,
            ("build_pools", "succeeded"): 1,
            ("other", "queued"): 1,
        }
        assert figures.waiting_jobs == 2
        assert 1800 <= figures.oldest_waiting_seconds < 3600
        assert (figures.judged_slots, figures.slots) == (1, 4)
        assert figures.judgments_last_minute == 1
        assert list(figures.workers) == ["host:1"]
        assert bool(figures.sessions.connections) is (connection.vendor == "postgresql")

    def test_the_docs_list_every_metric_and_rules_name_no_other(self, read, client):
        Collection.objects.create(slug="small", name="Small").jobs.create(kind="release", key="1")
        a_worker("host:1", seen_at=timezone.now())
        client.get("/accounts/login/")
        families = list(text_string_to_metric_families(read()))
        ours = [each for each in families if each.name.startswith("qrelsmith_")]
        exposed = {each.name + "_total" * (each.type == "counter") for each in ours}

        documented = set(re.findall(r"^\| `(qrelsmith_\w+)` \|", DOCS, re.M))
        only_postgresql = {
            name for name in documented if re.search(rf"^\| `{name}` .*PostgreSQL only", DOCS, re.M)
        }
        assert exposed | only_postgresql == documented
        _, rules = [yaml.safe_load(each) for each in re.findall(r"```yaml\n(.*?)```", DOCS, re.S)]
        used = set(re.findall(r"qrelsmith_\w+", str(rules)))
        assert {name.removesuffix("_bucket") for name in used} <= documented


@pytest.mark.one_database
class TestAccess:
    """The test client's address is 127.0.0.1."""

    @pytest.mark.parametrize(
        ("token", "addresses", "given", "status"),
        [
            (TOKEN, [], f"Bearer {TOKEN}", 200),
            (TOKEN, [], f"Bearer {TOKEN}x", 403),
            (TOKEN, [], TOKEN, 403),
            (TOKEN, [], "", 403),
            ("", ["127.0.0.0/8"], "", 200),
            ("", ["10.0.0.0/8", "::1"], "", 403),
            (TOKEN, ["127.0.0.1"], f"Bearer {TOKEN}", 200),
            (TOKEN, ["127.0.0.1"], "", 403),
            (TOKEN, ["10.0.0.1"], f"Bearer {TOKEN}", 403),
        ],
    )
    def test_a_client_meets_each_setting(
        self, db, client, settings, token, addresses, given, status
    ):
        settings.METRICS_TOKEN, settings.METRICS_ADDRESSES = token, addresses
        answer = client.get("/metrics", headers={"Authorization": given})
        assert answer.status_code == status
        assert (b"qrelsmith" in answer.content) is (status == 200)

    def test_the_address_does_not_exist_without_a_setting(self, db):
        assert Client().get("/metrics").status_code == 404

    def test_a_forged_header_gives_no_access(self, db, client, settings):
        settings.METRICS_ADDRESSES = ["10.0.0.0/8"]
        assert client.get("/metrics", headers={"X-Forwarded-For": "10.0.0.1"}).status_code == 403

    def test_an_address_that_is_none_stops_the_start(self, settings):
        settings.METRICS_ADDRESSES = ["localhost"]
        with pytest.raises(ImproperlyConfigured, match="'localhost', which is no network address"):
            access.check_settings()

    def test_a_missing_package_stops_the_start(self, settings, monkeypatch):
        settings.METRICS_TOKEN = TOKEN
        monkeypatch.setattr(access.importlib.util, "find_spec", lambda name: None)
        with pytest.raises(ImproperlyConfigured, match="prometheus-client is missing"):
            access.check_settings()


@pytest.mark.django_db(transaction=True)
class TestWaits:
    def test_a_wait_for_the_lock_of_sqlite_is_counted(self, on_sqlite, monkeypatch):
        waits = []
        monkeypatch.setattr(fair_sqlite, "observe_wait", waits.append)
        with transaction.atomic():
            UserFactory()
            other = threading.Thread(target=_write)
            other.start()
            other.join(0.1)
            assert waits == []
        other.join()

        assert len(waits) == 1
        assert waits[0] > 0
        before = requests.SQLITE_WAITED._value.get()
        requests._count_wait(0.5)
        assert requests.SQLITE_WAITED._value.get() == before + 0.5

    def test_a_session_that_waits_for_a_lock_is_counted(self, on_postgresql):
        person = UserFactory()
        with transaction.atomic():
            User.objects.select_for_update().get(pk=person.pk)
            other = threading.Thread(target=_lock, args=[person.pk])
            other.start()
            wait_until(_one_session_waits, 30, "the other waits")
            assert stored._sessions().longest_lock_wait_seconds > 0
        other.join()
        assert stored._sessions().lock_waits == 0


def _one_session_waits() -> bool:
    with connection.cursor() as cursor:  # within a transaction, PostgreSQL keeps what it read
        cursor.execute("SELECT pg_stat_clear_snapshot()")
    return stored._sessions().lock_waits == 1


def _write() -> None:
    try:
        with transaction.atomic():
            UserFactory()
    finally:
        connection.close()


def _lock(pk: int) -> None:
    try:
        with transaction.atomic():
            User.objects.select_for_update().get(pk=pk)
    finally:
        connection.close()


@pytest.mark.one_database
@pytest.mark.django_db(transaction=True)
@pytest.mark.by_day(2)
def test_any_process_of_gunicorn_answers_for_all(tmp_path):
    """A real server with two processes, its log and its readiness."""
    log = tmp_path / "web.log"
    more = {"METRICS_TOKEN": TOKEN, "LOG_FORMAT": "json", "LOG_REQUESTS": "1"}
    command = ["-m", "gunicorn", "--config", "python:config.gunicorn", "config.wsgi"]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, *command, "--bind", "127.0.0.1:0", "--workers", "2"],
            cwd=ROOT,
            env=environment(TMPDIR=str(tmp_path), **more),
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        wait_until(lambda: log.read_text().count("Booting worker") == 2, 60, "it has two processes")
        (port,) = re.findall(r"Listening at: http://127\.0\.0\.1:(\d+)", log.read_text())
        place = f"http://127.0.0.1:{port}"
        folder = next(tmp_path.glob("qrelsmith-metrics-*"))

        def ask() -> bool:
            for _ in range(4):
                urlopen(f"{place}/accounts/login/").read()
            return len(list(folder.glob("counter_*.db"))) == 2

        wait_until(ask, 60, "both have answered")
        ready = urlopen(f"{place}/readyz").read().decode()
        scrape = Request(f"{place}/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
        answers = [samples(urlopen(scrape).read().decode()) for _ in range(4)]
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=30)

    key = ("qrelsmith_requests_total", ("GET", "login", "200"))
    lines = lines_of("\n".join(re.findall(r"^\{.*", log.read_text(), re.M)))
    of_login = [line for line in lines if line.get("route") == "login"]
    assert {answer[key] for answer in answers} == {len(of_login)}
    assert ready == "".join(
        f"{name} ok\n" for name in ("database", "migrations", "cache", "broker", "storage")
    )
    assert {line["logger"] for line in lines} == {"gunicorn.error", "server.access"}
    assert not list(tmp_path.glob("qrelsmith-metrics-*"))
