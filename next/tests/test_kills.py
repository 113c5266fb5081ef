"""Real processes that are killed while people judge and jobs run: nothing is lost, nothing is done twice."""

from __future__ import annotations

import io
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.management import call_command
from django.db import connection
from django.db.models import Count
from django.utils import timezone

from annotation.models import Judgment, Pair
from bench.judging import Judge
from corpus.uploads import find_upload, keep_upload
from jobs.models import Job, State
from jobs.work import start_job
from tests import builders
from tests.web.test_backups import empty_machine, manage

__all__ = ["empty_machine"]  # a fixture
PYTHON = [sys.executable, "-m"]
pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def environment(tmp_path, settings):
    """Processes use the test's own database, files and broker."""
    database = connection.settings_dict
    url = f"sqlite:///{database['NAME']}"
    if connection.vendor == "postgresql":
        url = f"postgres://{database['USER']}@{database['HOST']}:{database['PORT']}/{database['NAME']}"
    settings.MEDIA_ROOT = tmp_path / "files"
    settings.SESSION_ENGINE = "django.contrib.sessions.backends.db"
    settings.SECRET_KEY = "the same for all processes"
    return os.environ | {"DATABASE_URL": url, "DATA_DIR": str(tmp_path), "SECRET_KEY": settings.SECRET_KEY}


@contextmanager
def process(*command: str, environment: dict[str, str], log: Path):
    with log.open("ab") as output:
        started = subprocess.Popen(
            command,
            cwd=settings.BASE_DIR,
            env=environment,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        yield started
    finally:
        if started.poll() is None:
            os.killpg(started.pid, signal.SIGKILL)
        started.wait()


def until(condition, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "It did not happen in time."
        time.sleep(0.05)


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_judgments_survive_kills_of_the_web_server_and_a_backup_is_of_one_moment(
    collection, papers, as_, environment, empty_machine, tmp_path
):
    judges = [builders.person(f"judge{number}", collection, "annotator") for number in range(8)]
    for number in range(4):
        query = builders.query(collection, papers[number])
        builders.opened(query, [*papers[:number], *papers[number + 1 :]], judges[2 * number], judges[2 * number + 1])
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    sessions = {person.username: as_(person.username).cookies["sessionid"].value for person in judges}
    gunicorn = [*PYTHON, "gunicorn", "config.wsgi", "--bind", f"127.0.0.1:{port}", "--threads", "8"]
    with process(*gunicorn, environment=environment, log=tmp_path / "web.log") as web:
        until(lambda: answers(port))
        clients = [
            threading.Thread(target=judge_all, args=(port, collection.slug, sessions[p.username])) for p in judges
        ]
        for thread in clients:
            thread.start()
        for number in (10, 30, 50):
            until(lambda number=number: Judgment.objects.count() >= number, seconds=120)
            for child in children(web.pid):
                os.kill(child, signal.SIGKILL)
        before = Judgment.objects.count()
        call_command("backup", tmp_path / "backup.tar", stdout=io.StringIO())
        after = Judgment.objects.count()
        for thread in clients:
            thread.join(timeout=120)
    assert Judgment.objects.count() == 2 * Pair.objects.count() == 88
    assert not Pair.objects.annotate(judged=Count("slots__judgment")).exclude(judged=2).exists()
    assert manage(empty_machine, "restore", tmp_path / "backup.tar").returncode == 0
    judged, slots, wrong = map(int, manage(empty_machine, "shell", "-c", MOMENT).stdout.split()[-3:])
    assert before <= judged == slots <= after
    assert wrong == 0


# Judgments, slots that have one, and pairs whose state is not that of their slots.
MOMENT = """from annotation.models import Judgment, Pair, Slot
from django.db.models import Count
pairs = Pair.objects.annotate(judged=Count("slots__judgment"))
wrong = sum((pair.judged == 2) != (pair.state == "agreed") for pair in pairs)
print(Judgment.objects.count(), Slot.objects.exclude(judgment=None).count(), wrong)"""


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def judge_all(port: int, slug: str, session: str) -> None:
    judge = Judge(port, slug, session)
    for pair in judge.patiently(judge.pairs):
        judge.judge_patiently(pair)
        time.sleep(0.5)


def test_a_job_survives_kills_of_its_worker(collection, environment, tmp_path):
    lines = (json.dumps({"docno": f"x{n}", "title": f"T {n}", "abstract": "One. Two."}) for n in range(20_000))
    upload = find_upload(collection, keep_upload(collection, ContentFile("\n".join(lines).encode()), "many.jsonl"))
    job = start_job("import_documents", collection=collection, by=None, files=[upload])
    celery = [*PYTHON, "celery", "-A", "config", "worker", "--pool", "solo", "--loglevel", "INFO", "--without-mingle"]
    for _ in range(2):
        with process(*celery, environment=environment, log=tmp_path / "worker.log"):
            before = collection.documents.count()
            until(lambda before=before: collection.documents.count() > before)
        # As half a minute later: nobody has heard of the worker.
        long_ago = timezone.now() - timedelta(minutes=5)
        Job.objects.filter(state=State.RUNNING).update(heartbeat_at=long_ago)
        Job.objects.update(created_at=long_ago)
        assert collection.documents.count() < 20_000
    with process(*celery, environment=environment, log=tmp_path / "worker.log"):
        until(lambda: Job.objects.get(pk=job.pk).is_finished, seconds=120)
    job.refresh_from_db()
    assert (job.state, job.attempts) == (State.SUCCEEDED, 3)
    assert collection.documents.count() == 20_000
