"""The retrievers that pools are drawn from run as jobs of their own."""

from __future__ import annotations

from itertools import pairwise

import pytest

from corpus.services import create_query
from jobs import services as jobs
from jobs.context import RetryLater
from jobs.models import Job, State
from jobs.registry import handler
from pooling.models import Pool
from pooling.services import PoolPlan, request_pools
from retrieval.models import Run
from retrieval.services import request_run
from tests.support.factories import DocumentFactory, a_collection
from tests.support.running import wait_until

NAMES = ("bm25_title", "tfidf_abstract", "tfidf_title")
PLAN = PoolPlan.take(2, runs=NAMES, depth=10)


def a_small_corpus(slug="small"):
    collection = a_collection(slug=slug)
    for number in range(20):
        DocumentFactory(
            collection=collection, docno=f"d{number:02}", title=f"parsing of trees {number}"
        )
    create_query(collection=collection, docno="d00", facet_key="method")
    return collection


def retrieving(collection):
    return collection.jobs.filter(kind="retrieve")


def fresh(job: Job) -> Job:
    return Job.objects.get(pk=job.pk)


@pytest.mark.django_db
class TestWaiting:
    @pytest.fixture
    def collection(self):
        return a_small_corpus()

    @pytest.fixture
    def job(self, collection):
        job = request_pools(collection=collection, plan=PLAN, requested_by=None)
        jobs.run(job.pk)
        return job

    def test_missing_runs_are_asked_for_and_waited_for(self, collection, job):
        assert {run_job.parameters["name"] for run_job in retrieving(collection)} == set(NAMES)
        assert fresh(job).state == State.QUEUED
        assert fresh(job).progress_note == f"waits for {', '.join(NAMES)}"

    def test_the_note_says_what_is_still_waited_for(self, collection, job):
        jobs.run(retrieving(collection).get(key="run:bm25_title").pk)
        jobs.run(job.pk)
        assert fresh(job).progress_note == "waits for tfidf_abstract, tfidf_title"

    def test_the_pools_are_built_when_all_runs_are_there(self, collection, job):
        for run_job in retrieving(collection):
            jobs.run(run_job.pk)
        jobs.run(job.pk)
        assert (fresh(job).state, fresh(job).attempts) == (State.SUCCEEDED, 1)
        assert Pool.objects.count() == 1
        assert retrieving(collection).count() == len(NAMES)

    def test_runs_that_are_new_enough_are_not_made_again(self, collection, job):
        for run_job in retrieving(collection):
            jobs.run(run_job.pk)
        jobs.run(job.pk)
        again = request_pools(collection=collection, plan=PLAN, requested_by=None)
        jobs.run(again.pk)
        assert fresh(again).state == State.SUCCEEDED
        assert retrieving(collection).count() == len(NAMES)

    def test_a_run_that_is_being_made_already_is_waited_for(self, collection):
        request_run(collection=collection, name="bm25_title", depth=10, requested_by=None)
        job = request_pools(collection=collection, plan=PLAN, requested_by=None)
        jobs.run(job.pk)
        assert fresh(job).progress_note == "waits for bm25_title"
        jobs.run(retrieving(collection).get().pk)
        jobs.run(job.pk)
        assert fresh(job).progress_note == "waits for tfidf_abstract, tfidf_title"

    def test_a_retriever_that_failed_fails_the_pools_by_name(self, collection, job):
        broken = retrieving(collection).get(key="run:tfidf_title")
        retrieving(collection).filter(pk=broken.pk).update(
            state=State.FAILED, error="the disk is full"
        )
        jobs.run(job.pk)
        assert fresh(job).state == State.FAILED
        assert "tfidf_title failed: the disk is full" in fresh(job).error
        assert not Pool.objects.exists()

    def test_a_retriever_that_was_cancelled_fails_the_pools_by_name(self, collection, job):
        jobs.request_cancel(job=retrieving(collection).get(key="run:tfidf_title"))
        jobs.run(job.pk)
        assert "tfidf_title was cancelled" in fresh(job).error

    def test_a_corpus_that_changed_after_a_run_was_made_fails_the_pools(self, collection, job):
        for run_job in retrieving(collection):
            jobs.run(run_job.pk)
        DocumentFactory(collection=collection, docno="late")
        jobs.run(job.pk)
        assert "Documents or queries changed" in fresh(job).error
        assert not Pool.objects.exists()

    def test_trying_again_asks_for_the_run_again(self, collection, job):
        jobs.request_cancel(job=retrieving(collection).get(key="run:tfidf_title"))
        for run_job in retrieving(collection):
            jobs.run(run_job.pk)
        jobs.run(job.pk)
        again = request_pools(collection=collection, plan=PLAN, requested_by=None)
        jobs.run(again.pk)
        assert fresh(again).state == State.QUEUED
        assert retrieving(collection).filter(key="run:tfidf_title").count() == 2

    def test_waiting_asks_the_database_little(self, collection, job, django_assert_max_num_queries):
        lease = jobs.claim(job.pk)

        with django_assert_max_num_queries(8), pytest.raises(RetryLater):
            handler("build_pools")(lease)


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_two_workers_run_the_retrievers_side_by_side(start_worker):
    collection = a_small_corpus()
    start_worker(include="tests.support.slow_retrievers")
    start_worker(include="tests.support.slow_retrievers")

    job = request_pools(collection=collection, plan=PLAN, requested_by=None)
    wait_until(lambda: not fresh(job).is_live, 90, "the pools are built")

    assert (fresh(job).state, fresh(job).error) == (State.SUCCEEDED, "")
    assert Run.objects.count() == len(NAMES)
    spans = sorted(retrieving(collection).values_list("started_at", "finished_at"))
    assert any(start < end for (_, end), (start, _) in pairwise(spans))
    assert {run_job.attempts for run_job in retrieving(collection)} == {1}


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_one_worker_is_enough(start_worker):
    collection = a_small_corpus()
    start_worker()

    job = request_pools(collection=collection, plan=PLAN, requested_by=None)
    wait_until(lambda: not fresh(job).is_live, 90, "the pools are built")

    assert (fresh(job).state, fresh(job).attempts) == (State.SUCCEEDED, 1)
