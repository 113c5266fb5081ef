"""When a job started, ended and is looked at again, and what its row says meanwhile."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import Collection
from config.celery import app
from jobs import registry
from jobs.context import RetryLater
from jobs.lease import Cancelled
from jobs.models import Job, State
from jobs.services import claim, enqueue, reconcile, request_cancel, run
from jobs.wording import job_card
from tests.support.factories import UserFactory
from web.errors import UserFacingError

HOUR = timedelta(hours=1)


@pytest.fixture(autouse=True)
def kinds(monkeypatch):
    """A registry of the test's own, with the kind `work`."""
    monkeypatch.setattr(registry, "_handlers", {"work": lambda lease: {}})
    monkeypatch.setattr(registry, "_due_checks", [])
    monkeypatch.setattr(app, "send_task", lambda *_, **__: None)
    return registry._handlers


@pytest.fixture
def collection(db):
    return Collection.objects.create(slug="small", name="Small")


@pytest.fixture
def job(collection):
    return enqueue(kind="work", collection=collection, parameters={})


def fresh(job: Job) -> Job:
    return Job.objects.get(pk=job.pk)


def waits(lease):
    raise RetryLater("the index is being built", seconds=60)


def fails(lease):
    raise UserFacingError("no")


def stops(lease):
    raise Cancelled


def test_a_waiting_job_has_not_started(job):
    assert (job.started_at, job.finished_at, job.elapsed, job.attempts) == (None, None, None, 0)
    assert job_card(job, timezone.now()).elapsed == ""


def test_a_job_starts_when_a_worker_takes_it(job):
    before = timezone.now()
    claim(job.pk)
    running = fresh(job)

    assert before <= running.started_at <= timezone.now()
    assert before <= running.heartbeat_at <= timezone.now()
    assert (running.state, running.finished_at) == (State.RUNNING, None)


def test_a_job_that_is_taken_over_started_when_it_first_did(job):
    claim(job.pk)
    first = timezone.now() - HOUR
    Job.objects.update(started_at=first, heartbeat_at=first)
    claim(job.pk)

    assert (fresh(job).started_at, fresh(job).attempts) == (first, 2)
    assert fresh(job).heartbeat_at > first


def test_the_time_of_a_running_job_goes_on(job):
    claim(job.pk)
    Job.objects.update(started_at=timezone.now() - HOUR)

    assert HOUR <= fresh(job).elapsed < 2 * HOUR
    assert job_card(fresh(job), timezone.now()).elapsed.startswith("1 h")


@pytest.mark.parametrize(
    ("work", "state"),
    [
        (lambda lease: {"n": 1}, State.SUCCEEDED),
        (fails, State.FAILED),
        (stops, State.CANCELLED),
    ],
)
def test_the_time_of_an_ended_job_stands_still(job, kinds, work, state):
    kinds["work"] = work
    run(job.pk)
    started = timezone.now() - 3 * HOUR
    Job.objects.update(started_at=started, finished_at=started + HOUR)

    assert (fresh(job).state, fresh(job).elapsed) == (state, HOUR)


@pytest.mark.parametrize("work", [lambda lease: {}, fails, stops])
def test_an_ended_job_says_when_it_ended(job, kinds, work):
    kinds["work"] = work
    before = timezone.now()
    run(job.pk)
    ended = fresh(job)

    assert before <= ended.started_at <= ended.finished_at <= timezone.now()
    assert ended.lease is None


def test_a_job_that_ends_with_its_effect_says_when(job, kinds):
    def work(lease):
        with lease.fenced():
            lease.complete({"n": 1})

    kinds["work"] = work
    Job.objects.update(error="from the first try")
    run(job.pk)

    assert fresh(job).finished_at is not None
    assert (fresh(job).lease, fresh(job).error, fresh(job).result) == (None, "", {"n": 1})


def test_a_job_that_is_cancelled_while_it_waits_ended_without_a_start(job):
    request_cancel(job=job)

    assert fresh(job).started_at is None
    assert fresh(job).finished_at is not None


def test_a_job_says_who_asked_for_it(collection, kinds):
    person = UserFactory()
    job = enqueue(kind="work", collection=collection, parameters={}, requested_by=person)

    assert fresh(job).requested_by == person
    assert claim(job.pk).requested_by_id == person.pk


def test_a_key_is_of_one_collection(job):
    other = Collection.objects.create(slug="other", name="Other")

    theirs = enqueue(kind="work", collection=other, parameters={})
    assert theirs != job
    assert enqueue(kind="work", collection=job.collection, parameters={}) == job
    assert enqueue(kind="work", collection=other, parameters={}) == theirs
    assert Job.objects.live().count() == 2


def test_progress_is_stored_with_its_total_and_note(job):
    claim(job.pk).progress(1200, 4000, "counting")
    report = fresh(job)

    assert (report.progress_done, report.progress_total) == (1200, 4000)
    assert (report.progress_note, report.percent) == ("counting", 30)


def test_more_done_than_was_expected_is_100_percent(job):
    claim(job.pk).progress(5, 4)

    assert fresh(job).percent == 100


# Waiting for other work


def test_a_job_that_has_to_wait_does_not_count_as_tried(job, kinds):
    kinds["work"] = waits
    before = timezone.now()
    Job.objects.update(error="from an earlier try")
    run(job.pk)
    waiting = fresh(job)

    assert (waiting.state, waiting.attempts, waiting.lease) == (State.QUEUED, 0, None)
    assert (waiting.progress_note, waiting.error) == ("the index is being built", "")
    assert (waiting.dispatched_at, waiting.finished_at) == (None, None)
    assert 59 <= (waiting.waits_until - before).total_seconds() <= 120
    assert "waits for other jobs" in job_card(waiting, timezone.now()).advice


def test_a_long_reason_to_wait_is_cut(job, kinds):
    def work(lease):
        raise RetryLater("x" * 500, seconds=60)

    kinds["work"] = work
    run(job.pk)

    assert fresh(job).progress_note == "x" * 200


def test_a_job_that_waits_is_sent_when_its_time_has_come(job, kinds):
    kinds["work"] = waits
    run(job.pk)
    assert reconcile() == 0

    Job.objects.update(waits_until=timezone.now())
    assert reconcile() == 1


def test_a_job_that_waited_and_goes_on_waits_no_more(job, kinds):
    kinds["work"] = waits
    run(job.pk)
    claim(job.pk)

    assert fresh(job).waits_until is None


def test_a_job_that_would_wait_but_was_cancelled_ends(job, kinds):
    def work(lease):
        request_cancel(job=job)
        waits(lease)

    kinds["work"] = work
    run(job.pk)

    assert fresh(job).state == State.CANCELLED
    assert fresh(job).finished_at is not None


def test_a_worker_that_lost_its_job_does_not_put_it_off(job, kinds):
    def work(lease):
        Job.objects.update(heartbeat_at=timezone.now() - HOUR)
        claim(job.pk)
        waits(lease)

    kinds["work"] = work
    run(job.pk)

    assert (fresh(job).state, fresh(job).waits_until, fresh(job).attempts) == (
        State.RUNNING,
        None,
        2,
    )


def test_a_worker_that_hears_that_it_lost_its_job_leaves_it_alone(job, kinds):
    def work(lease):
        Job.objects.update(heartbeat_at=timezone.now() - HOUR)
        claim(job.pk)
        lease.progress(1, 1)

    kinds["work"] = work
    run(job.pk)

    assert (fresh(job).state, fresh(job).progress_done) == (State.RUNNING, 0)


def test_a_fence_of_one_job_touches_no_other(collection, job):
    other = enqueue(kind="work", collection=collection, parameters={}, key="other")
    for each in (job, other):
        claim(each.pk)
    Job.objects.update(heartbeat_at=timezone.now() - HOUR)
    before = fresh(other).heartbeat_at
    lease = claim(job.pk)
    with lease.fenced():
        pass
    lease.beat(progress_done=7)
    with lease.fenced():
        lease.complete({})

    assert (fresh(other).state, fresh(other).progress_done) == (State.RUNNING, 0)
    assert fresh(other).heartbeat_at == before
    assert fresh(job).state == State.SUCCEEDED
