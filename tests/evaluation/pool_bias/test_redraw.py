"""Pools that are drawn again without a source, against pools that are really built without it."""

import io

import pytest

from evaluation.pool_bias.reading import sourced_pools
from evaluation.pool_bias.redraw import DIFFERENT, LIST_ONLY, redraw
from jobs.context import DirectRun
from pooling.services.imported import create_imported_pools
from tests.support.pooling_scenes import a_listed_collection, a_listed_run, built

pytestmark = pytest.mark.django_db

RUNS = ("up", "down", "odd")
# The lists of `odd` mix documents that the others have far down with their best ones.
ODD = {"q1": ["d07", "d01", "d06", "d12", "d03", "d10", "d08"]}
PLANS = {
    "interleaved": {"parameters": {"n": 2}},
    "sequential": {"strategy": "sequential", "parameters": {"n": 3}},
    "cited excluded": {"parameters": {"n": 3}, "forced": (), "excluded": ("cited",)},
    "rrf": {"strategy": "rrf", "parameters": {"size": 5}},
    "depth": {"strategy": "depth_k", "parameters": {"k": 3}},
}


def a_collection_with_three_runs(slug="small"):
    collection = a_listed_collection(slug)
    a_listed_run(collection, "odd", ODD)
    return collection


def documents_of(collection):
    return {pool.paper: pool.docnos for pool in sourced_pools(collection)}


def redrawn(collection, *groups):
    return redraw(collection, groups, DirectRun(io.StringIO()))


@pytest.mark.parametrize("fields", PLANS.values(), ids=PLANS)
def test_a_pool_drawn_again_is_the_pool_that_is_built_without_the_source(fields):
    collection = a_collection_with_three_runs()
    built(collection, runs=RUNS, **fields)
    full = {paper: set(docnos) for paper, docnos in documents_of(collection).items()}
    groups = [("up",), ("down",), ("odd",), ("down", "odd")]
    result = redrawn(collection, *groups)
    assert result.papers == ["q1"]
    for group in groups:
        left = tuple(name for name in RUNS if name not in group)
        built(collection, runs=left, **fields)  # replaces the draft
        expected = {paper: set(docnos) for paper, docnos in documents_of(collection).items()}
        changes = result.by_group[group]
        for paper, docnos in full.items():
            lost, new = changes.dropped.get(paper, set()), changes.new.get(paper, set())
            assert docnos - lost | new == expected[paper]
            assert lost <= docnos
            assert not new & docnos


def test_leaving_the_forced_source_out_drops_what_only_it_gives():
    collection = a_collection_with_three_runs()
    built(collection, runs=("up",), parameters={"n": 2})  # d02 and d05 are cited
    (pool,) = sourced_pools(collection)
    assert [document.docno for document in pool.documents if document.is_forced] == ["d02", "d05"]
    changes = redrawn(collection, ("cited",)).by_group["cited",]
    # Without the cited ones, `up` draws d01 and d02 instead of d01 and d03.
    assert changes.dropped == {"q1": {"d03", "d05"}}
    assert changes.new == {}


def test_a_source_is_counted_as_finder_down_to_the_depth_it_was_drawn_to():
    collection = a_collection_with_three_runs()
    built(collection, forced=(), parameters={"n": 2})
    (pool,) = sourced_pools(collection)
    assert {document.docno: set(document.finders) for document in pool.documents} == {
        "d01": {"up"},
        "d02": {"up"},
        "d11": {"down"},
        "d12": {"down"},
    }
    assert all(document.has == {"up", "down"} for document in pool.documents)


def test_pools_of_judgments_made_elsewhere_are_kept_with_the_reason():
    collection = a_collection_with_three_runs()
    paper = collection.query_papers.get(name="q1")
    documents = list(collection.documents.filter(docno__in=["d01", "d02"]))
    create_imported_pools(
        collection=collection, documents={paper: documents}, files={}, built_by=None
    )
    result = redrawn(collection, ("imported",))
    assert (result.papers, result.kept) == ([], {LIST_ONLY: ["q1"]})


def test_a_pool_that_its_inputs_do_not_give_any_more_is_kept():
    collection = a_collection_with_three_runs()
    built(collection)
    collection.documents.filter(docno="q1").update(references=["d09"])
    assert redrawn(collection, ("up",)).kept == {DIFFERENT: ["q1"]}
