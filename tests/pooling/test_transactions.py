"""Freezing, building and discarding at the same moment, in real transactions."""

from __future__ import annotations

import threading

import pytest
from django.db import connection, transaction

from accounts.services import lock_collection
from jobs.work import run, start_job
from pooling.building import discard_draft, freeze_pools
from pooling.manifest import first_difference
from pooling.models import Candidate, PoolSet
from tests.pooling.test_building import PLAN, build
from tests.transactions import REAL_TRANSACTIONS, together
from web.errors import Conflict

pytestmark = REAL_TRANSACTIONS


def test_a_draft_is_frozen_once_by_two_at_once(collection, runs):
    draft = build(collection)
    outcomes = together(*[lambda: freeze_pools(collection=collection, pk=draft.pk)] * 4)
    assert [type(each) for each in outcomes].count(PoolSet) == 1
    assert [type(each) for each in outcomes].count(Conflict) == 3
    assert first_difference(PoolSet.objects.frozen().get()) == ""


def test_a_draft_is_frozen_or_discarded(collection, runs):
    draft = build(collection)
    frozen, discarded = together(
        lambda: freeze_pools(collection=collection, pk=draft.pk),
        lambda: discard_draft(collection=collection, pk=draft.pk),
    )
    assert isinstance(frozen, Conflict) != isinstance(discarded, Conflict)
    assert PoolSet.objects.frozen().exists() == isinstance(discarded, Conflict)


@pytest.mark.parametrize("n", [2, 3])
def test_a_build_and_a_freeze_leave_each_query_in_one_pool(collection, queries, runs, n):
    draft = build(collection)
    job = start_job("build_pools", collection=collection, by=None, plan=PLAN | {"n": n})
    frozen, _ = together(lambda: freeze_pools(collection=collection, pk=draft.pk), lambda: run(job.pk))
    job.refresh_from_db()
    # Whichever came first, the other was refused, and nothing is half there.
    assert isinstance(frozen, Conflict) == (job.state == "succeeded")
    only = PoolSet.objects.get()
    assert only.is_frozen == (job.state == "failed")
    assert only.pools.count() == len(queries)
    assert Candidate.objects.count() == sum(pool.candidates.count() for pool in only.pools.all())


def test_a_build_that_drew_before_a_freeze_does_not_write_after_it(collection, queries, runs):
    draft = build(collection)
    job = start_job("build_pools", collection=collection, by=None, plan=PLAN)
    building = threading.Thread(target=lambda: (run(job.pk), connection.close()))
    with transaction.atomic():
        lock_collection(collection)
        building.start()
        while building.is_alive() and not someone_waits_for_a_lock():
            pass  # it draws
        freeze_pools(collection=collection, pk=draft.pk)
    building.join()
    job.refresh_from_db()
    assert (job.state, "d00_method has a frozen pool" in job.error) == ("failed", True)
    assert PoolSet.objects.get().is_frozen


def someone_waits_for_a_lock():
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT 1 FROM pg_locks l JOIN pg_stat_activity a USING (pid) "
            "WHERE NOT l.granted AND a.datname = current_database())"
        )
        return cursor.fetchone()[0]
