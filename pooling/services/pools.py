"""Pools: drawn from runs, kept as drafts, frozen when judging begins."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from itertools import repeat
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.models import Collection, User
from corpus.models import QueryPaper
from jobs.models import Job
from jobs.services import enqueue
from jobs.work import Work
from pooling import strategies
from pooling.formats import Scored
from pooling.models import Pool, PoolBuild, PoolQuerySet, Ranking, Run
from pooling.services.corpus import (
    check_unchanged,
    corpus_digest,
    in_batches,
    known_documents,
    papers_of,
)
from pooling.services.errors import PoolingError
from pooling.services.keeping import Drawing, Drawings, keep_drawings, remove_drafts, spooled
from pooling.services.manifest import manifest_of
from pooling.services.plan import PoolPlan
from pooling.services.waiting import OneByOne, RunMaker, names_of, runs_for

DRAWN_TOGETHER = 20  # query papers; ten lists of 500 for each of them take some 15 MB


def request_pools(*, collection: Collection, plan: PoolPlan, requested_by: User | None) -> Job:
    """Queue the building of pools for every query paper whose pool is not frozen."""
    plan.check()
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
    names = names_of(collection, plan.runs)
    maker.wait(names)
    digest = corpus_digest(collection)
    runs = runs_for(collection, names, plan.depth, digest, maker)
    with spooled() as drawings:
        for drawing in _drawn(collection, papers, plan, runs):
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


def _drawn(
    collection: Collection, papers: list[QueryPaper], plan: PoolPlan, runs: list[Run]
) -> Iterator[Drawing]:
    """The pool of every query paper, in order; lists and documents are read for many at a time."""
    for batch in in_batches(papers, DRAWN_TOGETHER):
        stored = _stored(batch, runs)
        cited = {docno for paper in batch for docno in paper.document.references}
        known = known_documents(collection, cited)
        pools = [
            draw_pool(paper, plan, _rankings(stored[paper.pk], runs), known) for paper in batch
        ]
        pooled = {entry.docno for pool, _ in pools for entry in pool.entries}
        documents = known_documents(collection, pooled)
        for paper, (pool, contributions) in zip(batch, pools, strict=True):
            yield Drawing(
                paper.pk,
                paper.document.docno,
                pool,
                contributions,
                {entry.docno: documents[entry.docno] for entry in pool.entries},
            )


Stored = tuple[list[str], list[float]]  # docnos and scores, as a ranking has them


def _stored(papers: list[QueryPaper], runs: list[Run]) -> dict[int, dict[str, Stored]]:
    """What the runs have for the query papers, by query paper and run."""
    names = {run.pk: run.name for run in runs}
    lists: dict[int, dict[str, Stored]] = {paper.pk: {} for paper in papers}
    rows = Ranking.objects.order_by().filter(run__in=runs, query_paper__in=papers)
    for paper, run, *stored in rows.values_list("query_paper_id", "run_id", "docnos", "scores"):
        lists[paper][names[run]] = (stored[0], stored[1])
    return lists


def _rankings(stored: Mapping[str, Stored], runs: list[Run]) -> dict[str, list[Scored]]:
    """The ranked list of every run; empty where it has none.

    Made for one query paper at a time, and past Scored's own constructor: there are millions of
    them, and with many alive the garbage collector takes longer than all the rest.
    """
    none: Stored = ([], [])
    return {
        run.name: list(
            map(tuple.__new__, repeat(Scored), zip(*stored.get(run.name, none), strict=True))
        )
        for run in runs
    }


def draw_pool(
    paper: QueryPaper,
    plan: PoolPlan,
    rankings: Mapping[str, list[Scored]],
    known: Container[str],
) -> tuple[strategies.Drawn, tuple[strategies.Contribution, ...]]:
    """One query paper's pool and who has its documents; `known` are the docnos of the corpus."""
    forced = {source: _forced(source, paper, known) for source in plan.forced}
    seed, docno = plan.seed or paper.collection.seed, paper.document.docno
    drawn = strategies.pool(plan.strategy, plan.parameters, rankings, forced, seed, docno)
    return drawn, tuple(strategies.contributions(drawn, rankings, forced))


def _forced(source: str, paper: QueryPaper, known: Container[str]) -> list[str]:
    """The documents a forced source gives: `cited` gives those the query paper cites."""
    return [docno for docno in dict.fromkeys(paper.document.references) if docno in known]


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
