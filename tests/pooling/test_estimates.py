"""The size of a plan's pools before they are built, from a sample of the query papers."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from corpus.services import create_query
from jobs.context import DirectRun
from pooling.services import PoolPlan, build_pools, estimate_pools, estimates, freeze_pools
from pooling.strategies import STRATEGIES
from pooling.tables import pool_numbers
from tests.support.factories import DocumentFactory
from tests.support.pooling_scenes import DOCNOS, a_listed_collection, a_listed_run, built
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db

RUNS = ("up", "down")
SMALL = {
    "interleaved": {"n": 3},
    "sequential": {"n": 4},
    "depth_k": {"k": 4},
    "take_b": {"size": 30},
    "rrf": {"size": 5},
    "combmnz": {"size": 5},
    "rbp": {"size": 5},
    "uniform": {"size": 6, "depth": 10},
    "stratified": {"bounds": [2, 12], "rates": [1, 0.5]},
    "mdcr": {"n": 2, "top": 6},
}


@once_a_file
def collection():
    """q1 has two queries, q2 has one and a shorter list of `up`. d03 has no text."""
    made = a_listed_collection()
    create_query(collection=made, docno="q1", facet_key="result")
    DocumentFactory(collection=made, docno="q2", references=["d01"], year=1999)
    create_query(collection=made, docno="q2", facet_key="method")
    for name, lists in (
        ("up", {"q1": DOCNOS, "q2": DOCNOS[:4]}),
        ("down", {"q1": DOCNOS[::-1], "q2": DOCNOS[::-1]}),
    ):
        made.runs.get(name=name).delete()
        a_listed_run(made, name, lists)
    made.documents.filter(docno="d03").update(sentences=[], labels=[])
    return made


def many_papers(collection, number):
    """More query papers m00, m01, … with lists of the run `up` only."""
    docnos = [f"m{position:02}" for position in range(number)]
    for docno in docnos:
        DocumentFactory(collection=collection, docno=docno, references=["d02"])
        create_query(collection=collection, docno=docno, facet_key="method")
    collection.runs.get(name="up").delete()
    a_listed_run(collection, "up", dict.fromkeys(docnos, DOCNOS))


def estimate(collection, docnos=(), **fields):
    plan = PoolPlan(**{"runs": RUNS, "parameters": {"n": 3}, **fields})
    return estimate_pools(collection=collection, plan=plan, docnos=docnos)


def test_every_strategy_has_a_case():
    assert set(SMALL) == set(STRATEGIES)


@pytest.mark.parametrize("strategy", SMALL)
@pytest.mark.parametrize(
    "more", [{}, {"excluded": ("cited",), "forced": ()}, {"only": ("not_later",)}]
)
def test_an_estimate_from_all_query_papers_is_what_a_build_gives(collection, strategy, more):
    fields = {"strategy": strategy, "parameters": SMALL[strategy], "seed": "s", **more}

    found = estimate(collection, **fields)
    build = built(collection, **fields)

    numbers = pool_numbers(collection)
    shortfall = sum(build.pools.values_list("shortfall_sum", flat=True))
    assert found.is_exact
    assert (found.candidates, found.pairs) == (numbers.candidates, numbers.pairs)
    assert found.shortfall == shortfall


def test_pairs_are_counted_per_query_and_only_with_text(collection):
    found = estimate(collection, ["q1"], parameters={"n": 1}, runs=("up",), forced=())

    # d01 under two facets.
    assert (found.candidates, found.pairs) == (1, 2)

    found = estimate(collection, ["q1"], strategy="depth_k", parameters={"k": 3}, forced=())

    # d01 to d03 and d10 to d12, without d03.
    assert (found.candidates, found.pairs) == (6, 10)


def test_sources_add_documents_and_lack_some(collection):
    found = estimate(collection, ["q2"], parameters={"n": 5})

    assert [(source.name, source.documents, source.shortfall) for source in found.sources] == [
        ("cited", 1, 0),
        ("down", 5, 0),
        ("up", 3, 2),  # four documents in its list, and d01 is cited
    ]


def test_a_shortfall_of_the_whole_pool_belongs_to_no_source(collection):
    found = estimate(collection, strategy="take_b", parameters={"size": 30})

    assert [source.name for source in found.sources if source.is_whole_pool] == ["budget"]


def test_runs_that_share_their_best_documents_overlap(collection):
    a_listed_run(collection, "twin", {"q1": DOCNOS, "q2": DOCNOS[:4]})

    found = estimate(collection, runs=("up", "twin"))

    (pair,) = found.pair_overlaps
    assert (pair.name, pair.other, pair.percent) == ("twin", "up", 100)
    assert found.mean_overlap == 100


def test_an_only_run_overlaps_with_nothing(collection):
    assert estimate(collection, runs=("up",)).mean_overlap is None


def test_frozen_pools_are_not_estimated(collection):
    built(collection)
    freeze_pools(collection=collection)
    DocumentFactory(collection=collection, docno="q3")
    create_query(collection=collection, docno="q3", facet_key="method")

    assert estimate(collection).papers == 1


def test_without_query_papers_nothing_is_estimated(collection):
    found = estimate(collection, ["nothing"])

    assert (found.papers, found.sampled, found.candidates, found.pairs) == (0, 0, 0, 0)


# A sample


def test_a_sample_of_twenty_is_scaled_up(collection):
    many_papers(collection, 28)

    found = estimate(collection, runs=("up",), forced=())

    assert (found.papers, found.sampled, found.is_exact) == (30, 20, False)
    assert found.queries == 31


def test_the_sample_is_the_same_every_time_and_follows_the_seed(collection):
    many_papers(collection, 28)
    papers = estimates.papers_to_pool(collection)

    first = estimates._sample(papers, "s", [])

    assert first == estimates._sample(dict(reversed(papers.items())), "s", [])
    assert first != estimates._sample(papers, "other", [])


def test_where_lists_are_long_fewer_pools_are_drawn(collection):
    many_papers(collection, 28)
    collection.runs.filter(name="up").update(depth=10_000)

    assert estimate(collection, runs=("up",)).sampled == 10


def test_more_query_papers_cost_no_more_queries(collection):
    plan = PoolPlan(runs=RUNS)

    def query_count():
        with CaptureQueriesContext(connection) as captured:
            estimate_pools(collection=collection, plan=plan)
        return len(captured)

    expected = query_count()
    many_papers(collection, 28)

    assert query_count() == expected


@pytest.mark.parametrize("only", [(), ("not_later",)])
def test_an_estimate_only_reads(collection, only):
    with CaptureQueriesContext(connection) as captured:
        estimate(collection, only=only)

    assert {query["sql"].split()[0] for query in captured} == {"SELECT"}


# Lists that the build computes


def test_a_retriever_that_has_not_run_is_missing_for_every_sampled_paper(collection):
    found = estimate(collection, runs=("up", "bm25_title"))

    assert found.missing == {"bm25_title": 2}
    assert not found.is_exact


def test_a_query_paper_added_after_the_retriever_ran_has_no_list_and_no_shortfall(collection):
    build_pools(collection=collection, plan=PoolPlan(runs=("bm25_title",)), work=DirectRun())
    DocumentFactory(collection=collection, docno="q3", title="parsing trees")
    create_query(collection=collection, docno="q3", facet_key="method")

    found = estimate(collection, ["q3"], runs=("bm25_title",), forced=())

    assert (found.missing, found.shortfall) == ({"bm25_title": 1}, 0)


def test_a_run_shallower_than_the_depth_runs_again(collection):
    plan = PoolPlan(runs=("bm25_title",), depth=20)
    build_pools(collection=collection, plan=plan, work=DirectRun())

    assert estimate(collection, runs=("bm25_title",), depth=20).shallow == ()
    assert estimate(collection, runs=("bm25_title",), depth=21).shallow == ("bm25_title",)
