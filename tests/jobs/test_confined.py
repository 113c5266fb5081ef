"""A hostile file ends its own import and nothing else: real workers and their children."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from accounts.models import Collection
from jobs.models import Job, State
from jobs.queues import JobQueue
from jobs.services import enqueue, request_cancel
from tests.support.running import Worker, wait_until
from tests.support.slow_jobs import GREEDY_KIND, KIND, LONG_KIND, STUCK_KIND

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]

LONG_ENOUGH = 60  # seconds; what is waited for takes a few on an idle machine


@pytest.fixture
def ask(transactional_db, broker):
    collection = Collection.objects.create(slug="small", name="Small")

    def ask(kind: str, **parameters: object) -> Job:
        return enqueue(kind=kind, collection=collection, parameters=parameters, key=str(parameters))

    return ask


def fresh(job: Job) -> Job:
    return Job.objects.get(pk=job.pk)


def wait_for_end(job: Job) -> Job:
    wait_until(lambda: not fresh(job).is_live, LONG_ENOUGH, f"{job} ends")
    return fresh(job)


def child_of(worker: Worker) -> int:
    """The process of the import that runs in this worker."""

    def found() -> list[int]:
        return [pid for pid in worker.group() if b"jobs.confinement.child" in command_of(pid)]

    wait_until(found, LONG_ENOUGH, "the import has its process")
    return found()[0]


def command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except FileNotFoundError:
        return b""


def test_an_import_that_takes_all_memory_fails_alone(ask, start_worker):
    worker = start_worker(IMPORT_MEMORY_MB="512")
    job = wait_for_end(ask(GREEDY_KIND))

    assert (job.state, job.attempts) == (State.FAILED, 1)
    assert "more than 512 MB of memory" in job.error
    assert wait_for_end(ask(KIND, steps=1, seconds=0)).state == State.SUCCEEDED
    assert not worker.is_dead()


def test_cancelling_ends_an_import_in_the_middle_of_a_call(ask, start_worker):
    worker = start_worker()
    job = ask(STUCK_KIND)
    child = child_of(worker)
    request_cancel(job=job)

    assert wait_for_end(job).state == State.CANCELLED
    wait_until(lambda: not command_of(child), LONG_ENOUGH, "its process has ended")
    assert wait_for_end(ask(KIND, steps=1, seconds=0)).state == State.SUCCEEDED
    assert "Traceback" not in worker.log_text()


def test_a_short_job_of_another_collection_does_not_wait_behind_long_ones(ask, start_worker):
    start_worker(options=["-c", "2"])
    long_jobs = [ask(STUCK_KIND), ask(LONG_KIND, steps=10_000, seconds=0.1)]
    wait_until(lambda: Job.objects.filter(waits_until__isnull=False), LONG_ENOUGH, "one waits")
    other = Collection.objects.create(slug="other", name="Other")
    job = enqueue(kind=KIND, collection=other, parameters={"steps": 1, "seconds": 0})

    assert wait_for_end(job).state == State.SUCCEEDED
    running, waiting = sorted(map(fresh, long_jobs), key=lambda job: job.state == State.QUEUED)
    assert (running.state, waiting.state) == (State.RUNNING, State.QUEUED)
    assert waiting.attempts == 0
    request_cancel(job=running)
    wait_until(lambda: fresh(waiting).state == State.RUNNING, LONG_ENOUGH, "the other one starts")


def test_a_worker_takes_jobs_of_its_queues_only(ask, start_worker):
    short, long_job = ask(KIND, steps=2, seconds=0), ask(LONG_KIND, steps=1, seconds=0)
    start_worker(options=["--queues", JobQueue.LONG.name_at_broker], JOB_STALE_SECONDS="1")

    assert wait_for_end(long_job).state == State.SUCCEEDED
    sent_at = fresh(short).dispatched_at
    wait_until(lambda: fresh(short).dispatched_at > sent_at, LONG_ENOUGH, "it is sent again")
    assert fresh(short).state == State.QUEUED
    start_worker(options=["--queues", JobQueue.SHORT.name_at_broker])
    assert wait_for_end(short).state == State.SUCCEEDED


def test_an_import_that_takes_too_long_fails(ask, start_worker):
    start_worker(IMPORT_SECONDS="3")
    job = wait_for_end(ask(STUCK_KIND))

    assert job.state == State.FAILED
    assert "took longer than 3 seconds" in job.error


def test_an_import_whose_process_is_killed_begins_again(ask, start_worker):
    worker = start_worker()
    ask(STUCK_KIND)
    os.kill(child_of(worker), signal.SIGKILL)

    wait_until(lambda: Job.objects.get().attempts == 2, LONG_ENOUGH, "the import begins again")


def test_an_import_ends_with_its_worker_in_the_middle_of_a_call(ask, start_worker):
    worker = start_worker()
    ask(STUCK_KIND)
    child = child_of(worker)
    parent = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[1]
    os.kill(int(parent), signal.SIGKILL)

    wait_until(lambda: not command_of(child), LONG_ENOUGH, "its process has ended")
