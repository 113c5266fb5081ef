"""Jobs as rows, in one process. What real workers do is in test_worker.py."""

from __future__ import annotations

import threading
import time
import uuid
from contextlib import suppress
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import IntegrityError, OperationalError, connection
from django.utils import timezone

from accounts.models import Collection, User
from config.celery import app
from jobs import registry, services
from jobs.context import RetryLater
from jobs.lease import Cancelled, LeaseLost, heartbeat
from jobs.models import Job, State
from jobs.services import claim, enqueue, reconcile, request_cancel, run
from jobs.wording import advice
from tests.support.running import sending_through, wait_until
from web.errors import UserFacingError

LONG_AGO = timedelta(hours=1)


@pytest.fixture(autouse=True)
def kinds(monkeypatch):
    """A registry of the test's own; the kind `work` does what the test puts in here."""
    monkeypatch.setattr(registry, "_handlers", {"work": lambda lease: {}})
    monkeypatch.setattr(registry, "_due_checks", [])
    return registry._handlers


@pytest.fixture
def collection(db):
    return Collection.objects.create(slug="small", name="Small")


@pytest.fixture
def messages(monkeypatch):
    """The ids sent to the broker, instead of a broker."""
    sent = []
    monkeypatch.setattr(app, "send_task", lambda name, args, **_: sent.append(uuid.UUID(args[0])))
    return sent


@pytest.fixture
def job(collection, messages, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        return enqueue(kind="work", collection=collection, parameters={"n": 3})


def fresh(job: Job) -> Job:
    return Job.objects.get(pk=job.pk)


def let_time_pass(job: Job) -> None:
    """As if no heartbeat or message of the job was sent for an hour."""
    then = timezone.now() - LONG_AGO
    Job.objects.filter(pk=job.pk).update(dispatched_at=then)
    Job.objects.filter(pk=job.pk, state=State.RUNNING).update(heartbeat_at=then)


class TestEnqueue:
    def test_a_job_is_sent_once_it_is_committed(self, collection, messages, db):
        job = enqueue(kind="work", collection=collection, parameters={})
        assert messages == []
        assert job.state == State.QUEUED

    def test_committing_sends_it(self, job, messages):
        assert messages == [job.pk]
        assert fresh(job).dispatched_at is not None

    def test_a_live_job_with_the_same_key_is_returned(self, job, collection):
        again = enqueue(kind="work", collection=collection, parameters={"n": 9})
        assert again == job
        assert Job.objects.count() == 1

    def test_another_key_is_another_job(self, job, collection):
        assert enqueue(kind="work", collection=collection, parameters={}, key="other") != job

    def test_an_ended_job_does_not_stand_in_the_way(self, job, collection):
        run(job.pk)
        assert enqueue(kind="work", collection=collection, parameters={}) != job

    def test_an_unknown_kind_is_refused_before_a_row_exists(self, collection):
        with pytest.raises(registry.UnknownKind, match="'nothing'"):
            enqueue(kind="nothing", collection=collection, parameters={})
        assert not Job.objects.exists()

    def test_an_integrity_error_that_is_not_the_keys_is_raised(self, collection, monkeypatch):
        def refuse(**_):
            raise IntegrityError("something else")

        monkeypatch.setattr(Job.objects, "create", refuse)
        with pytest.raises(IntegrityError, match="something else"):
            enqueue(kind="work", collection=collection, parameters={})

    def test_parameters_come_back_as_they_were(self, job):
        assert fresh(job).parameter("n") == 3


class TestRun:
    def test_the_result_is_kept(self, job, kinds):
        kinds["work"] = lambda lease: {"seen": lease.parameters["n"]}
        run(job.pk)
        done = fresh(job)
        assert (done.state, done.result, done.error) == (State.SUCCEEDED, {"seen": 3}, "")
        assert done.lease is None
        assert done.finished_at is not None

    def test_a_second_message_for_the_same_job_does_nothing(self, job, kinds):
        calls = []
        kinds["work"] = lambda lease: calls.append(lease) or {}
        run(job.pk)
        run(job.pk)
        assert len(calls) == 1
        assert fresh(job).attempts == 1

    def test_a_message_for_a_row_that_is_gone_does_nothing(self, db):
        run(uuid.uuid4())

    def test_an_expected_failure_keeps_its_words(self, job, kinds):
        kinds["work"] = raising(UserFacingError("papers.jsonl, line 3: no title"))
        run(job.pk)
        assert fresh(job).state == State.FAILED
        assert fresh(job).error == "papers.jsonl, line 3: no title"

    def test_a_surprise_is_named_and_logged(self, job, kinds, caplog):
        kinds["work"] = raising(ZeroDivisionError("division by zero"))
        run(job.pk)
        assert fresh(job).error == "ZeroDivisionError: division by zero"
        assert f"job {job.pk} failed" in caplog.text

    def test_a_result_that_is_no_json_is_a_failure(self, job, kinds):
        kinds["work"] = lambda lease: {"papers": {1, 2}}
        run(job.pk)
        assert fresh(job).state == State.FAILED
        assert "not JSON serializable" in fresh(job).error

    def test_a_failure_may_quote_what_no_database_stores(self, job, kinds):
        kinds["work"] = raising(UserFacingError("a title with \0 in it"))
        run(job.pk)
        assert fresh(job).error == "a title with  in it"

    def test_a_kind_this_worker_does_not_know_is_a_failure_that_says_so(self, job, kinds):
        kinds.clear()
        run(job.pk)
        assert fresh(job).state == State.FAILED
        assert "Unknown job kind 'work'" in fresh(job).error

    @pytest.mark.django_db(transaction=True)
    def test_losing_the_database_puts_the_job_back(self, job, kinds):
        kinds["work"] = raising(OperationalError("server closed the connection"))
        run(job.pk)
        waiting = fresh(job)
        assert (waiting.state, waiting.lease) == (State.QUEUED, None)
        kinds["work"] = lambda lease: {"ok": True}
        run(job.pk)
        assert (fresh(job).state, fresh(job).error) == (State.SUCCEEDED, "")


class TestProgress:
    def test_the_last_report_always_lands(self, job, kinds):
        seen = []

        def work(lease):
            for step in (1, 2, 3):
                lease.progress(step, 3, f"step {step}")
                seen.append(fresh(job).progress_done)
            return {}

        kinds["work"] = work
        run(job.pk)
        assert seen == [1, 1, 3]  # reports in a rush are not all worth a write
        assert fresh(job).progress_note == "step 3"
        assert fresh(job).percent == 100

    def test_a_long_note_is_cut(self, job):
        claim(job.pk).progress(1, 2, "x" * 500)
        assert len(fresh(job).progress_note) == 200

    def test_without_a_total_there_is_no_percentage(self, job):
        claim(job.pk).progress(1, None)
        assert fresh(job).percent is None


class TestCancel:
    def test_a_waiting_job_ends_at_once(self, job):
        request_cancel(job=job)
        assert fresh(job).state == State.CANCELLED
        assert claim(job.pk) is None

    def test_a_running_job_ends_at_its_next_report(self, job, kinds):
        def work(lease):
            request_cancel(job=job)
            lease.progress(1, 2)
            raise AssertionError("went on")

        kinds["work"] = work
        run(job.pk)
        assert fresh(job).state == State.CANCELLED

    def test_a_running_job_writes_nothing_more(self, job):
        lease = claim(job.pk)
        request_cancel(job=job)
        with pytest.raises(Cancelled), lease.fenced():
            raise AssertionError("wrote")

    def test_an_ended_job_stays_as_it_ended(self, job):
        run(job.pk)
        request_cancel(job=job)
        assert fresh(job).state == State.SUCCEEDED

    def test_a_dead_workers_job_ends_when_it_would_be_taken_over(self, job):
        claim(job.pk)
        request_cancel(job=job)
        let_time_pass(job)
        assert claim(job.pk) is None
        assert fresh(job).state == State.CANCELLED


class TestLease:
    def test_a_job_at_work_cannot_be_claimed(self, job):
        assert claim(job.pk) is not None
        assert claim(job.pk) is None

    def test_a_silent_workers_job_can(self, job):
        first = claim(job.pk)
        let_time_pass(job)
        second = claim(job.pk)
        assert second.token != first.token
        assert fresh(job).attempts == 2

    def test_a_lost_lease_cannot_write(self, job):
        first = claim(job.pk)
        let_time_pass(job)
        claim(job.pk)
        with pytest.raises(LeaseLost), first.fenced():
            User.objects.create(username="late")
        with pytest.raises(LeaseLost):
            first.progress(1, 2)
        assert not User.objects.filter(username="late").exists()

    def test_a_lost_lease_cannot_end_the_job(self, job, kinds):
        def work(lease):
            let_time_pass(job)
            claim(job.pk)
            return {"from": "the worker that was too slow"}

        kinds["work"] = work
        run(job.pk)
        assert (fresh(job).state, fresh(job).result) == (State.RUNNING, None)

    def test_a_fence_undoes_what_failed_within(self, job):
        with suppress(UserFacingError), claim(job.pk).fenced():
            User.objects.create(username="half")
            raise UserFacingError("no")
        assert not User.objects.filter(username="half").exists()

    def test_a_job_may_end_in_the_transaction_of_its_effect(self, job, kinds, caplog):
        def work(lease):
            with lease.fenced():
                User.objects.create(username="effect")
                lease.complete({"made": 1})
            return {}

        kinds["work"] = work
        run(job.pk)
        assert (fresh(job).state, fresh(job).result) == (State.SUCCEEDED, {"made": 1})
        assert caplog.text == ""

    def test_an_effect_that_fails_takes_the_end_with_it(self, job, kinds):
        def work(lease):
            with lease.fenced():
                User.objects.create(username="effect")
                lease.complete({"made": 1})
                raise UserFacingError("at the last moment")

        kinds["work"] = work
        run(job.pk)
        assert (fresh(job).state, fresh(job).result) == (State.FAILED, None)
        assert not User.objects.exists()

    def test_a_long_fence_leaves_a_fresh_heartbeat_behind(self, job):
        lease = claim(job.pk)
        let_time_pass(job)
        with lease.fenced():
            pass
        assert claim(job.pk) is None

    def test_a_beat_never_turns_the_clock_back(self, job):
        lease = claim(job.pk)
        later = timezone.now() + LONG_AGO
        Job.objects.filter(pk=job.pk).update(heartbeat_at=later)
        lease.beat()
        assert fresh(job).heartbeat_at == later

    def test_a_job_whose_worker_always_dies_is_given_up(self, job):
        for _ in range(services.MAX_ATTEMPTS):
            assert claim(job.pk) is not None
            let_time_pass(job)
        assert claim(job.pk) is None
        assert fresh(job).state == State.FAILED
        assert fresh(job).error.startswith("Gave up after 5 attempts")

    def test_what_went_wrong_last_is_told_when_it_is_given_up(self, job):
        Job.objects.filter(pk=job.pk).update(attempts=5, error="disk I/O error")
        claim(job.pk)
        assert fresh(job).error.endswith("disk I/O error")


class TestReconcile:
    def test_what_was_sent_a_moment_ago_is_left_alone(self, job, messages):
        assert reconcile() == 0
        assert messages == [job.pk]

    def test_what_the_broker_lost_is_sent_again_once(self, job, messages):
        let_time_pass(job)
        assert reconcile() == 1
        assert reconcile() == 0
        assert messages == [job.pk, job.pk]

    def test_what_the_broker_never_took_is_sent_at_the_next_tick(self, job, messages):
        Job.objects.update(dispatched_at=None)
        assert reconcile() == 1

    def test_a_job_at_work_is_left_alone_however_long_ago_it_was_sent(self, job, messages):
        claim(job.pk)
        Job.objects.update(dispatched_at=timezone.now() - LONG_AGO)
        assert reconcile() == 0

    def test_a_dead_workers_job_is_sent_again_but_not_at_every_tick(self, job, messages):
        claim(job.pk)
        let_time_pass(job)
        assert reconcile() == 1
        assert reconcile() == 0
        assert claim(job.pk) is not None

    def test_ended_jobs_stay_ended(self, job):
        run(job.pk)
        let_time_pass(job)
        assert reconcile() == 0

    def test_a_failing_question_keeps_no_other_from_being_asked(self, job, messages, caplog):
        asked = []
        registry.due_check(raising_check)
        registry.due_check(lambda: asked.append(True))
        let_time_pass(job)
        assert reconcile() == 1
        assert asked == [True]
        assert "raising_check failed" in caplog.text

    def test_a_broker_that_is_down_is_asked_once_per_round(self, collection, monkeypatch):
        tried = []

        def refuse(name, args, **_):
            tried.append(args)
            raise ConnectionError("refused")

        monkeypatch.setattr(app, "send_task", refuse)
        for number in range(3):
            enqueue(kind="work", collection=collection, parameters={}, key=str(number))
        assert reconcile() == 0
        assert len(tried) == 1
        assert not Job.objects.exclude(dispatched_at=None).exists()

    def test_the_command_says_how_many_were_sent(self, job, messages, capsys):
        let_time_pass(job)
        call_command("reconcile_jobs")
        assert capsys.readouterr().out == "1 job sent again\n"


@pytest.mark.django_db(transaction=True)
def test_a_request_does_not_fail_when_the_broker_is_down(collection):
    with sending_through(app, url="redis://127.0.0.1:1", options={"max_retries": 0}):
        job = enqueue(kind="work", collection=collection, parameters={})
    assert (fresh(job).state, fresh(job).dispatched_at) == (State.QUEUED, None)


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_many_messages_at_once_start_a_job_once(job):
    claims = at_once(lambda: claim(job.pk), threads=8)
    assert sum(lease is not None for lease in claims) == 1
    assert fresh(job).attempts == 1


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_many_requests_at_once_make_one_job(collection, messages):
    jobs = at_once(lambda: enqueue(kind="work", collection=collection, parameters={}), threads=8)
    assert len(set(jobs)) == 1
    assert messages == [jobs[0].pk]


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_no_claim_waits_for_a_row_that_its_worker_is_writing_to(job, on_postgresql):
    lease = claim(job.pk)
    let_time_pass(job)
    with lease.fenced():
        assert at_once(lambda: claim(job.pk), threads=2) == [None, None]


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_no_reconciler_waits_for_a_row_that_its_worker_is_writing_to(
    job, collection, messages, on_postgresql
):
    lease = claim(job.pk)
    let_time_pass(job)
    other = enqueue(kind="work", collection=collection, parameters={}, key="other")
    let_time_pass(other)
    with lease.fenced():
        assert at_once(reconcile, threads=1) == [1]
    assert messages[-1] == other.pk


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_the_heart_beats_while_the_handler_computes(job, settings):
    settings.JOB_HEARTBEAT_SECONDS = 0.05
    lease = claim(job.pk)
    let_time_pass(job)
    with heartbeat(lease):
        wait_until(lambda: fresh(job).heartbeat_at > timezone.now() - LONG_AGO / 2, 10)
    assert claim(job.pk) is None


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_the_heart_beats_on_after_a_cancellation_the_handler_has_not_heard(job, settings):
    settings.JOB_HEARTBEAT_SECONDS = 0.05
    lease = claim(job.pk)
    with heartbeat(lease):
        request_cancel(job=job)
        for _ in range(2):
            let_time_pass(job)
            wait_until(lambda: fresh(job).heartbeat_at > timezone.now() - LONG_AGO / 2, 10)


def raising(error: Exception):
    def work(lease):
        raise error

    return work


def raising_check():
    raise RuntimeError("this question is broken")


def at_once(call, threads: int) -> list:
    """The results of the same call from several threads that start together."""
    results, together = [], threading.Barrier(threads)

    def run_call():
        try:
            together.wait()
            results.append(call())
        finally:
            connection.close()

    running = [threading.Thread(target=run_call) for _ in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    assert len(results) == threads, "a thread failed"
    return results


class TestNotYet:
    """A job that waits for another gives its worker back."""

    @pytest.fixture
    def waiting(self, job, kinds):
        kinds["work"] = raising(RetryLater("waits for another", seconds=30))
        run(job.pk)
        return job

    def test_it_goes_back_into_the_queue_without_counting_an_attempt(self, waiting):
        row = fresh(waiting)
        assert (row.state, row.attempts, row.lease) == (State.QUEUED, 0, None)
        assert row.progress_note == "waits for another"

    def test_it_may_wait_any_number_of_times(self, waiting):
        for _ in range(3 * services.MAX_ATTEMPTS):
            run(waiting.pk)
        assert fresh(waiting).state == State.QUEUED

    def test_it_is_sent_again_when_its_time_has_come_and_no_sooner(self, waiting, messages):
        messages.clear()
        assert reconcile() == 0
        Job.objects.filter(pk=waiting.pk).update(waits_until=timezone.now())
        assert reconcile() == 1
        assert messages == [waiting.pk]

    def test_it_ends_like_any_other_once_it_need_not_wait(self, waiting, kinds):
        kinds["work"] = lambda lease: {"ok": True}
        run(waiting.pk)
        row = fresh(waiting)
        assert (row.state, row.attempts, row.waits_until) == (State.SUCCEEDED, 1, None)

    def test_it_can_be_cancelled_while_it_waits(self, waiting):
        request_cancel(job=waiting)
        assert fresh(waiting).state == State.CANCELLED
        assert reconcile() == 0

    def test_cancelling_as_it_puts_itself_off_ends_it(self, job, kinds):
        def work(lease):
            request_cancel(job=job)
            raise RetryLater("waits for another", seconds=30)

        kinds["work"] = work
        run(job.pk)
        assert fresh(job).state == State.CANCELLED

    def test_a_worker_that_lost_the_job_puts_nothing_off(self, job, kinds):
        def work(lease):
            let_time_pass(job)
            claim(job.pk)
            raise RetryLater("waits for another", seconds=30)

        kinds["work"] = work
        run(job.pk)
        assert (fresh(job).state, fresh(job).waits_until) == (State.RUNNING, None)

    def test_its_card_says_that_it_goes_on_by_itself(self, waiting):
        assert "continues automatically" in advice(fresh(waiting), timezone.now())


@pytest.mark.django_db(transaction=True)
def test_a_job_that_reads_row_by_row_reports_its_progress(job, kinds, settings):
    """On SQLite, its connection could not write after a heartbeat of another one."""
    settings.JOB_HEARTBEAT_SECONDS = 0.02
    User.objects.bulk_create(User(username=f"u{number}") for number in range(30))

    def read(lease):
        for number, _ in enumerate(User.objects.iterator(chunk_size=1), start=1):
            time.sleep(0.05)  # for a heartbeat or two; the test needs only a few of them in time
            lease._last_report = 0  # as if a second had passed
            lease.progress(number, None)
        return {}

    kinds["work"] = read
    run(job.pk)

    assert (fresh(job).state, fresh(job).error, fresh(job).attempts) == (State.SUCCEEDED, "", 1)
    assert fresh(job).progress_done == 30
