"""The runs of a build: a frozen pool keeps them, a draft without them cannot be frozen."""

import pytest
from django.db.models import ProtectedError
from django.urls import reverse

from accounts.models import User
from annotation.services import CannotOpen, open_query
from corpus.services import create_query
from jobs.context import DirectRun
from jobs.services import run
from pooling.models import BuildRun, Pool
from pooling.services import (
    PoolingError,
    PoolPlan,
    freeze_pools,
    manifest_file,
    request_pools,
)
from pooling.services.samples import sampled_pools
from rebuilding.services import rebuild_pools
from retrieval.models import Run
from retrieval.services import remove_run
from tests.support.factories import DocumentFactory, a_collection, annotators
from tests.support.pooling_scenes import (
    DOCNOS,
    a_listed_collection,
    a_listed_run,
    a_staged_collection,
    a_stratified_sample,
    built,
)
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db


@once_a_file
def collection():
    return a_listed_collection()


def uses(collection):
    rows = BuildRun.objects.filter(build__collection=collection)
    return {name: (use, run) for name, use, run in rows.values_list("name", "use", "run__name")}


def test_a_build_relates_to_every_run_it_used(collection):
    a_listed_run(collection, "known", {"q1": DOCNOS[:1]})
    a_listed_run(collection, "bad", {"q1": DOCNOS[-1:]})

    built(collection, forced=("known",), excluded=("bad",))

    assert uses(collection) == {
        "up": ("drawn", "up"),
        "down": ("drawn", "down"),
        "known": ("forced", "known"),
        "bad": ("excluded", "bad"),
    }


def test_a_run_of_a_frozen_pool_cannot_be_deleted(collection):
    built(collection)
    freeze_pools(collection=collection)

    with pytest.raises(ProtectedError):
        collection.runs.get(name="up").delete()


def test_a_removed_run_leaves_its_drafts_which_can_no_longer_be_frozen(collection):
    built(collection)

    remove_run(run=collection.runs.get(name="up"))

    assert uses(collection)["up"] == ("drawn", None)
    with pytest.raises(PoolingError, match="The run up was removed or replaced"):
        freeze_pools(collection=collection)
    assert not Pool.objects.frozen().exists()


def test_a_replaced_run_leaves_its_drafts_which_can_no_longer_be_opened(collection):
    built(collection)
    a_listed_run(collection, "up", {"q1": DOCNOS[3:]})

    with pytest.raises(CannotOpen, match=r"q1_method cannot be opened\. The run up was"):
        open_query(
            query=collection.queries.get(), annotators=annotators(collection), opened_by=None
        )

    assert not Pool.objects.frozen().exists()


def test_building_again_makes_the_pools_freezable_again(collection):
    built(collection)
    a_listed_run(collection, "up", {"q1": DOCNOS[3:]})
    built(collection)

    assert freeze_pools(collection=collection) == 1


def test_the_same_lists_again_change_nothing(collection):
    built(collection)
    a_listed_run(collection, "up", {"q1": DOCNOS})

    assert uses(collection)["up"] == ("drawn", "up")


def test_the_page_says_why_pools_were_not_frozen(collection, client):
    built(collection)
    remove_run(run=collection.runs.get(name="up"))
    client.force_login(User.objects.get(username="admin"))

    page = client.post(
        reverse("freeze-pools", args=[collection.slug]), {"confirmed": "1"}, follow=True
    )

    assert "The run up was removed or replaced" in page.text


def test_a_build_says_who_asked_for_it(collection):
    admin = User.objects.get(username="admin")
    plan = PoolPlan(runs=("up", "down"), parameters={"n": 3})

    job = request_pools(collection=collection, plan=plan, requested_by=admin)
    run(job.pk)

    assert collection.pool_builds.get().built_by == admin


@pytest.fixture
def staged():
    return a_staged_collection()


def runs_of(collection, paper):
    build_runs = BuildRun.objects.filter(build__pools__query_paper__name=paper)
    return [build_run.run for build_run in build_runs.select_related("run")]


def test_a_retriever_runs_again_for_queries_that_come_after_the_first_freezing(staged):
    (first,), (second,) = runs_of(staged, "q1"), runs_of(staged, "q2")

    assert (first.name, second.name) == ("bm25_text", "bm25_text")
    assert first.rankings.count() == 1
    assert second.rankings.count() == 2
    assert list(staged.runs.all()) == [second]


def test_every_sample_is_found_again_in_the_run_it_was_drawn_from(staged):
    for sampled in sampled_pools(staged, ["q1", "q2"]):
        (run,) = runs_of(staged, sampled.query_paper)
        ranking = run.rankings.get(query_paper__name=sampled.query_paper)
        deep = [docno for stratum in sampled.strata for docno in stratum.docnos]
        assert deep == ranking.docnos[:12]


def test_every_build_is_rebuilt_from_its_own_run(staged):
    for build in staged.pool_builds.all():
        for again in (True, False):
            manifest = manifest_file(build)
            proof = rebuild_pools(
                collection=staged, manifest=manifest, work=DirectRun(), rank_again=again
            )
            assert proof.pools == 1


def test_a_retired_run_goes_with_the_last_drafts_that_were_drawn_from_it():
    collection = a_collection()
    for docno in [*DOCNOS, "q1", "q2"]:
        DocumentFactory(collection=collection, docno=docno)
    for paper in ("q1", "q2"):
        create_query(collection=collection, docno=paper, facet_key="method")
        a_stratified_sample(collection)

    assert Run.with_retired.filter(collection=collection).count() == 1
