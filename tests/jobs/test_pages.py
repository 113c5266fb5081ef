import uuid
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from jobs import registry, wording
from jobs.models import Job, State
from tests.support.factories import a_collection
from tests.support.visits import csv_rows

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def kinds(monkeypatch):
    monkeypatch.setattr(registry, "_handlers", {"work": lambda lease: {}})
    monkeypatch.setattr(registry, "_kinds", {"work": registry.JobKind("Do the work")})


@pytest.fixture
def admin(collection):
    client = Client()
    client.force_login(User.objects.get(username="admin"))
    return client


def a_job(collection, state=State.RUNNING, **fields):
    lease = uuid.uuid4() if state == State.RUNNING else None
    fields = {"kind": "work", "key": str(uuid.uuid4()), "started_at": timezone.now()} | fields
    return Job.objects.create(collection=collection, state=state, lease=lease, **fields)


def at(name, job):
    return reverse(name, args=[job.collection.slug, job.pk])


def test_a_running_job_shows_how_far_it_is_and_asks_again(collection, admin):
    job = a_job(collection, progress_done=1200, progress_total=4000, progress_note="counting")

    page = admin.get(at("job", job))

    assert "Do the work" in page.text
    assert "30 % · 1,200 of 4,000 · counting" in " ".join(page.text.split())
    assert 'hx-trigger="every 1s"' in page.text
    assert "django_htmx/htmx" in page.text
    assert '<noscript><meta http-equiv="refresh"' in page.text  # without scripts


def test_a_job_of_unknown_length_shows_no_percentage(collection, admin):
    job = a_job(collection)

    assert "<progress aria-label" in admin.get(at("job", job)).text


def test_the_card_of_an_ended_job_stops_asking(collection, admin):
    job = a_job(collection, State.SUCCEEDED, result={"created": 1200, "unknown_keys": ["doi"]})

    card = admin.get(at("job-card", job), headers={"HX-Request": "true"})

    assert "every 1s" not in card.text
    assert 'http-equiv="refresh"' not in admin.get(at("job", job)).text
    assert "<html" not in card.text
    assert "1,200" in card.text
    assert "unknown keys" in card.text
    assert "no-store" in card["Cache-Control"]


def test_the_card_of_an_ended_job_fetches_its_page_again_and_brings_a_toast(collection, admin):
    job = a_job(collection, State.SUCCEEDED)
    seen_on = {"HX-Request": "true", "HX-Current-URL": "http://testserver/c/small/runs/?q=a"}

    card = admin.get(at("job-card", job), headers=seen_on)

    assert 'hx-get="/c/small/runs/?q=a"' in card.text
    assert '<div id="toasts" hx-swap-oob="beforeend">' in card.text
    assert "Do the work:</strong> done" in " ".join(card.text.split())


def test_a_card_never_fetches_a_page_of_another_server(collection, admin):
    job = a_job(collection, State.SUCCEEDED)
    elsewhere = {"HX-Request": "true", "HX-Current-URL": "http://elsewhere.example/c/small/"}

    assert "hx-get" not in admin.get(at("job-card", job), headers=elsewhere).text


@pytest.mark.parametrize(
    ("done", "seconds", "left"),
    [
        (1000, 60, "about 3 min 0 s left"),
        (1000, 2, None),  # too early to say
        (40, 60, None),
        (4000, 60, None),
    ],
)
def test_a_running_job_says_how_long_it_still_takes(collection, admin, done, seconds, left):
    started_at = timezone.now() - timedelta(seconds=seconds, milliseconds=1)
    job = a_job(collection, progress_done=done, progress_total=4000, started_at=started_at)

    text = " ".join(admin.get(at("job", job)).text.split())

    assert (left or "") in text
    assert ("left" in text) == (left is not None)


def test_a_failed_job_says_what_happened_what_is_safe_and_offers_another_try(collection, admin):
    job = a_job(collection, State.FAILED, error="docs.jsonl:41: <b>wrong</b>")

    page = admin.get(at("job", job))

    assert "docs.jsonl:41: &lt;b&gt;wrong" in page.text
    assert "No partial result was saved" in page.text
    assert at("try-job-again", job) in page.text


def test_cancelling_a_waiting_job_ends_it(collection, admin):
    job = a_job(collection, State.QUEUED)

    page = admin.post(at("cancel-job", job), follow=True)

    job.refresh_from_db()
    assert job.state == State.CANCELLED
    assert "Cancelled" in page.text


def test_cancelling_a_running_job_asks_it_to_stop(collection, admin):
    job = a_job(collection)

    page = admin.post(at("cancel-job", job), follow=True)

    job.refresh_from_db()
    assert job.cancel_requested
    assert "Stopping" in page.text


def test_cancelling_an_ended_job_says_so(collection, admin):
    job = a_job(collection, State.SUCCEEDED)

    page = admin.post(at("cancel-job", job), follow=True)

    assert "had already finished" in page.text


def test_trying_again_is_a_new_job_with_the_same_parameters(collection, admin):
    job = a_job(collection, State.FAILED, parameters={"path": "p"}, key="the same")

    answer = admin.post(at("try-job-again", job))

    again = collection.jobs.exclude(pk=job.pk).get()
    assert answer.url == at("job", again)
    assert (again.kind, again.parameters, again.key) == ("work", {"path": "p"}, "the same")
    assert again.requested_by.username == "admin"


def test_trying_again_while_another_runs_leads_to_that_one(collection, admin):
    job = a_job(collection, State.FAILED, key="one at a time")
    running = a_job(collection, key="one at a time")

    answer = admin.post(at("try-job-again", job))

    assert answer.url == at("job", running)


def test_a_live_job_is_not_started_twice(collection, admin):
    job = a_job(collection)

    admin.post(at("try-job-again", job))

    assert collection.jobs.count() == 1


def test_a_job_of_a_kind_that_is_gone_cannot_run_again(collection, admin):
    job = a_job(collection, State.FAILED, kind="gone")

    page = admin.post(at("try-job-again", job), follow=True)

    assert "Unknown job kind &#x27;gone&#x27;" in page.text


def test_a_job_of_another_collection_is_not_there(collection, admin):
    theirs = a_job(a_collection("other"))

    assert admin.get(reverse("job", args=["small", theirs.pk])).status_code == 404
    assert admin.post(reverse("cancel-job", args=["small", theirs.pk])).status_code == 404
    theirs.refresh_from_db()
    assert not theirs.cancel_requested


def test_the_list_costs_the_same_for_one_job_and_for_many(
    collection, admin, django_assert_num_queries
):
    someone = User.objects.get(username="ann1")
    for _ in range(5):
        a_job(collection, State.FAILED, requested_by=someone, finished_at=timezone.now())
        a_job(collection, requested_by=someone)

    with django_assert_num_queries(10):
        page = admin.get(reverse("jobs", args=["small"]))

    assert page.text.count('hx-get="/c/small/jobs/') == 5


def test_an_empty_list_says_what_will_be_here(collection, admin):
    assert "No job yet" in admin.get(reverse("jobs", args=["small"])).text


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "0 s"), (59, "59 s"), (200, "3 min 20 s"), (7500, "2 h 5 min"), (-3, "0 s")],
)
def test_durations_are_said_in_words(seconds, words):
    assert wording.duration(timedelta(seconds=seconds)) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (1204, "1,204"),
        (True, "yes"),
        (0.5, "0.50"),
        ("a" * 64, "aaaaaaaaaaaa…"),
        (["doi", "pdf"], "doi, pdf"),
        (list(range(10)), "0, 1, 2, 3, 4, 5, 6, 7 and 2 more"),
        ({"deep": 1}, ""),
        (None, ""),
        ([], ""),
    ],
)
def test_result_values_are_said_in_words_or_left_to_programs(value, words):
    assert wording.in_words(value) == words


def test_a_job_that_waits_long_says_what_may_be_the_matter(collection):
    job = a_job(collection, State.QUEUED)
    job.created_at = NOW - timedelta(minutes=1)

    assert "start a worker" in wording.advice(job, NOW)
    assert wording.advice(job, job.created_at) == ""


# Filters, pages and the file


def test_finished_jobs_have_pages_the_newest_first(collection, admin):
    for _ in range(52):
        a_job(collection, State.SUCCEEDED, finished_at=timezone.now())

    first = admin.get(reverse("jobs", args=["small"])).context["page"]
    second = admin.get(first.after).context["page"]

    newest = [job.pk for job in collection.jobs.order_by("-created_at")]
    assert [job.pk for job in (*first.rows, *second.rows)] == newest
    assert (second.first, second.last, second.after) == (51, 52, "")
    assert admin.get(second.before).context["page"] == first


@pytest.mark.parametrize("asked", [{"after": "x"}, {"before": str(uuid.UUID(int=1)), "at": "x"}])
def test_an_address_of_no_page_of_jobs_gives_the_first(collection, admin, asked):
    a_job(collection, State.FAILED, finished_at=timezone.now())

    assert admin.get(reverse("jobs", args=["small"]), asked).context["page"].total == 1


def test_jobs_are_filtered_by_state_and_kind_and_found_by_file(collection, admin):
    parameters = {"filename": "new.run"}
    done = a_job(collection, State.SUCCEEDED, kind="import_run", parameters=parameters)
    failed = a_job(collection, State.FAILED, error="The file is damaged.", parameters={})

    def found(**asked):
        answer = admin.get(reverse("jobs", args=["small"]), {**asked, "format": "csv"})
        lines = csv_rows(answer)
        return [line["id"] for line in lines]

    assert found(state="failed") == found(kind="work") == found(q="damaged") == [str(failed.pk)]
    assert found(q="new.RUN") == found(kind="import_run") == [str(done.pk)]
    assert found(kind="import_run", state="failed") == []
    page = admin.get(reverse("jobs", args=["small"]), {"q": "nothing"})
    assert "No finished job matches." in page.text
