"""Pools: drawn from runs, kept as drafts, frozen when judging begins."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.models import Collection, User
from corpus.models import QueryPaper
from jobs.models import Job
from jobs.services import enqueue
from jobs.work import Work
from pooling.models import Pool, PoolBuild, PoolQuerySet
from pooling.services.asking import check_allowed
from pooling.services.corpus import check_unchanged, corpus_digest, papers_of
from pooling.services.drawing import drawn_pools
from pooling.services.errors import PoolingError
from pooling.services.keeping import Drawings, keep_drawings, remove_drafts, spooled
from pooling.services.manifest import manifest_of
from pooling.services.plan import PoolPlan
from pooling.services.waiting import OneByOne, RunMaker, names_of, runs_for


def request_pools(*, collection: Collection, plan: PoolPlan, requested_by: User | None) -> Job:
    """Queue the building of pools for every query paper whose pool is not frozen.

    Raises PoolingError for a plan that is wrong, or that names an encoder which may not be named
    here and has made no run yet.
    """
    plan.check()
    made = set(collection.runs.filter(name__in=plan.runs).values_list("name", flat=True))
    for name in sorted(set(plan.runs) - made):
        check_allowed(name)
    return enqueue(
        kind="build_pools",
        collection=collection,
        parameters=plan.as_json(),
        requested_by=requested_by,
    )


def build_pools(
    *, collection: Collection, plan: PoolPlan, work: Work, maker: RunMaker | None = None
) -> PoolBuild:
    """Build the pool of every query paper that has none frozen, replacing drafts.

    Built-in runs that are missing or older than the corpus are made first, by `maker` or else
    here. All pools appear in one transaction, or none does.

    Raises:
        CorpusChanged: documents came, went or changed meanwhile.
        NotYet: somebody else makes a run that is needed.
        PoolingError: the plan is wrong, a run does not exist or cannot be made, or there is
            nothing to build.
    """
    plan.check()
    maker = maker or OneByOne(collection, plan.depth, work)
    papers = _papers_to_pool(collection)
    names = names_of(collection, plan)
    maker.wait(names)
    digest = corpus_digest(collection)
    runs = runs_for(collection, names, plan.depth, digest, maker)
    with spooled() as drawings:
        for drawing in drawn_pools(collection, papers, plan, runs):
            drawings.add(drawing)
            work.progress(drawings.count, len(papers), "pools drawn")
        check_unchanged(collection, digest, "pools were being built")
        manifest = manifest_of(collection, plan, runs, digest, drawings)
        work.progress(len(papers), len(papers), "pools drawn; writing them in one step")
        with work.fenced():
            build = _keep_pools(collection, papers, manifest, drawings)
            work.complete({"pools": drawings.count, "candidates": drawings.candidates})
    return build


def _papers_to_pool(collection: Collection) -> list[QueryPaper]:
    frozen = set(_pools(collection).frozen().values_list("query_paper_id", flat=True))
    papers = [paper for paper in papers_of(collection) if paper.pk not in frozen]
    if not papers:
        raise PoolingError(
            "Every pool is frozen already, so there is nothing to build."
            if collection.query_papers.exists()
            else "There are no queries yet; add one first."
        )
    return papers


def _pools(collection: Collection) -> PoolQuerySet:
    return Pool.objects.order_by().filter(query_paper__collection=collection)


def _keep_pools(
    collection: Collection,
    papers: list[QueryPaper],
    manifest: dict[str, Any],
    drawings: Drawings,
) -> PoolBuild:
    built = {paper.pk for paper in papers}
    pools = dict(_pools(collection).values_list("query_paper_id", "pk"))
    if built & set(_pools(collection).frozen().values_list("query_paper_id", flat=True)):
        raise PoolingError("A pool was frozen while this one was being built; build again.")
    remove_drafts(pool for paper, pool in pools.items() if paper in built)
    collection.pool_builds.filter(pools=None).delete()
    build = PoolBuild.objects.create(collection=collection, manifest=manifest)
    keep_drawings(build, drawings)
    return build


def freeze_pool(*, pool: Pool) -> None:
    """Fix the pool for good; freezing twice changes nothing."""
    Pool.objects.drafts().filter(pk=pool.pk).update(frozen_at=timezone.now())


def freeze_pools(*, collection: Collection) -> int:
    """Fix every draft pool of the collection; returns how many."""
    with transaction.atomic():
        drafts = Pool.objects.drafts().filter(query_paper__collection=collection)
        return drafts.update(frozen_at=timezone.now())
