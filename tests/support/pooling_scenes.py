"""Collections whose runs are lists given by a test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from accounts.models import Collection
from corpus.services import create_query
from jobs.context import DirectRun
from pooling.models import Contribution, PoolBuild
from pooling.services import PoolPlan, build_pools, freeze_pools
from retrieval.formats import Scored
from retrieval.models import Run
from retrieval.services.runs import RunReport, store_run
from tests.support.factories import DocumentFactory, a_collection

DOCNOS = [f"d{number:02}" for number in range(1, 13)]


def a_listed_collection(slug: str = "small", cited: Sequence[str] = ("d02", "d05")) -> Collection:
    """Query paper q1 cites d02, d05 and a paper outside the corpus.

    The run `up` lists d01 to d12, and `down` the same in reverse.
    """
    collection = a_collection(slug)
    for docno in DOCNOS:
        DocumentFactory(collection=collection, docno=docno)
    DocumentFactory(collection=collection, docno="q1", references=[*cited, "elsewhere"])
    create_query(collection=collection, docno="q1", facet_key="method")
    a_listed_run(collection, "up", {"q1": DOCNOS})
    a_listed_run(collection, "down", {"q1": DOCNOS[::-1]})
    return collection


def a_listed_run(
    collection: Collection, name: str, lists: dict[str, list[str]], **fields: Any
) -> Run:
    """An imported run, unless `fields` set another kind."""
    run = Run(collection=collection, name=name, **{"kind": "file", **fields})
    run.depth = max(map(len, lists.values()), default=0)
    scored = {
        paper: [Scored(docno, 1 / rank) for rank, docno in enumerate(docnos, start=1)]
        for paper, docnos in lists.items()
    }
    return store_run(run, scored, RunReport(), DirectRun())


def built(collection: Collection, **fields: Any) -> PoolBuild:
    """Pools from `up` and `down`, unless `fields` set other runs."""
    plan = PoolPlan(**{"runs": ("up", "down"), "parameters": {"n": 3}, **fields})
    return build_pools(collection=collection, plan=plan, work=DirectRun())


def drawn_by(build: PoolBuild, docno: str = "q1") -> dict[str, list[str]]:
    """The documents of a pool in the order drawn, by drawer."""
    documents: dict[str, list[str]] = {}
    rows = Contribution.objects.filter(
        candidate__pool__build=build,
        candidate__pool__query_paper__name=docno,
        drawn=True,
    ).order_by("candidate__position")
    for source, document in rows.values_list("source", "candidate__document__docno"):
        documents.setdefault(source, []).append(document)
    return documents


def a_staged_collection() -> Collection:
    """Frozen pools of q1 and q2, each drawn from its own run of bm25_text."""
    collection = a_collection()
    for docno in [*DOCNOS, "q1", "q2"]:
        DocumentFactory(collection=collection, docno=docno)
    for paper in ("q1", "q2"):
        create_query(collection=collection, docno=paper, facet_key="method")
        a_stratified_sample(collection)
        freeze_pools(collection=collection)
    return collection


def a_stratified_sample(collection: Collection) -> PoolBuild:
    """The best 4 documents of bm25_text and half of the next 8."""
    rates = {"bounds": [4, 12], "rates": [1.0, 0.5]}
    plan = PoolPlan(strategy="stratified", parameters=rates, runs=("bm25_text",))
    return build_pools(collection=collection, plan=plan, work=DirectRun())
