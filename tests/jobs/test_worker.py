"""Real worker processes on both brokers, killed at the worst moment: each job ends once."""

from __future__ import annotations

import os
import signal

import pytest
from django.db import connection

from accounts.models import Collection, User
from jobs.models import Job, State
from jobs.services import dispatch, enqueue
from tests.jobs.slow import KIND
from tests.running import wait_until

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]

LONG_ENOUGH = 60  # seconds; what is waited for takes a few on an idle machine


@pytest.fixture
def ask(transactional_db, broker):
    collection = Collection.objects.create(slug="small", name="Small")

    def ask(*, steps: int, seconds: float = 0.05) -> Job:
        return enqueue(
            kind=KIND, collection=collection, parameters={"steps": steps, "seconds": seconds}
        )

    return ask


def steps_done() -> int:
    return User.objects.filter(username__startswith="step-").count()


def wait_for_end(job: Job) -> Job:
    wait_until(lambda: not fresh(job).is_live, LONG_ENOUGH, f"{job} ends")
    return fresh(job)


def fresh(job: Job) -> Job:
    return Job.objects.get(pk=job.pk)


def test_a_worker_does_what_was_asked(ask, start_worker):
    start_worker()
    job = wait_for_end(ask(steps=3))
    assert (job.state, job.error, job.attempts) == (State.SUCCEEDED, "", 1)
    assert job.result["steps"] == steps_done() == 3


def test_another_worker_finishes_the_job_of_one_that_was_killed(ask, start_worker):
    job = ask(steps=30, seconds=0.1)
    first = start_worker()
    wait_until(lambda: steps_done() >= 3, LONG_ENOUGH, "the job is in its middle")
    first.kill()
    lost = fresh(job)
    assert (lost.state, steps_done() < 30) == (State.RUNNING, True)

    start_worker()
    ended = wait_for_end(job)
    assert (ended.state, ended.attempts, ended.result["steps"]) == (State.SUCCEEDED, 2, 30)
    assert ended.result["token"] != str(lost.lease)
    assert steps_done() == 30


def test_a_worker_whose_child_was_killed_takes_its_job_up_again(ask, start_worker):
    worker = start_worker()
    job = ask(steps=30, seconds=0.1)
    wait_until(lambda: steps_done() >= 3, LONG_ENOUGH, "the job is in its middle")
    for child in worker.children():
        os.kill(child, signal.SIGKILL)
    ended = wait_for_end(job)
    assert (ended.state, ended.attempts, steps_done()) == (State.SUCCEEDED, 2, 30)


def test_a_worker_that_only_seemed_dead_writes_nothing_more(ask, start_worker):
    job = ask(steps=60, seconds=0.1)
    frozen = start_worker()
    wait_until(lambda: steps_done() >= 3, LONG_ENOUGH, "the job is in its middle")
    frozen.signal_all(signal.SIGSTOP)

    start_worker()
    wait_until(lambda: fresh(job).attempts == 2, LONG_ENOUGH, "the job is taken over")
    frozen.signal_all(signal.SIGCONT)
    ended = wait_for_end(job)
    assert (ended.state, ended.attempts, steps_done()) == (State.SUCCEEDED, 2, 60)
    said = "was taken over by another worker"
    wait_until(lambda: said in frozen.said(), LONG_ENOUGH, "the first worker hears of it")


def test_a_job_outlives_a_restart_of_the_database(ask, start_worker, on_postgresql):
    worker = start_worker()
    job = ask(steps=30, seconds=0.1)
    wait_until(lambda: steps_done() >= 3, LONG_ENOUGH, "the job is in its middle")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        assert cursor.fetchone()[0] >= 1
    ended = wait_for_end(job)
    assert (ended.state, ended.attempts, steps_done()) == (State.SUCCEEDED, 2, 30)
    assert not worker.is_dead()


def test_a_job_whose_message_the_broker_lost_is_sent_again(ask, broker, start_worker):
    job = ask(steps=2)
    assert broker.purge() == 1
    start_worker()
    ended = wait_for_end(job)
    assert (ended.state, ended.attempts) == (State.SUCCEEDED, 1)


def test_two_workers_with_ten_messages_do_a_job_once(ask, start_worker):
    job = ask(steps=5)
    for _ in range(9):
        dispatch(job.pk)
    start_worker()
    start_worker()
    ended = wait_for_end(job)
    assert (ended.state, ended.attempts, steps_done()) == (State.SUCCEEDED, 1, 5)
