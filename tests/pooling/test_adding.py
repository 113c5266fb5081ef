"""Adding to frozen pools: a later round has only what no pool of the query had, and proves what it was added to."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command

from corpus.digests import json_digest
from jobs.work import run_now
from pooling.building import freeze_pools, start_building
from pooling.manifest import first_difference
from pooling.models import Candidate, PoolSet
from tests import builders
from web.errors import BadInput, Conflict

pytestmark = pytest.mark.django_db
FIRST = {"strategy": "interleaved", "n": 1, "sources": ["bm25"], "forced": ["cited"], "depths": {}, "queries": []}
ADDED = FIRST | {"strategy": "depth-k", "n": 3, "sources": ["bm25", "tfidf"], "forced": [], "adds": True}


def frozen(collection, plan):
    run_now("build_pools", collection=collection, plan=plan)
    return freeze_pools(collection=collection, pk=collection.pool_sets.drafts().get().pk)


@pytest.fixture
def rounds(collection, runs):
    return [frozen(collection, FIRST), frozen(collection, ADDED)]


def test_a_round_adds_what_no_pool_of_the_query_has(collection, queries, runs):
    lists = {run.name: run.lists.get(query=queries[0]).docnos for run in runs}
    old = frozen(collection, FIRST).pools.get(query=queries[0])
    added = frozen(collection, ADDED)
    pooled = {*old.candidates.values_list("document__docno", flat=True)}
    wanted = {docno for docnos in lists.values() for docno in docnos[:3]} - pooled
    assert added.round == 2
    assert {*added.pools.get(query=queries[0]).candidates.values_list("document__docno", flat=True)} == wanted
    assert not {candidate.source for candidate in Candidate.objects.filter(pool__pool_set=added)} & {"cited"}


def test_rounds_are_drawn_again_from_their_manifests(collection, rounds, capsys):
    first, second = rounds
    for pool in second.pools.select_related("query"):
        before = list(first.pools.get(query=pool.query).candidates.values_list("document__docno", flat=True))
        assert second.manifest["pools"][pool.query.name]["before"] == json_digest(before)
    assert "before" not in str(first.manifest)
    call_command("rebuild_pools", collection.slug)
    assert f"Identical pools: {first.pools.count() + second.pools.count()}" in capsys.readouterr().out


def test_a_list_that_changed_since_is_named(collection, queries, runs, rounds):
    ranked = runs[1].lists.get(query=queries[0])
    ranked.docnos = ranked.docnos[::-1]
    ranked.save()
    assert queries[0].name in first_difference(rounds[1])
    with pytest.raises(CommandError, match="Round 2"):
        call_command("rebuild_pools", collection.slug)


def test_a_round_on_published_pools_proves_what_it_was_added_to(collection, queries, papers, runs):
    builders.frozen_pool(queries[0], papers[5:8])
    added = frozen(collection, ADDED)
    assert [*added.manifest["pools"]] == [queries[0].name]
    assert added.manifest["pools"][queries[0].name]["before"] == json_digest(["d05", "d06", "d07"])


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"queries": ["d01_background"]}, Conflict, "d01_background has no frozen pool to add to"),
        ({"strategy": "mdcr"}, BadInput, "mdcr draws whole pools"),
        ({"sources": ["bm26"]}, BadInput, "no run 'bm26'"),
    ],
)
def test_what_cannot_be_added_is_refused(collection, queries, papers, runs, people, changes, error, words):
    builders.frozen_pool(queries[0], papers[5:8])
    with pytest.raises(error, match=words):
        start_building(collection=collection, plan=ADDED | changes, by=people.admin)


def test_without_frozen_pools_there_is_nothing_to_add_to(collection, queries, runs, people):
    with pytest.raises(Conflict, match="No pool is frozen yet"):
        start_building(collection=collection, plan=ADDED, by=people.admin)


def test_pools_that_get_nothing_are_left_out(collection, queries, runs, rounds):
    again = ADDED | {"queries": [queries[0].name]}
    run_now("build_pools", collection=collection, plan=again)
    with pytest.raises(Conflict, match="nothing to freeze"):
        freeze_pools(collection=collection, pk=PoolSet.objects.drafts().get().pk)


def test_the_pages_add_a_round(collection, queries, runs, as_):
    frozen(collection, FIRST)
    admin = as_("admin")
    pools = f"/c/{collection.slug}/pools/"
    assert b"Add to frozen pools" in admin.get(pools).content
    page = admin.get(f"{pools}build/?adds").content.decode()
    assert "mdcr" not in page
    assert "never pooled" in page
    answer = admin.post(f"{pools}build/?adds", {"strategy": "rrf", "n": 2, "sources": ["bm25", "tfidf"]})
    assert answer.status_code == 302
    job = collection.jobs.get(kind="build_pools", state="queued")
    assert job.parameters["plan"]["adds"] is True
