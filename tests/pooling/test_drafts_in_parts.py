"""Pools are written in hidden parts and shown in one step. See docs/adr/0019-drafts-in-parts.md."""

from __future__ import annotations

import pytest
from django.utils import timezone

from corpus.services import create_query
from corpus.topics.queries import remove_query
from jobs import services as jobs
from jobs.context import DirectRun
from jobs.models import Job, State
from pooling.models import (
    BuildRun,
    Candidate,
    Contribution,
    DrawnList,
    Pool,
    PoolBuild,
)
from pooling.services import (
    PoolingError,
    PoolPlan,
    build_pools,
    delete_leftovers,
    drafts,
    freeze_pools,
    request_pools,
)
from tests.support.factories import DocumentFactory, a_collection
from tests.support.pool_counts import check_pool_counts
from tests.support.pooling_scenes import DOCNOS, a_listed_run, built
from tests.support.visits import address, client_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.may_differ]

PAPERS = ["q1", "q2", "q3"]
PLAN = PoolPlan(runs=("up", "down"), parameters={"n": 2})


@pytest.fixture(autouse=True)
def one_pool_a_part(monkeypatch):
    monkeypatch.setattr(drafts, "INSERTED_ROWS", 1)
    monkeypatch.setattr(drafts, "DELETED_CANDIDATES", 1)
    monkeypatch.setattr(drafts, "PAUSE_SECONDS", 0)


@once_a_file
def collection():
    """Three query papers with drafts of three documents from each of two runs."""
    collection = a_collection()
    for docno in [*DOCNOS, *PAPERS]:
        DocumentFactory(collection=collection, docno=docno)
    for docno in PAPERS:
        create_query(collection=collection, docno=docno, facet_key="method")
    a_listed_run(collection, "up", dict.fromkeys(PAPERS, DOCNOS))
    a_listed_run(collection, "down", dict.fromkeys(PAPERS, DOCNOS[::-1]))
    built(collection)
    return collection


class Killed(BaseException):
    """The process ended here: nothing that would clean up after an error runs."""


class Watched(DirectRun):
    """Work that calls `before(n)` at its n-th fence, from 1: the build, its parts, the swap."""

    def __init__(self, before) -> None:
        super().__init__()
        self.before, self.fences = before, 0

    def fenced(self):
        self.fences += 1
        self.before(self.fences)
        return super().fenced()


FENCES = len(PAPERS) + 2


def killed_at(fence: int) -> Watched:
    def before(number: int) -> None:
        if number == fence:
            raise Killed

    return Watched(before)


def shown(collection) -> dict[str, tuple[int, list[str]]]:
    """By query paper, the build and the documents of the pool that readers see."""
    return {
        pool.query_paper.name: (
            pool.build_id,
            list(pool.candidates.values_list("document__docno", flat=True)),
        )
        for pool in Pool.objects.filter(query_paper__collection=collection)
    }


def rows() -> dict[str, int]:
    return {
        "builds": PoolBuild.with_incomplete.count(),
        "runs": BuildRun.objects.count(),
        "lists": DrawnList.objects.count(),
        "pools": Pool.with_hidden.count(),
        "candidates": Candidate.objects.count(),
        "contributions": Contribution.objects.count(),
    }


def rebuild(collection, work=None) -> PoolBuild:
    return build_pools(collection=collection, plan=PLAN, work=work or DirectRun())


def fall_silent() -> None:
    long_ago = timezone.now() - 2 * drafts.SILENT
    PoolBuild.with_incomplete.exclude(last_part_at=None).update(last_part_at=long_ago)


def sweep() -> None:
    for _ in range(10):
        delete_leftovers()


def test_readers_see_the_old_drafts_until_all_new_ones_are_written(collection):
    before, seen, written = shown(collection), [], []

    def look(number: int) -> None:
        seen.append(shown(collection))
        written.append(Pool.with_hidden.hidden().count())

    build = rebuild(collection, Watched(look))

    assert seen == [before] * FENCES
    assert written == [0, 0, 1, 2, 3]
    assert {pk for pk, _ in shown(collection).values()} == {build.pk}


def test_pages_and_the_api_show_the_old_drafts_meanwhile(collection):
    admin = client_of("admin")
    paths = [
        address("pools"),
        address("query", "q1_method"),
        address("document", "d01"),
        *(f"/api/v1/collections/small/{name}/" for name in ("pools", "pool-builds")),
    ]
    before = [admin.get(path).text for path in paths[3:]]
    shown_before = admin.get(paths[2]).context["counts"]

    def look(number: int) -> None:
        assert [admin.get(path).text for path in paths[3:]] == before
        assert admin.get(paths[2]).context["counts"] == shown_before
        assert admin.get(paths[0]).status_code == admin.get(paths[1]).status_code == 200

    rebuild(collection, Watched(look))

    assert [admin.get(path).text for path in paths[3:]] != before


def test_the_old_drafts_and_their_build_are_deleted_after_the_swap(collection):
    fresh = rows()

    rebuild(collection, Watched(lambda number: None))
    build = rebuild(collection)

    assert PoolBuild.with_incomplete.get() == build
    assert rows()["pools"] == fresh["pools"] == len(PAPERS)
    assert not Candidate.objects.exclude(pool__build=build).exists()


@pytest.mark.parametrize("fence", range(1, FENCES + 1))
def test_a_kill_between_parts_leaves_the_old_drafts_and_its_rest_is_deleted(collection, fence):
    before, all_rows = shown(collection), rows()

    with pytest.raises(Killed):
        rebuild(collection, killed_at(fence))
    assert shown(collection) == before
    assert PoolBuild.objects.count() == 1

    sweep()  # the build could still be alive
    assert Pool.with_hidden.hidden().count() == max(0, fence - 2)
    fall_silent()
    sweep()

    assert (shown(collection), rows()) == (before, all_rows)


def test_a_kill_after_the_swap_leaves_the_new_pools_and_the_old_ones_are_deleted(
    collection, monkeypatch
):
    def killed(_) -> None:
        raise Killed

    monkeypatch.setattr("pooling.services.pools.delete_replaced", killed)
    with pytest.raises(Killed):
        rebuild(collection)
    after = shown(collection)
    assert Pool.with_hidden.hidden().count() == len(PAPERS)

    sweep()

    assert not Pool.with_hidden.hidden().exists()
    assert shown(collection) == after


def test_a_build_after_a_kill_gives_the_same_pools(collection):
    with pytest.raises(Killed):
        rebuild(collection, killed_at(FENCES))
    first = rebuild(collection).manifest["pools"]

    assert rebuild(collection).manifest["pools"] == first


def test_a_failure_between_parts_leaves_no_rows(collection):
    before, all_rows = shown(collection), rows()

    def fail(number: int) -> None:
        if number == FENCES:
            raise PoolingError("no luck")

    with pytest.raises(PoolingError, match="no luck"):
        rebuild(collection, Watched(fail))

    assert (shown(collection), rows()) == (before, all_rows)


def test_a_cancelled_job_stops_between_parts_and_leaves_no_rows(collection, monkeypatch):
    before, all_rows = shown(collection), rows()
    insert, parts = drafts._insert_part, []

    def insert_then_cancel(build, part) -> None:
        insert(build, part)
        parts.append(part)
        Job.objects.filter(pk=job.pk).update(cancel_requested=True)

    monkeypatch.setattr(drafts, "_insert_part", insert_then_cancel)
    job = request_pools(collection=collection, plan=PLAN, requested_by=None)
    jobs.run(job.pk)

    assert Job.objects.get(pk=job.pk).state == State.CANCELLED
    assert len(parts) == 1
    assert (shown(collection), rows()) == (before, all_rows)


def test_a_query_removed_after_its_pool_was_written_stops_the_swap(collection):
    # Without rows that refer to it, the query paper goes too.
    collection.runs.get(name="up").rankings.filter(query_paper__name="q4").delete()
    DocumentFactory(collection=collection, docno="q4")
    query = create_query(collection=collection, docno="q4", facet_key="method")
    before = shown(collection)

    def remove(number: int) -> None:
        if number == FENCES + 1:
            remove_query(query=query)

    with pytest.raises(PoolingError, match="the queries changed"):
        rebuild(collection, Watched(remove))

    assert shown(collection) == before


def test_a_build_that_was_swept_shows_nothing(collection):
    before = shown(collection)

    def sweep_it(number: int) -> None:
        if number == FENCES:
            fall_silent()
            sweep()

    with pytest.raises(PoolingError, match="interrupted for too long"):
        rebuild(collection, Watched(sweep_it))

    assert shown(collection) == before


def test_freezing_while_pools_are_written_freezes_the_old_ones_only(collection):
    before = shown(collection)

    def freeze(number: int) -> None:
        if number == FENCES:
            freeze_pools(collection=collection)

    with pytest.raises(PoolingError, match="A pool was frozen"):
        rebuild(collection, Watched(freeze))

    assert shown(collection) == before
    assert Pool.with_hidden.frozen().count() == len(PAPERS)


def test_a_first_build_that_failed_does_not_fix_the_seed():
    collection = a_collection("fresh")
    for docno in [*DOCNOS, "q1"]:
        DocumentFactory(collection=collection, docno=docno)
    create_query(collection=collection, docno="q1", facet_key="method")
    a_listed_run(collection, "up", {"q1": DOCNOS})
    plan = PoolPlan(runs=("up",), parameters={"n": 2})

    with pytest.raises(Killed):
        build_pools(collection=collection, plan=plan, work=killed_at(3))

    assert not collection.pool_builds.exists()


def test_the_numbers_of_a_pool_equal_a_recount(collection):
    collection.documents.filter(docno="d01").update(sentences=[], labels=[])
    collection.documents.filter(docno="q1").update(references=["d03"])
    for n in (1, 20):
        built(collection, parameters={"n": n})
        assert check_pool_counts(collection) == len(PAPERS)
