"""Real processes that are killed while people judge and jobs run: nothing is lost, nothing is done twice."""

from __future__ import annotations

import hashlib
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
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.db import connection
from django.db.models import Count, Q
from django.utils import timezone

from annotation.models import Judgment, Pair
from bench.judging import Judge
from corpus.models import Document
from corpus.uploads import find_upload, keep_upload
from jobs.models import Job, State
from jobs.work import start_job
from release.gate import findings
from tests import builders
from tests.release.conftest import judged
from tests.web.test_backups import empty_machine, manage

__all__ = ["empty_machine", "judged"]  # fixtures
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


def work_under_kills(job: Job, environment, log: Path, moments) -> None:
    """A worker is killed at each moment of the job, the last one ends it."""
    celery = [*PYTHON, "celery", "-A", "config", "worker", "--pool", "solo", "--loglevel", "INFO", "--without-mingle"]
    for is_time in moments:
        with process(*celery, environment=environment, log=log):
            until(is_time)
        # As half a minute later: nobody has heard of the worker.
        long_ago = timezone.now() - timedelta(minutes=5)
        Job.objects.filter(state=State.RUNNING).update(heartbeat_at=long_ago)
        Job.objects.update(created_at=long_ago)
    with process(*celery, environment=environment, log=log):
        until(lambda: Job.objects.get(pk=job.pk).is_finished, seconds=120)
    job.refresh_from_db()


def test_an_import_survives_kills_of_its_worker(collection, environment, tmp_path):
    lines = (json.dumps({"docno": f"x{n}", "title": f"T {n}", "abstract": "One. Two."}) for n in range(20_000))
    upload = find_upload(collection, keep_upload(collection, ContentFile("\n".join(lines).encode()), "many.jsonl"))
    job = start_job("import_documents", collection=collection, by=None, files=[upload])

    def some_more():
        before = collection.documents.count()
        assert before < 20_000
        return lambda: collection.documents.count() > before

    work_under_kills(job, environment, tmp_path / "worker.log", (more() for more in (some_more, some_more)))
    assert (job.state, job.attempts) == (State.SUCCEEDED, 3)
    assert collection.documents.count() == 20_000


def at_work(job: Job, attempt: int):
    """A quick job may be done before anybody saw it running."""
    running = Q(state=State.RUNNING, attempts=attempt)
    return lambda: Job.objects.filter(running | Q(state=State.SUCCEEDED), pk=job.pk).exists()


def test_runs_pools_and_a_release_survive_kills_of_their_worker(judged, environment, tmp_path):
    builders.topic(judged, "8", "Word of harbours")
    judged.documents.bulk_create(
        Document(collection=judged, docno=f"x{n}", title=f"Word of {n % 97} in {n % 89}", text_digest=f"{n}")
        for n in range(5_000)
    )
    plan = {"strategy": "interleaved", "n": 9, "sources": ["tfidf"], "depths": {}, "queries": [], "forced": []}
    accept = {found.check.key: "Only tried." for found in findings(judged) if found.is_fault}
    release = {"version": "1.0", "with_texts": False, "accept": accept}
    for kind, parameters in (
        ("build_runs", {"names": ["tfidf"]}),
        ("build_pools", {"plan": plan}),
        ("publish_release", release),
    ):
        job = start_job(kind, collection=judged, by=None, **parameters)
        work_under_kills(job, environment, tmp_path / "worker.log", (at_work(job, 1), at_work(job, 2)))
        assert job.state == State.SUCCEEDED, job.error
    assert judged.runs.get(name="tfidf").lists.count() == judged.queries.count()
    (pool,) = judged.pool_sets.drafts().get().pools.all()
    assert pool.candidates.count() == 9
    published = judged.releases.get()
    assert hashlib.sha256(published.file.read()).hexdigest() == published.sha256
    assert len(list((tmp_path / "files").rglob("*.zip"))) == 1


def test_a_restore_survives_kills(query, people, environment, empty_machine, tmp_path):
    builders.judge(query.pairs.first(), people.ann, 2)
    for number in range(1_000):
        default_storage.save(f"uploads/1-x/{number}.jsonl", ContentFile(os.urandom(10_000)))
    call_command("backup", tmp_path / "backup.tar", stdout=io.StringIO())
    command = (sys.executable, "manage.py", "restore", str(tmp_path / "backup.tar"))
    folder = Path(empty_machine["DATA_DIR"])
    for number in (1, 200, 400):
        with process(*command, environment=empty_machine, log=tmp_path / "restore.log") as restore:
            until(lambda number=number: len(list(folder.rglob("*.jsonl"))) >= number)
        assert restore.returncode == -signal.SIGKILL
    restored = manage(empty_machine, "restore", tmp_path / "backup.tar")
    assert restored.returncode == 0, restored.stderr
    assert len(list(folder.rglob("*.jsonl"))) == 1_000
    counted = manage(
        empty_machine, "shell", "-c", "from annotation.models import Judgment as J; print(J.objects.count())"
    )
    assert counted.stdout.split()[-1] == "1"
