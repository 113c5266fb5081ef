"""Jobs run at least once and take effect once, whatever happens to their worker."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import Collection
from jobs import work
from jobs.models import Job, Report, State
from web.errors import BadInput

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _kinds(monkeypatch):
    """Three kinds of job for these tests: one that writes, one that is refused, one that meets a bug."""

    def write(job, *, value):
        job.progress(1, 2)
        with job.commit() as result:
            Collection.objects.filter(pk=job.collection.pk).update(description=value)
            result["value"] = value

    def refuse(job):
        raise BadInput("line 3: no.")

    def fail(job):
        with job.step():
            Collection.objects.filter(pk=job.collection.pk).update(description="half")
            raise RuntimeError

    for function in (write, refuse, fail):
        monkeypatch.setitem(work.FUNCTIONS, function.__name__, function)


def made(collection, kind="write", **parameters) -> Job:
    return Job.objects.create(collection=collection, kind=kind, parameters=parameters)


def test_a_job_takes_effect_with_its_end(collection):
    job = made(collection, value="new")
    work.run(job.pk)
    job.refresh_from_db()
    collection.refresh_from_db()
    assert (job.state, job.result, collection.description) == (State.SUCCEEDED, {"value": "new"}, "new")


def test_a_finished_job_does_not_run_again(collection):
    job = made(collection, value="new")
    work.run(job.pk)
    Collection.objects.update(description="later")
    work.run(job.pk)
    collection.refresh_from_db()
    assert collection.description == "later"


def test_a_worker_that_was_overtaken_writes_nothing(collection):
    slow = work.Work(work.claim(made(collection, value="old").pk))
    Job.objects.update(heartbeat_at=timezone.now() - timedelta(minutes=5))
    assert work.claim(slow.job_id) is not None  # another worker
    with pytest.raises(work.LeaseLost):
        work.FUNCTIONS["write"](slow, value="old")
    collection.refresh_from_db()
    assert collection.description == ""


def test_a_job_with_a_living_worker_is_not_claimed_again(collection):
    job = made(collection, value="x")
    assert work.claim(job.pk)
    assert work.claim(job.pk) is None


def test_a_refusal_is_the_jobs_error_in_words(collection):
    job = made(collection, "refuse")
    work.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error) == (State.FAILED, "line 3: no.")


def test_a_bug_leaves_nothing_half_done(collection):
    job = made(collection, "fail")
    work.run(job.pk)
    job.refresh_from_db()
    collection.refresh_from_db()
    assert (job.state, collection.description) == (State.FAILED, "")
    assert "RuntimeError" not in job.error


def test_a_waiting_job_is_cancelled_at_once_and_a_running_one_at_its_commit(collection):
    waiting, running = made(collection, value="a"), made(collection, value="b")
    work.cancel(waiting)
    work.run(waiting.pk)
    claimed = work.Work(work.claim(running.pk))
    work.cancel(running)
    with pytest.raises(work.Cancelled):
        work.FUNCTIONS["write"](claimed, value="b")
    waiting.refresh_from_db()
    collection.refresh_from_db()
    assert (waiting.state, collection.description) == (State.CANCELLED, "")


def test_a_job_that_ends_its_worker_three_times_fails(collection):
    job = made(collection, value="x")
    for _ in range(work.MAX_ATTEMPTS):
        assert work.claim(job.pk)
        Job.objects.update(heartbeat_at=timezone.now() - timedelta(minutes=5))
    work.reap()
    job.refresh_from_db()
    assert job.state == State.FAILED


def test_a_second_press_starts_no_second_job(collection, people):
    first = work.start_once("write", collection=collection, by=people.admin, value="x")
    assert work.start_once("write", collection=collection, by=people.admin, value="x") == first
    assert work.start_once("write", collection=collection, by=people.admin, value="y") != first


def test_a_command_gets_the_error_itself(collection):
    with pytest.raises(BadInput):
        work.run_now("refuse", collection=collection)
    assert work.run_now("write", collection=collection, value="x") == {"value": "x"}
    Job.objects.all().delete()
    with pytest.raises(RuntimeError):
        work.run_now("fail", collection=collection)
    assert Job.objects.get().state == State.FAILED


def test_a_report_of_the_same_parameters_replaces_the_one_before(collection):
    Report.objects.put(collection, "table", {"n": 1}, labels="1", missing="zero")
    Report.objects.put(collection, "table", {"n": 2}, labels="2", missing="zero")
    Report.objects.put(collection, "table", {"n": 3}, labels="2", missing="exclude")
    found = Report.objects.find(collection, "table", missing="zero")
    assert (found.data, found.labels, Report.objects.count()) == ({"n": 2}, "2", 2)


def test_pages_show_and_cancel_a_job(collection, people, as_):
    client, job = as_("admin"), made(collection, value="x")
    assert job.title in client.get(reverse("jobs", args=[collection.slug])).content.decode()
    assert client.get(reverse("job", args=[collection.slug, job.pk])).status_code == 200
    assert client.post(reverse("cancel-job", args=[collection.slug, job.pk])).status_code == 302
    job.refresh_from_db()
    assert job.state == State.CANCELLED
    assert client.get(reverse("job", args=[collection.slug, uuid.uuid4()])).status_code == 404


def test_cancelling_again_changes_no_finished_job(collection):
    job = made(collection, value="x")
    work.run(job.pk)
    work.cancel(job)
    job.refresh_from_db()
    assert job.state == State.SUCCEEDED


def test_the_list_as_csv_has_jobs_that_nobody_started(collection, as_):
    Job.objects.create(collection=collection, kind="compute_agreement")
    answer = as_("admin").get(reverse("jobs", args=[collection.slug]), {"format": "csv"})
    assert b"compute_agreement,queued,," in b"".join(answer.streaming_content)
