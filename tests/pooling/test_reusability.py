"""The predicted judged@20 of a system that does not contribute, against pools drawn by hand."""

from __future__ import annotations

import random

import numpy as np
import pytest

from pooling.reusability import SourceLeftOut, predict
from pooling.services import PoolPlan, estimate_pools
from tests.support.factories import DocumentFactory
from tests.support.pooling_scenes import a_listed_collection, a_listed_run

DOCNOS = [f"n{number:02}" for number in range(40)]


@pytest.fixture
def collection(db):
    return a_listed_collection()


def lists_of(seed: int) -> dict[str, list[str]]:
    rng = random.Random(seed)
    return {name: rng.sample(DOCNOS, 30) for name in ("bm25_title", "tfidf_title", "imported")}


def test_the_share_is_that_of_pools_drawn_by_hand(collection):
    """Depth-k pools are unions, so leaving a run out leaves the union of the others."""
    for docno in DOCNOS:
        DocumentFactory(collection=collection, docno=docno)
    lists = lists_of(1)
    kinds = {"bm25_title": "bm25", "tfidf_title": "tfidf", "imported": "file"}
    for name, docnos in lists.items():
        a_listed_run(collection, name, {"q1": docnos})
        collection.runs.filter(name=name).update(kind=kinds[name])
    plan = PoolPlan("depth_k", {"k": 8}, forced=(), runs=tuple(lists))

    found = estimate_pools(collection=collection, plan=plan).reusability

    def share(source: str, left_out: set[str]) -> float:
        pooled = {docno for name in lists if name not in left_out for docno in lists[name][:8]}
        return len(pooled & set(lists[source][:20])) / 20

    alone = {name: share(name, {name}) for name in lists}
    assert found.by_source.value == pytest.approx(np.mean(list(alone.values())))
    assert found.by_source.groups == 3
    assert found.by_source.lowest[1] == min(alone.values())
    assert (found.by_source.low, found.by_source.high) == (None, None)  # a single pool
    words = {"bm25_title", "tfidf_title"}
    lexical = np.mean([share(name, words) for name in words])
    assert found.by_family.value == pytest.approx(np.mean([lexical, alone["imported"]]))
    assert "no interval from 1 pool" in found.sentences[0]
    assert "each of 2 families" in found.sentences[1]


def test_a_plan_with_one_source_predicts_nothing(collection):
    a_listed_run(collection, "imported", {"q1": ["d01"]})
    plan = PoolPlan(parameters={"n": 3}, runs=("imported",))
    assert estimate_pools(collection=collection, plan=plan).reusability is None


def test_the_interval_has_the_width_of_the_standard_error():
    """A second implementation: the normal interval of the mean over 200 queries."""
    rng = np.random.default_rng(3)
    values = {name: rng.random(200) for name in ("a", "b")}
    groups = [
        SourceLeftOut(name, {f"q{number}": float(value) for number, value in enumerate(row)})
        for name, row in values.items()
    ]
    found = predict(groups, "seed")
    means = np.mean(list(values.values()), axis=0)
    half = 1.96 * means.std(ddof=1) / np.sqrt(200)
    assert found.value == pytest.approx(means.mean())
    assert found.low == pytest.approx(means.mean() - half, abs=0.1 * half)
    assert found.high == pytest.approx(means.mean() + half, abs=0.1 * half)
    assert found == predict(groups, "seed")
    assert found != predict(groups, "other")


def test_a_source_without_a_list_for_a_query_counts_on_its_other_queries():
    full = {f"q{number}": 1.0 for number in range(12)}
    found = predict(
        [SourceLeftOut("full", full), SourceLeftOut("one", {"q0": 0.0}), SourceLeftOut("none", {})],
        "s",
    )
    assert (found.value, found.groups, found.queries) == (0.5, 2, 12)
    assert found.lowest == ("one", 0.0)
    assert found.low == 0.5  # drawn with "q0": the mean of 1 and 0
    assert found.high == 1.0  # drawn without it: "one" has no value
    assert predict([SourceLeftOut("none", {})], "s") is None
