"""Jobs that make runs, pools, openings and imported judgments."""

from __future__ import annotations

from collections.abc import Callable

from adjudication.judgment_import import ImportOptions
from adjudication.judgment_import.uploads import request_judgments
from annotation.guidelines.changes import request_guideline
from annotation.team import (
    plan_new_pairs,
    plan_opening,
    plan_rebalancing,
    request_new_pairs,
    request_opening,
    request_rebalancing,
)
from evaluation.top_ups.services import TopUp, request_top_up
from jobs.models import Job
from planning.yields.report import YieldReport
from pooling.checks import PoolChecks
from pooling.services import PoolPlan, freeze_pools, request_pools
from reports.services import request_report
from retrieval.services.runs import RunOptions, request_run
from retrieval.uploads import request_embeddings, request_run_imports
from tests.support.factories import a_collection, an_open_query, annotators, member
from tests.support.job_scenes.files import admin, array, text
from tests.support.pooling_scenes import DOCNOS, a_listed_collection, built
from tests.support.release_scenes import a_judged_collection, an_opened_collection
from tests.support.rounds import a_frozen_collection, late
from tests.support.rounds import top_up as add_round


def retrieval() -> Job:
    return request_run(collection=a_listed_collection(), name="bm25_text", requested_by=None)


def run_file() -> Job:
    lines = [f"q1 Q0 {docno} {rank} {1 / rank} mine" for rank, docno in enumerate(DOCNOS, 1)]
    (job,) = request_run_imports(
        collection=a_listed_collection(),
        files=[("mine", text(*lines))],
        options=RunOptions(),
        requested_by=None,
    )
    return job


def vectors() -> Job:
    collection = a_listed_collection()
    docnos = [*DOCNOS, "q1"]
    return request_embeddings(
        collection=collection,
        vectors=array([[n + 1.0, 1.0] for n in range(len(docnos))]),
        docnos=text(*docnos),
        name="specter",
        requested_by=None,
    )


def pools() -> Job:
    plan = PoolPlan(runs=("up", "down"), parameters={"n": 2})
    return request_pools(collection=a_listed_collection(), plan=plan, requested_by=None)


def pool_checks() -> Job:
    collection = a_listed_collection()
    built(collection)
    return request_report(PoolChecks(), collection=collection)


def opening() -> Job:
    collection = a_listed_collection()
    built(collection)
    freeze_pools(collection=collection)
    plan = plan_opening(
        collection=collection,
        queries=list(collection.queries.all()),
        annotators=annotators(collection),
    )
    return request_opening(collection=collection, plan=plan, requested_by=None)


def rebalancing() -> Job:
    collection = an_opened_collection()
    team = [*annotators(collection), member(collection, "annotator", "ann3")]
    plan = plan_rebalancing(collection=collection, annotators=team)
    return request_rebalancing(collection=collection, plan=plan, requested_by=None)


def guideline() -> Job:
    collection = an_opened_collection()
    query = collection.queries.filter(opening__isnull=False).select_related("facet").first()
    return request_guideline(
        collection=collection,
        queries=[query.name],
        guideline=query.facet.guidelines.first(),
        reason="All again.",
        judge_again=True,
        made_by=None,
    )


def yields() -> Job:
    return request_report(YieldReport(), collection=a_judged_collection())


def judgments() -> Job:
    collection = a_listed_collection()
    built(collection)
    rows = [f"q1_method,{docno},{name},1" for docno in DOCNOS for name in ("mara", "ines")]
    return request_judgments(
        collection=collection,
        uploads=[text("query,docno,annotator,grade", *rows)],
        options=ImportOptions(replace_drafts=True),
        requested_by=admin(),
    )


def top_up() -> Job:
    collection = a_frozen_collection()
    late(collection, "late", ["d06", "d07"])
    request = TopUp(runs=("late",), reason="Late.")
    return request_top_up(collection=collection, top_up=request, requested_by=None)


def pool_round() -> Job:
    opening = an_open_query(a_collection(), size=3)
    add_round(opening, 2)
    collection = opening.query.collection
    plan = plan_new_pairs(collection=collection)
    return request_new_pairs(collection=collection, plan=plan, requested_by=None)


SCENES: dict[str, Callable[[], Job]] = {
    "retrieve": retrieval,
    "import_run": run_file,
    "import_embeddings": vectors,
    "build_pools": pools,
    "check_pools": pool_checks,
    "open_queries": opening,
    "rebalance_seats": rebalancing,
    "top_up_pools": top_up,
    "open_pool_round": pool_round,
    "apply_guideline": guideline,
    "compute_yields": yields,
    "import_judgments": judgments,
}
