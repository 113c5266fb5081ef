"""Pools that are drawn again without a source, against pools that are really built without it."""

import io

import pytest

from corpus.services import create_query
from evaluation.pool_bias import redraw as redrawing
from evaluation.pool_bias.reading import sourced_pools
from evaluation.pool_bias.redraw import (
    DIFFERENT,
    LIST_ONLY,
    LOST_RUN,
    WITHOUT_PLAN,
    redraw,
)
from jobs.context import DirectRun
from pooling.models import BuildRun
from pooling.provenance import IMPORTED
from pooling.services import PoolPlan, freeze_pools
from pooling.services.imported import create_imported_pools
from tests.support.factories import DocumentFactory, a_pool
from tests.support.pooling_scenes import a_listed_collection, a_listed_run, built
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

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


@once_a_file
def collection():
    return a_collection_with_three_runs()


def a_collection_with_three_runs(slug="small"):
    collection = a_listed_collection(slug)
    a_listed_run(collection, "odd", ODD)
    return collection


def documents_of(collection):
    return {pool.paper: pool.docnos for pool in sourced_pools(collection)}


def redrawn(collection, *groups):
    return redraw(collection, groups, DirectRun(io.StringIO()))


@pytest.mark.parametrize("fields", PLANS.values(), ids=PLANS)
def test_a_pool_drawn_again_is_the_pool_that_is_built_without_the_source(collection, fields):
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


def test_leaving_the_forced_source_out_drops_what_only_it_gives(collection):
    built(collection, runs=("up",), parameters={"n": 2})  # d02 and d05 are cited
    built(a_listed_collection("other"))  # has a q1, too
    (pool,) = sourced_pools(collection)
    assert [document.docno for document in pool.documents if document.is_forced] == ["d02", "d05"]
    changes = redrawn(collection, ("cited",)).by_group["cited",]
    # Without the cited ones, `up` draws d01 and d02 instead of d01 and d03.
    assert changes.dropped == {"q1": {"d03", "d05"}}
    assert changes.new == {}


def test_a_source_is_counted_as_finder_down_to_the_depth_it_was_drawn_to(collection):
    built(collection, forced=(), parameters={"n": 2})
    (pool,) = sourced_pools(collection)
    assert {document.docno: set(document.finders) for document in pool.documents} == {
        "d01": {"up"},
        "d02": {"up"},
        "d11": {"down"},
        "d12": {"down"},
    }
    assert all(document.has == {"up", "down"} for document in pool.documents)


def imported(collection, *docnos):
    documents = collection.documents.filter(docno__in=docnos)
    return dict.fromkeys(documents.values_list("pk", flat=True), IMPORTED)


def test_pools_of_judgments_made_elsewhere_are_kept_with_the_reason(collection):
    paper = collection.query_papers.get(name="q1")
    create_imported_pools(
        collection=collection,
        documents={paper: imported(collection, "d01", "d02")},
        files={},
        built_by=None,
    )
    result = redrawn(collection, ("imported",))
    assert (result.papers, result.kept) == ([], {LIST_ONLY: ["q1"]})


def test_a_pool_that_its_inputs_do_not_give_any_more_is_kept(collection):
    built(collection)
    collection.documents.filter(docno="q1").update(references=["d09"])
    assert redrawn(collection, ("up",)).kept == {DIFFERENT: ["q1"]}


def a_collection_with_two_papers():
    """Query papers q1 and q2 with the same lists."""
    collection = a_listed_collection()
    DocumentFactory(collection=collection, docno="q2", references=["d03"])
    create_query(collection=collection, docno="q2", facet_key="method")
    for name, first in (("left", "d02"), ("right", "d09")):
        rest = [f"d{number:02}" for number in range(1, 9) if f"d{number:02}" != first]
        a_listed_run(collection, name, {"q1": [first, *rest], "q2": [first, *rest]})
    return collection


LEFT_AND_RIGHT = {"runs": ("left", "right"), "forced": (), "parameters": {"n": 2}}


@pytest.mark.parametrize("size", [1, 2, 20])
def test_pools_are_read_in_batches_and_one_that_differs_does_not_stop_the_others(monkeypatch, size):
    monkeypatch.setattr(redrawing, "BATCH_SIZE", size)
    collection = a_collection_with_two_papers()
    built(collection, **{**LEFT_AND_RIGHT, "forced": ("cited",)})
    collection.documents.filter(docno="q1").update(references=["d08"])
    output = io.StringIO()
    result = redraw(collection, [("left",), ("right",)], DirectRun(output))
    assert result.papers == ["q2"]
    assert result.kept == {DIFFERENT: ["q1"]}
    # The pool of q2 is d03, then d02, d09, d01 and d04; the cited d03 stays.
    assert result.by_group["right",].dropped == {"q2": {"d09", "d04"} - _new(result, "right")}
    assert result.by_group["left",].dropped.keys() == {"q2"}


def _new(result, name):
    return result.by_group[name,].new.get("q2", set())


def test_a_build_whose_drafts_were_all_replaced_is_passed_over():
    collection = a_collection_with_two_papers()
    first = built(collection, **LEFT_AND_RIGHT)
    papers = dict.fromkeys(collection.query_papers.all(), imported(collection, "d01"))
    create_imported_pools(collection=collection, documents=papers, files={}, built_by=None)
    assert collection.pool_builds.filter(pk=first.pk).exists()
    result = redrawn(collection, ("left",))
    assert {reason: sorted(names) for reason, names in result.kept.items()} == {
        LIST_ONLY: ["q1", "q2"]
    }


def test_builds_that_cannot_be_drawn_again_do_not_stop_the_others():
    collection = a_collection_with_two_papers()
    paper = collection.query_papers.get(name="q1")
    create_imported_pools(
        collection=collection,
        documents={paper: imported(collection, "d01")},
        files={},
        built_by=None,
    )
    freeze_pools(collection=collection)
    build = built(collection, **LEFT_AND_RIGHT)
    assert set(build.pools.values_list("query_paper__name", flat=True)) == {"q2"}
    result = redrawn(collection, ("left",), ("imported",))
    assert (result.papers, result.kept) == (["q2"], {LIST_ONLY: ["q1"]})
    assert result.by_group["imported",].dropped == {}
    assert result.by_group["left",].dropped.keys() == {"q2"}


def test_pools_whose_manifest_has_no_plan_or_a_damaged_one_are_kept():
    collection = a_collection_with_two_papers()
    documents = {row.docno: row for row in collection.documents.all()}
    a_pool(collection.query_papers.get(name="q1"), [documents["d01"]], "left")
    assert redrawn(collection, ("left",)).kept == {WITHOUT_PLAN: ["q1"]}

    other = a_collection_with_three_runs("other")
    built(other, runs=RUNS)
    build = other.pool_builds.get()
    build.manifest["forced"] = ["unknown"]
    build.save()
    (reason,) = redrawn(other, ("up",)).kept
    assert "unknown is not among its runs" in reason


def test_pools_of_a_removed_run_are_kept_with_its_name(collection):
    built(collection, runs=RUNS)
    BuildRun.objects.filter(name="odd").update(run=None)
    assert redrawn(collection, ("up",)).kept == {LOST_RUN.format(name="odd"): ["q1"]}


def test_a_source_leaves_the_plan_as_drawn_and_as_forced_but_stays_excluded():
    plan = PoolPlan(runs=("a", "b"), forced=("cited", "b"), excluded=("a",))
    without = plan.without(["a", "cited"])
    assert (without.runs, without.forced, without.excluded) == (("b",), ("b",), ("a",))
