"""Real worker processes, killed at the worst moment: each job ends once."""

from __future__ import annotations

import json
import os
import signal

import pytest
from django.db import connection

from accounts.models import Collection, User
from jobs.models import Job, State, WorkerProcess
from jobs.services import dispatch, enqueue
from tests.support.running import wait_until
from tests.support.slow_jobs import BUSY_KIND, ENOUGH, FREEZING_KIND, FROZEN, KIND

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]

LONG_ENOUGH = 60  # seconds; what is waited for takes a few on an idle machine


@pytest.fixture
def ask(transactional_db, broker):
    collection = Collection.objects.create(slug="small", name="Small")

    def ask(*, steps: int = 0, seconds: float = 0.05, kind: str = KIND, **more: str) -> Job:
        parameters = {"steps": steps, "seconds": seconds, **more}
        return enqueue(kind=kind, collection=collection, parameters=parameters)

    return ask


def steps_done() -> int:
    return User.objects.filter(username__startswith="step-").count()


def wait_for_end(job: Job) -> Job:
    wait_until(lambda: not fresh(job).is_live, LONG_ENOUGH, f"{job} ends")
    return fresh(job)


def fresh(job: Job) -> Job:
    return Job.objects.get(pk=job.pk)


def test_a_worker_does_what_was_asked(ask, start_worker):
    worker = start_worker(LOG_FORMAT="json")
    job = wait_for_end(ask(steps=3))
    assert (job.state, job.error, job.attempts) == (State.SUCCEEDED, "", 1)
    assert job.result["steps"] == steps_done() == 3

    wait_until(WorkerProcess.objects.exists, LONG_ENOUGH, "the worker is seen")
    assert WorkerProcess.objects.get().name.endswith(f":{worker.process.pid}")
    failed = wait_for_end(ask(steps="three"))
    lines = [json.loads(line) for line in worker.log_text().splitlines() if line.startswith("{")]
    (error,) = [line for line in lines if "error" in line]
    assert (error["job_id"], error["logger"]) == (str(failed.pk), "jobs.services")
    assert {"celery.worker.strategy", "celery.app.trace"} <= {line["logger"] for line in lines}


def test_a_new_job_is_done_after_any_process_of_an_idle_worker_was_killed(ask, start_worker):
    worker = start_worker(options=["-c", "2"])
    for number, process in enumerate([*worker.children(), worker.process.pid], start=1):
        os.kill(process, signal.SIGKILL)
        if process == worker.process.pid:
            worker.wait(LONG_ENOUGH)
            start_worker()  # as its supervisor does
        ended = wait_for_end(ask(steps=number))
        assert (ended.state, ended.attempts, steps_done()) == (State.SUCCEEDED, 1, number)


def test_an_idle_worker_ends_on_sigterm_whatever_was_killed_before(ask, start_worker):
    worker = start_worker(options=["-c", "2"])
    for process in worker.children():
        os.kill(process, signal.SIGKILL)
    worker.process.terminate()
    assert worker.wait(LONG_ENOUGH) == 0


@pytest.mark.parametrize("broker", ["filesystem"], indirect=True)
def test_a_job_goes_back_into_the_queue_when_its_worker_is_asked_to_stop(ask, start_worker):
    job = ask(steps=30, seconds=0.1)
    worker = start_worker()
    wait_until(lambda: steps_done() >= 3, LONG_ENOUGH, "the job is in its middle")
    worker.process.terminate()
    assert worker.wait(LONG_ENOUGH) == 0
    stopped_job = fresh(job)
    assert (stopped_job.state, stopped_job.attempts, steps_done() < 30) == (State.QUEUED, 0, True)
    assert stopped_job.progress_note == "waits for a worker, because the previous one was stopped"

    start_worker()
    ended = wait_for_end(job)
    assert (ended.state, ended.attempts, steps_done()) == (State.SUCCEEDED, 1, 30)


@pytest.mark.parametrize("broker", ["filesystem"], indirect=True)
@pytest.mark.parametrize("kind", [KIND, BUSY_KIND])
def test_a_worker_leaves_a_job_behind_that_does_not_hear_that_it_stops(ask, start_worker, kind):
    job = ask(steps=1, seconds=100 * LONG_ENOUGH, kind=kind)
    worker = start_worker(JOB_STOP_SECONDS="1")
    wait_until(lambda: fresh(job).state == State.RUNNING, LONG_ENOUGH, "the job runs")
    worker.process.terminate()
    assert worker.wait(LONG_ENOUGH) == 1
    assert "a job still runs 1 s after SIGTERM: exiting;" in worker.log_text()

    start_worker()
    wait_until(lambda: fresh(job).attempts == 2, LONG_ENOUGH, "the next worker takes it over")


@pytest.mark.parametrize("broker", ["filesystem"], indirect=True)
def test_a_job_that_only_computes_starves_neither_heartbeat_nor_reconciler(ask, start_worker):
    start_worker()
    busy = ask(kind=BUSY_KIND)
    wait_until(lambda: fresh(busy).state == State.RUNNING, LONG_ENOUGH, "the job runs")
    waiting = ask(steps=1)
    first_sent = fresh(waiting).dispatched_at
    wait_until(lambda: fresh(waiting).dispatched_at > first_sent, LONG_ENOUGH, "it is sent again")
    for _ in range(3):
        beat = fresh(busy).heartbeat_at
        wait_until(lambda before=beat: fresh(busy).heartbeat_at > before, LONG_ENOUGH, "a beat")
    User.objects.create(username=ENOUGH)
    assert [wait_for_end(job).attempts for job in (busy, waiting)] == [1, 1]


def test_a_worker_that_hears_nothing_exits_with_words(ask, start_worker):
    # It exits after four times as long.
    options = ["--queues", "of-another-installation"]
    worker = start_worker(options=options, JOB_STALE_SECONDS="2")
    job = ask(steps=1)
    assert worker.wait(LONG_ENOUGH) == 1
    assert "receives none of the 1 waiting jobs" in worker.log_text()
    wait_until(lambda: not worker.group(), LONG_ENOUGH, "nothing of it is left")

    start_worker()
    assert wait_for_end(job).attempts == 1


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


@pytest.mark.parametrize("broker", ["redis"], indirect=True)
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
    message = "was taken over by another worker"
    wait_until(lambda: message in frozen.log_text(), LONG_ENOUGH, "the first worker hears of it")


@pytest.mark.parametrize("place", ["between statements", "in a COPY"])
def test_a_worker_frozen_in_the_middle_of_a_transaction_is_replaced(
    ask, start_worker, on_postgresql, place
):
    job = ask(kind=FREEZING_KIND, place=place)
    frozen = start_worker(DATABASE_IDLE_SECONDS="2")
    wait_until(User.objects.filter(username=FROZEN).exists, LONG_ENOUGH, "the job has begun")
    start_worker(DATABASE_IDLE_SECONDS="2")
    ended = wait_for_end(job)
    assert (ended.state, ended.attempts, ended.result) == (State.SUCCEEDED, 2, {"groups": 3})

    frozen.signal_all(signal.SIGCONT)
    messages = "was taken over by another worker", "lost the database"
    wait_until(
        lambda: any(words in frozen.log_text() for words in messages),
        LONG_ENOUGH,
        "the first one hears",
    )
    assert (steps_done(), fresh(job).result) == (1, {"groups": 3})


def test_on_sqlite_a_worker_frozen_in_a_transaction_must_be_killed(ask, start_worker, on_sqlite):
    job = ask(kind=FREEZING_KIND, place="between statements")
    frozen = start_worker()
    wait_until(User.objects.filter(username=FROZEN).exists, LONG_ENOUGH, "the job has begun")
    start_worker()
    frozen.kill()
    ended = wait_for_end(job)
    assert (ended.state, ended.attempts, ended.result) == (State.SUCCEEDED, 2, {"groups": 3})


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
        dispatch(job.pk, job.kind)
    start_worker()
    start_worker()
    ended = wait_for_end(job)
    assert (ended.state, ended.attempts, steps_done()) == (State.SUCCEEDED, 1, 5)
