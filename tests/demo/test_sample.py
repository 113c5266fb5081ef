"""The sample data as a job: complete, continued after a stop, and never added to other data."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.models import Collection, Role
from annotation.models import Guideline, Opening
from config.celery import app
from corpus.documents.importing import import_documents
from corpus.facets import DEFAULT_FACETS, NO_FACETS
from corpus.topics.importing import import_topics
from corpus.topics.queries import add_query_list
from demo import sample
from demo.sample import NotEmpty, OtherFacets, load_sample, request_sample
from jobs.context import DirectRun
from jobs.lease import Cancelled
from jobs.models import Job, State
from jobs.services import claim, enqueue, request_cancel, run
from jobs.wording import job_card
from pooling.models import Pool
from retrieval.services import import_run
from tests.support.factories import DocumentFactory, UserFactory, a_collection
from tests.support.running import wait_until
from tests.support.visits import address, client_of, text_of

pytestmark = pytest.mark.django_db

FILES = settings.BASE_DIR / "static" / "samples"


@pytest.fixture(autouse=True)
def _no_broker(request, monkeypatch):
    if "start_worker" not in request.fixturenames:
        monkeypatch.setattr(app, "send_task", lambda *_, **__: None)


@pytest.fixture
def alone():
    """A collection with an admin only."""
    collection = a_collection("alone")
    collection.memberships.exclude(role=Role.ADMIN).delete()
    return collection


def sizes(collection: Collection) -> tuple[int, ...]:
    pools = Pool.objects.filter(query_paper__collection=collection)
    return (
        collection.documents.count(),
        collection.queries.count(),
        pools.count(),
        pools.frozen().count(),
        Opening.objects.of(collection).count(),
    )


class StopsAt(DirectRun):
    """Work that is stopped at a step."""

    def __init__(self, note: str) -> None:
        super().__init__()
        self.note = note

    def progress(self, done: int, total: int | None, note: str = "") -> None:
        if note == self.note:
            raise Cancelled


def test_the_job_fills_a_collection_and_opens_the_queries_for_two_annotators():
    collection = a_collection()

    job = request_sample(collection=collection, requested_by=None)
    run(job.pk)

    job.refresh_from_db()
    assert (job.state, job.error) == (State.SUCCEEDED, "")
    assert sizes(collection) == (76, 6, 4, 4, 6)
    assert job.result["opened"] == 6


def test_without_annotators_the_result_says_what_comes_next(alone):
    result = load_sample(collection=alone, loaded_by=None, work=DirectRun())

    assert sizes(alone) == (76, 6, 4, 4, 0)
    assert result["next"] == "Add 2 annotators on the page People, then open the queries."
    assert Guideline.objects.filter(facet__collection=alone).count() == 3


@pytest.mark.parametrize(
    "step", ["adding queries", "building pools", "pools drawn", "opening queries"]
)
def test_a_job_stopped_at_any_step_is_continued_by_the_next(step):
    collection = a_collection()
    with pytest.raises(Cancelled):
        load_sample(collection=collection, loaded_by=None, work=StopsAt(step))

    load_sample(collection=collection, loaded_by=None, work=DirectRun())

    assert sizes(collection) == (76, 6, 4, 4, 6)


def test_a_cancelled_job_says_that_a_retry_does_the_rest():
    job = request_sample(collection=a_collection(), requested_by=None)
    request_cancel(job=job)
    job.refresh_from_db()

    assert "Retry the job to do the others." in job_card(job, timezone.now()).advice
    assert claim(job.pk) is None


def test_a_collection_with_other_documents_is_refused():
    collection = a_collection()
    DocumentFactory(collection=collection)

    with pytest.raises(NotEmpty):
        request_sample(collection=collection, requested_by=None)
    assert not Job.objects.exists()


def test_a_collection_without_the_facets_of_the_sample_is_refused():
    collection = a_collection(facets=NO_FACETS)

    with pytest.raises(OtherFacets, match="background, method and result"):
        request_sample(collection=collection, requested_by=None)
    assert "Try with sample data" not in client_of("admin").get(address("collection")).text


def test_a_collection_with_open_queries_is_refused():
    collection = a_collection()
    load_sample(collection=collection, loaded_by=None, work=DirectRun())

    with pytest.raises(NotEmpty):
        load_sample(collection=collection, loaded_by=None, work=DirectRun())


# The buttons


def test_staff_get_a_new_collection_with_the_sample_under_a_free_name(client):
    person = UserFactory(username="owner", is_staff=True)
    client.force_login(person)
    assert "Try with sample data" in client.get("/").text

    for slug in ("sample", "sample-2"):
        response = client.post("/collections/sample/")
        collection = Collection.objects.get(slug=slug)
        job = collection.jobs.get()
        assert response.url == address("job", job.pk, slug=slug)
        assert (job.kind, job.requested_by) == ("load_sample", person)
        assert collection.memberships.get().role == Role.ADMIN


def test_a_failed_request_leaves_no_collection(monkeypatch):
    person = UserFactory(username="owner", is_staff=True)
    monkeypatch.setattr(sample, "JOB_KIND", "unknown kind")

    with pytest.raises(LookupError), transaction.atomic():
        sample.create_sample_collection(owner=person)

    assert not Collection.objects.exists()


def test_an_empty_collection_offers_the_sample_and_one_with_documents_does_not():
    collection = a_collection()
    admin = client_of("admin")
    assert "Try with sample data" in admin.get(address("collection")).text

    DocumentFactory(collection=collection)

    assert "Try with sample data" not in admin.get(address("collection")).text
    refused = admin.post(address("add-sample"), follow=True)
    assert "has documents of its own" in text_of(refused)


# The sample files of the checklist


def test_the_sample_files_fit_each_other_and_the_real_importers():
    collection = a_collection()
    imported = import_documents(
        collection=collection, path=FILES / "documents.jsonl", work=DirectRun()
    )
    queries = add_query_list(collection=collection, text=(FILES / "queries.txt").read_text())
    run_of_file = import_run(
        collection=collection,
        path=FILES / "run.txt",
        filename="run.txt",
        name="sample",
        work=DirectRun(),
    )

    assert (imported.created, imported.bad_lines, queries) == (16, 0, 3)
    assert run_of_file.report["lists"] == 2
    for skipped in ("outside_corpus", "query_papers_themselves", "duplicates", "unknown_topics"):
        assert run_of_file.report[skipped] == 0


@pytest.mark.parametrize(("facets", "facet"), [(DEFAULT_FACETS, "method"), (NO_FACETS, "")])
def test_the_sample_topics_become_queries_with_lists_of_the_sample_run(facets, facet):
    collection = a_collection(facets=facets)
    import_documents(collection=collection, path=FILES / "documents.jsonl", work=DirectRun())

    report = import_topics(
        collection=collection,
        files={"topics.jsonl": FILES / "topics.jsonl"},
        facet_key=facet,
        work=DirectRun(),
    )
    run_of_file = import_run(
        collection=collection,
        path=FILES / "topics_run.txt",
        filename="topics_run.txt",
        name="sample",
        work=DirectRun(),
    )

    assert report.result
    assert collection.queries.count() == 2
    assert run_of_file.report["lists"] == 2
    for skipped in ("outside_corpus", "duplicates", "unknown_topics"):
        assert run_of_file.report[skipped] == 0


def test_the_sample_data_can_follow_the_sample_documents():
    collection = a_collection()
    import_documents(collection=collection, path=FILES / "documents.jsonl", work=DirectRun())

    load_sample(collection=collection, loaded_by=None, work=DirectRun())

    assert collection.documents.count() == len(sample.sample_docnos())


def test_every_sample_file_is_small():
    assert sum(path.stat().st_size for path in Path(FILES).iterdir()) < 40_000
    for line in (FILES / "documents.jsonl").read_text().splitlines():
        assert json.loads(line)["venue"] == "Invented for the Qrelsmith demo"


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("broker", ["filesystem"], indirect=True)
def test_a_killed_worker_leaves_a_job_that_the_next_worker_finishes(broker, start_worker):
    collection = a_collection()
    job = enqueue(kind=sample.JOB_KIND, collection=collection, parameters={})
    worker = start_worker()
    wait_until(lambda: collection.queries.count() == 6, 60, "documents and queries are there")
    os.killpg(worker.process.pid, signal.SIGKILL)
    worker.wait(60)

    start_worker()
    wait_until(lambda: not Job.objects.get(pk=job.pk).is_live, 60, "the job ends")

    assert Job.objects.get(pk=job.pk).state == State.SUCCEEDED
    assert sizes(collection) == (76, 6, 4, 4, 6)
