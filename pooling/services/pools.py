"""Pools: drawn from runs, stored as drafts, frozen when judging begins."""

from __future__ import annotations

from collections.abc import Collection as Group
from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.actions.kinds import ActionKind
from accounts.actions.services import record_action
from accounts.locking import lock_collection
from accounts.models import Collection, User
from corpus.models import QueryPaper
from corpus.state import (
    CorpusChanged,
    check_unchanged,
    corpus_digest,
    papers_with_queries,
)
from jobs.context import JobContext
from jobs.models import Job
from jobs.services import enqueue
from pooling.errors import PoolingError
from pooling.models import BuildRun, Pool, PoolBuild, PoolQuerySet
from pooling.services.drafts import (
    delete_replaced,
    discarded_on_failure,
    new_pool_file,
    show_pools,
    write_hidden,
)
from pooling.services.draw import draw_pools
from pooling.services.estimates import named_papers, papers_to_pool
from pooling.services.manifest import manifest_of
from pooling.services.plan_runs import InlineRunMaker, RunMaker, ensure_runs, run_names
from pooling.services.plans import PoolPlan
from retrieval.models import Run
from retrieval.services.query_texts import check_allowed


class ChangedMeanwhile(PoolingError):
    """An input of the pools changed while they were built."""

    def __init__(self, inputs: str) -> None:
        super().__init__(
            f"While pools were being built, {inputs} changed, so none were saved. Build them again."
        )


def request_pools(
    *,
    collection: Collection,
    plan: PoolPlan,
    requested_by: User | None,
    docnos: Sequence[str] = (),
    without_pool: bool = False,
) -> Job:
    """Queue the building of pools for every query paper whose pool is not frozen.

    With `docnos`, only for these query papers, which ids of queries may stand for; with
    `without_pool`, only for those that have no pool when the building begins. Raises PoolingError
    for an invalid plan, for query papers that cannot be pooled, and for an encoder without a run
    that this server does not allow.
    """
    plan.check()
    docnos = named_papers(collection, docnos) if docnos else ()
    if docnos or without_pool:
        _check_to_pool(papers_to_pool(collection, without_pool=without_pool), docnos)
    run_names = set(collection.runs.filter(name__in=plan.runs).values_list("name", flat=True))
    for name in sorted(set(plan.runs) - run_names):
        check_allowed(name)
    return enqueue(
        kind="build_pools",
        collection=collection,
        parameters=build_parameters(plan, docnos, without_pool=without_pool),
        requested_by=requested_by,
    )


def build_parameters(
    plan: PoolPlan, docnos: Sequence[str] = (), *, without_pool: bool = False
) -> dict[str, Any]:
    """The parameters of the job that builds the plan for these query papers."""
    papers = {"query_papers": list(docnos)} if docnos else {}
    return plan.as_json() | papers | ({"without_pool": True} if without_pool else {})


def build_pools(
    *,
    collection: Collection,
    plan: PoolPlan,
    work: JobContext,
    maker: RunMaker | None = None,
    built_by: User | None = None,
    docnos: Sequence[str] = (),
    without_pool: bool = False,
) -> PoolBuild:
    """Build the pool of every query paper without a frozen one; replaces drafts.

    With `docnos`, only of these query papers, which ids of queries may stand for; other drafts
    stay. With `without_pool`, only of those without a pool; all drafts stay. Built-in runs that are
    missing or out of date are made first, by `maker` or else in this job. The pools are written in
    hidden parts. All of them appear in one step, or none.

    Raises:
        CorpusChanged: the documents changed meanwhile.
        RetryLater: another job is making a run that is needed.
        PoolingError: the plan is invalid, a run is missing or cannot be made, there is nothing to
            build, a docno has no query or a frozen pool, or something that the pools depend on
            changed meanwhile.
    """
    plan.check()
    collection.refresh_from_db()  # the corpus version and the seed as they are now
    maker = maker or InlineRunMaker(collection, plan.depth, work)
    papers = _papers_to_pool(collection, docnos, without_pool=without_pool)
    names = run_names(collection, plan)
    maker.wait(names)
    digest = corpus_digest(collection)
    runs = ensure_runs(collection, names, plan.depth, digest, maker)
    with new_pool_file() as new_pools:
        for new_pool in draw_pools(collection, papers, plan, runs):
            new_pools.add(new_pool)
            work.progress(new_pools.count, len(papers), "pools drawn")
        check_unchanged(collection, digest, "pools were being built")
        manifest = manifest_of(collection, plan, runs, digest, new_pools)
        with work.fenced():
            build = PoolBuild.with_incomplete.create(
                collection=collection,
                manifest=manifest,
                built_by=built_by,
                last_part_at=timezone.now(),
            )
        with discarded_on_failure(build):
            write_hidden(build, new_pools, work)
            with work.fenced():
                now = lock_collection(collection)
                check_as_drawn(now, collection, plan, papers, runs)
                if without_pool:
                    _check_still_without(now, papers)
                _note_runs(build, plan, runs)
                show_pools(build, new_pools.count)
                work.complete({"pools": new_pools.count, "candidates": new_pools.candidates})
    delete_replaced(collection)
    return build


def check_buildable(
    collection: Collection, docnos: Sequence[str] = (), *, without_pool: bool = False
) -> None:
    """Raise PoolingError as `build_pools` does, for nothing to build or a docno without a query."""
    _papers_to_pool(collection, docnos, without_pool=without_pool)


def _papers_to_pool(
    collection: Collection, docnos: Sequence[str], *, without_pool: bool
) -> list[QueryPaper]:
    pools = _pools(collection) if without_pool else _pools(collection).frozen()
    pooled_ids = set(pools.values_list("query_paper_id", flat=True))
    papers = [paper for paper in papers_with_queries(collection) if paper.pk not in pooled_ids]
    if not papers and not collection.query_papers.exists():
        raise PoolingError("There are no queries yet. Add one first.")
    if not papers and not without_pool:
        raise PoolingError("There is nothing to build, because every pool is frozen.")
    by_docno = {paper.name: paper for paper in papers}
    docnos = named_papers(collection, docnos) if docnos else ()
    _check_to_pool(by_docno, docnos)
    return [by_docno[docno] for docno in sorted(set(docnos))] if docnos else papers


def _check_to_pool(papers: Group[str], docnos: Sequence[str]) -> None:
    """Check that there are query papers to pool, and that these docnos are among them."""
    if unknown := set(docnos) - set(papers):
        raise PoolingError(
            f"{min(unknown)} is not a query paper without a frozen pool. Remove it from the plan."
        )
    if not papers:
        raise PoolingError("There is nothing to build, because every query paper has a pool.")


def _check_still_without(collection: Collection, papers: Sequence[QueryPaper]) -> None:
    """Check, under the lock, that no other build has given these query papers a draft."""
    pooled_ids = set(_pools(collection).values_list("query_paper_id", flat=True))
    if pooled_ids & {paper.pk for paper in papers}:
        raise ChangedMeanwhile("the query papers without a pool")


def _pools(collection: Collection) -> PoolQuerySet:
    return Pool.with_hidden.order_by().filter(query_paper__collection=collection)


def check_as_drawn(
    now: Collection,
    then: Collection,
    plan: PoolPlan,
    papers: Sequence[QueryPaper],
    runs: Sequence[Run],
) -> None:
    """Check, under the lock, that drawing the pools now would give the same pools.

    Raises:
        CorpusChanged, PoolingError: something changed while they were drawn.
    """
    if now.corpus_version != then.corpus_version:
        raise CorpusChanged("pools were being built")
    if not plan.seed and now.seed != then.seed:
        raise ChangedMeanwhile("the seed of the collection")
    keys = {paper.pk for paper in papers}
    if keys - set(now.query_papers.filter(queries__isnull=False).values_list("pk", flat=True)):
        raise ChangedMeanwhile("the queries")
    if keys & set(_pools(now).frozen().values_list("query_paper_id", flat=True)):
        raise PoolingError("A pool was frozen while pools were being built. Build them again.")
    digests = dict(now.runs.values_list("pk", "sha256"))
    for run in runs:
        if digests.get(run.pk) != run.sha256:
            raise ChangedMeanwhile(f"the run {run.name}")


def _note_runs(build: PoolBuild, plan: PoolPlan, runs: Sequence[Run]) -> None:
    BuildRun.objects.bulk_create(
        BuildRun(build=build, run=run, name=run.name, use=plan.use_of(run.name), sha256=run.sha256)
        for run in runs
    )


def freeze_pool(*, pool: Pool) -> None:
    """Freeze the pool, which then never changes. Raises the errors of `freeze_pools`."""
    _freeze(pool.query_paper.collection, Pool.objects.drafts().filter(pk=pool.pk))


def freeze_pools(*, collection: Collection) -> int:
    """Freeze every draft pool of the collection; returns their number.

    Raises:
        PoolingError: a run that they were drawn from was removed or replaced since.
    """
    return _freeze(collection, Pool.objects.drafts().filter(query_paper__collection=collection))


def _freeze(collection: Collection, drafts: PoolQuerySet) -> int:
    with transaction.atomic():
        lock_collection(collection)
        lost_run = BuildRun.objects.filter(run=None, build__pools__in=drafts.order_by()).first()
        if lost_run is not None:
            raise PoolingError(
                f"The run {lost_run.name} was removed or replaced after these pools were drawn "
                "from it, so they can no longer be rebuilt and were not frozen. "
                "Build the pools again."
            )
        frozen = drafts.update(frozen_at=timezone.now())
        if frozen:
            record_action(
                kind=ActionKind.POOLS_FROZEN, collection=collection, details={"pools": frozen}
            )
        return frozen
