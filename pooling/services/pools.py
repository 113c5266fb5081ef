"""Pools: drawn from runs, kept as drafts, frozen when judging begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.locking import lock_collection
from accounts.models import Collection, User
from corpus.models import QueryPaper
from jobs.models import Job
from jobs.services import enqueue
from jobs.work import Work
from pooling.models import BuildRun, Pool, PoolBuild, PoolQuerySet, Run
from pooling.services.asking import check_allowed
from pooling.services.corpus import CorpusChanged, check_unchanged, corpus_digest, papers_of
from pooling.services.drawing import drawn_pools
from pooling.services.errors import PoolingError
from pooling.services.keeping import Drawings, keep_drawings, remove_drafts, spooled
from pooling.services.manifest import manifest_of
from pooling.services.plan import PoolPlan
from pooling.services.waiting import OneByOne, RunMaker, names_of, runs_for


class ChangedMeanwhile(PoolingError):
    """What the pools were drawn from is no longer what it was."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"While pools were being built, {what} changed, so none was kept. Build them again."
        )


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
    *,
    collection: Collection,
    plan: PoolPlan,
    work: Work,
    maker: RunMaker | None = None,
    built_by: User | None = None,
) -> PoolBuild:
    """Build the pool of every query paper that has none frozen, replacing drafts.

    Built-in runs that are missing or older than the corpus are made first, by `maker` or else
    here. All pools appear in one transaction, or none does.

    Raises:
        CorpusChanged: documents came, went or changed meanwhile.
        NotYet: another job is making a run that is needed.
        PoolingError: the plan is wrong, a run does not exist or cannot be made, there is nothing
            to build, or what the pools were drawn from changed meanwhile.
    """
    plan.check()
    collection.refresh_from_db()  # the version of the corpus and the seed, as drawing begins
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
            check_as_drawn(lock_collection(collection), collection, plan, papers, runs)
            build = _keep_pools(collection, papers, plan, runs, manifest, drawings, built_by)
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


def check_as_drawn(
    now: Collection,
    then: Collection,
    plan: PoolPlan,
    papers: Sequence[QueryPaper],
    runs: Sequence[Run],
) -> None:
    """Check, under the lock, that the pools would be drawn the same from what is here now.

    Raises:
        CorpusChanged, PoolingError: naming what changed while they were drawn.
    """
    if now.corpus_version != then.corpus_version:
        raise CorpusChanged("pools were being built")
    if not plan.seed and now.seed != then.seed:
        raise ChangedMeanwhile("the seed of the collection")
    drawn = {paper.pk for paper in papers}
    if drawn - set(now.query_papers.filter(queries__isnull=False).values_list("pk", flat=True)):
        raise ChangedMeanwhile("the queries")
    if drawn & set(_pools(now).frozen().values_list("query_paper_id", flat=True)):
        raise PoolingError("A pool was frozen while this one was being built; build again.")
    digests = dict(now.runs.values_list("pk", "sha256"))
    for run in runs:
        if digests.get(run.pk) != run.sha256:
            raise ChangedMeanwhile(f"the run {run.name}")


def _keep_pools(
    collection: Collection,
    papers: list[QueryPaper],
    plan: PoolPlan,
    runs: Sequence[Run],
    manifest: dict[str, Any],
    drawings: Drawings,
    built_by: User | None,
) -> PoolBuild:
    drafts = _pools(collection).filter(query_paper__in=[paper.pk for paper in papers])
    remove_drafts(drafts.values_list("pk", flat=True))
    collection.pool_builds.filter(pools=None).delete()
    unused = Run.with_retired.filter(collection=collection, retired_at__isnull=False)
    unused.filter(build_runs=None).delete()
    build = PoolBuild.objects.create(collection=collection, manifest=manifest, built_by=built_by)
    BuildRun.objects.bulk_create(
        BuildRun(build=build, run=run, name=run.name, use=plan.use_of(run.name), sha256=run.sha256)
        for run in runs
    )
    keep_drawings(build, drawings)
    return build


def freeze_pool(*, pool: Pool) -> None:
    """Fix the pool for good; freezing twice changes nothing. Raises what `freeze_pools` raises."""
    _freeze(pool.query_paper.collection, Pool.objects.drafts().filter(pk=pool.pk))


def freeze_pools(*, collection: Collection) -> int:
    """Fix every draft pool of the collection; returns how many.

    Raises:
        PoolingError: a run that they were drawn from was removed or replaced since.
    """
    return _freeze(collection, Pool.objects.drafts().filter(query_paper__collection=collection))


def _freeze(collection: Collection, drafts: PoolQuerySet) -> int:
    with transaction.atomic():
        lock_collection(collection)
        lost = BuildRun.objects.filter(run=None, build__pools__in=drafts.order_by()).first()
        if lost is not None:
            raise PoolingError(
                f"The run {lost.name} was removed or replaced after these pools were drawn from "
                "it, so they can no longer be proved and were not frozen. Build the pools again."
            )
        return drafts.update(frozen_at=timezone.now())
