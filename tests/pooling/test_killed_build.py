"""A worker that dies in the middle of building pools costs time and nothing else."""

from __future__ import annotations

import pytest

from corpus.models import Document, Query, QueryPaper
from jobs.models import Job, State
from jobs.work import InPerson
from pooling.models import Pool, PoolBuild, Run
from pooling.services import PoolPlan, build_pools, request_pools
from tests.factories import DocumentFactory, a_collection
from tests.running import wait_until

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]

WORDS = ("parser", "tree", "query", "term", "mail", "spam", "graph", "label", "vector", "rank")
DOCUMENTS, QUERY_PAPERS = 800, 120
PLAN = PoolPlan.take(3, depth=300)


def a_large_collection(slug: str):
    """Enough query papers that building their pools takes some seconds."""
    collection = a_collection(slug=slug, seed="killed")
    documents = Document.objects.bulk_create(
        DocumentFactory.build(
            collection=collection,
            docno=f"d{number:04}",
            title=" ".join(WORDS[number * step % len(WORDS)] for step in (1, 3, 5)),
            sentences=[
                " ".join(WORDS[(number + step * step) % len(WORDS)] for step in range(12)),
                f"Part {number % 97} of {number % 13}.",
            ],
            labels=["method", "result"],
        )
        for number in range(DOCUMENTS)
    )
    papers = QueryPaper.objects.bulk_create(
        QueryPaper(collection=collection, document=document)
        for document in documents[:QUERY_PAPERS]
    )
    facet = collection.facets.get(key="method")
    Query.objects.bulk_create(
        Query(
            collection=collection,
            query_paper=paper,
            facet=facet,
            name=f"{paper.document.docno}_method",
        )
        for paper in papers
    )
    return collection


def is_in_the_middle(job: Job) -> bool:
    job.refresh_from_db()
    assert job.is_live, f"the job ended before it could be killed: {job.error}"
    return 0 < job.progress_done < (job.progress_total or 0) and Run.objects.exists()


def test_a_build_killed_in_the_middle_ends_once_and_right(start_worker):
    undisturbed = build_pools(
        collection=a_large_collection("undisturbed"), plan=PLAN, work=InPerson()
    )
    collection = a_large_collection("disturbed")
    first = start_worker()
    Run.objects.all().delete()

    job = request_pools(collection=collection, plan=PLAN, requested_by=None)
    wait_until(lambda: is_in_the_middle(job), 60, "the build is in its middle")
    first.kill()
    job.refresh_from_db()
    assert job.state == State.RUNNING
    assert not PoolBuild.objects.filter(collection=collection).exists()

    start_worker()
    wait_until(lambda: Job.objects.get(pk=job.pk).state == State.SUCCEEDED, 90, "the job is done")

    job.refresh_from_db()
    build = PoolBuild.objects.get(collection=collection)
    assert job.attempts == 2
    assert job.result == {"pools": QUERY_PAPERS, "candidates": build_size(build)}
    assert Pool.objects.filter(query_paper__collection=collection).count() == QUERY_PAPERS
    assert build.manifest["pools"] == undisturbed.manifest["pools"]


def build_size(build: PoolBuild) -> int:
    return sum(pool.candidates.count() for pool in build.pools.all())
