"""The same corpus, runs and seed give the same pools, wherever and by whomever they are built.

GOLDEN is the manifest's digest of all pools: every document with every source, rank and score. The
suite runs on SQLite and on PostgreSQL, and both have to come to it, in one process, with four
workers, and when a worker is killed. Word vectors are left out: they are trained on the machine,
and two machines may differ in a last digit. A new version of tantivy or scikit-learn may change it;
then look at what has changed before you put the new one here.
"""

from __future__ import annotations

import pytest

from corpus.models import Document, Query, QueryPaper
from jobs.context import DirectRun
from jobs.models import Job, State
from pooling.models import Pool, PoolBuild
from pooling.services import PoolPlan, build_pools, request_pools
from retrieval.retrievers import BUILT_IN
from retrieval.services import import_run, retrieve
from tests.support.factories import DocumentFactory, a_collection
from tests.support.running import wait_until

pytestmark = pytest.mark.django_db(transaction=True)

WORDS = ("parser", "tree", "query", "term", "mail", "spam", "graph", "label", "vector", "rank")
DOCUMENTS, QUERY_PAPERS = 800, 120
PLAN = PoolPlan.take(3, depth=300)
GOLDEN = "380c52e389fda31956bafb947d5eb26c4f915769970db2bcf85d70a7624179cc"


def a_large_collection(slug: str, *, backwards: bool = False):
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
        for number in range(DOCUMENTS)[:: -1 if backwards else 1]
    )
    documents.sort(key=lambda document: document.docno)
    papers = QueryPaper.objects.bulk_create(
        QueryPaper(collection=collection, document=document, name=document.docno)
        for document in documents[:QUERY_PAPERS]
    )
    facet = collection.facets.get(key="method")
    Query.objects.bulk_create(
        Query(
            collection=collection,
            query_paper=paper,
            facet=facet,
            name=f"{paper.name}_method",
        )
        for paper in papers
    )
    return collection


def a_run(collection, folder):
    """A run of another engine, with ties and with documents that the corpus does not have."""
    lines = (
        f"d{paper:04} Q0 d{(paper * 7 + place * 11) % 900:04} 0 {9 - place // 3} other"
        for paper in range(QUERY_PAPERS)
        for place in range(25)
    )
    path = folder / "other.run"
    path.write_text("\n".join(lines) + "\n")
    import_run(collection=collection, path=path, filename="x", name="other", work=DirectRun())


def is_in_the_middle(job: Job) -> bool:
    job.refresh_from_db()
    assert job.is_live, f"the job ended before it could be killed: {job.error}"
    return 0 < job.progress_done < (job.progress_total or 0)


def digest(collection) -> str:
    return PoolBuild.objects.get(collection=collection).manifest["pools"]["sha256"]


@pytest.fixture
def collection(transactional_db, tmp_path):
    made = a_large_collection("small")
    a_run(made, tmp_path)
    return made


@pytest.mark.by_day(2)
def test_pools_are_the_same_on_every_database_whatever_the_order_of_documents(
    transactional_db, tmp_path
):
    """The order of the other tests here is that of the names."""
    collection = a_large_collection("small", backwards=True)
    a_run(collection, tmp_path)
    build_pools(collection=collection, plan=PLAN, work=DirectRun())
    assert digest(collection) == GOLDEN


@pytest.mark.faults
def test_many_workers_build_the_same_pools(start_worker, collection):
    for _ in range(4):
        start_worker()
    job = request_pools(collection=collection, plan=PLAN, requested_by=None)
    wait_until(lambda: not fresh(job).is_live, 120, "the pools are built")
    assert (fresh(job).state, fresh(job).error) == (State.SUCCEEDED, "")
    assert collection.jobs.filter(kind="retrieve", state=State.SUCCEEDED).count() == 4
    assert digest(collection) == GOLDEN


@pytest.mark.faults
def test_a_build_killed_in_the_middle_ends_once_and_right(start_worker, collection):
    for name in BUILT_IN:
        retrieve(collection=collection, name=name, depth=PLAN.depth, work=DirectRun())
    first = start_worker()

    job = request_pools(collection=collection, plan=PLAN, requested_by=None)
    wait_until(lambda: is_in_the_middle(job), 60, "the build is in its middle")
    first.kill()
    assert fresh(job).state == State.RUNNING
    assert not PoolBuild.objects.exists()

    start_worker()
    wait_until(lambda: fresh(job).state == State.SUCCEEDED, 90, "the job is done")
    build = PoolBuild.objects.get()
    assert fresh(job).attempts == 2
    assert fresh(job).result == {"pools": QUERY_PAPERS, "candidates": build_size(build)}
    assert Pool.objects.count() == QUERY_PAPERS
    assert digest(collection) == GOLDEN


@pytest.mark.faults
def test_a_worker_killed_while_it_makes_a_run_changes_no_pool(start_worker, collection):
    first = start_worker(include="tests.support.slow_retrievers")
    job = request_pools(collection=collection, plan=PLAN, requested_by=None)
    runs = collection.jobs.filter(kind="retrieve")
    wait_until(lambda: runs.filter(state=State.RUNNING).exists(), 60, "a run is being made")
    first.kill()
    half = runs.get(state=State.RUNNING)

    start_worker()
    start_worker()
    wait_until(lambda: not fresh(job).is_live, 120, "the pools are built")
    assert (fresh(job).state, fresh(job).error) == (State.SUCCEEDED, "")
    assert fresh(half).attempts == 2
    assert digest(collection) == GOLDEN


def fresh(job: Job) -> Job:
    return Job.objects.get(pk=job.pk)


def build_size(build: PoolBuild) -> int:
    return sum(pool.candidates.count() for pool in build.pools.all())
