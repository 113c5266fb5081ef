"""Drafts of pools: drawn by a job, looked at, then frozen or discarded.

A plan is what the build form asks for: {"strategy": "interleaved", "n": 12, "sources": [names of runs],
"forced": ["cited"], "depths": {query: its own n}, "queries": [names, or none for all without a frozen pool],
"adds": true to add to frozen pools, as their next round}. A draft of mdcr's adds "overlaps" of all these sources,
and keeps the chosen three.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Exists, Max, OuterRef
from django.utils import timezone

from accounts.models import Collection, User, Verb
from accounts.record import record
from accounts.services import lock_collection
from corpus.models import Query
from jobs.models import Job
from jobs.work import Work, job, start_once
from pooling import mdcr
from pooling.drawing import DrawnPool, citations_for, draw_pool, lists_of, pooled_before
from pooling.manifest import manifest_of
from pooling.models import Candidate, Contribution, Pool, PoolSet
from pooling.strategies import draw
from retrieval.citations import CITED
from retrieval.models import Run
from web.errors import BadInput, Conflict
from web.templatetags.ui import plural


def start_building(*, collection: Collection, plan: dict[str, Any], by: User | None) -> Job:
    """Start the job, if the plan can be carried out."""
    runs = checked_runs(collection, plan)
    queries = queries_to_pool(collection, plan)
    if plan["strategy"] == mdcr.STRATEGY:
        mdcr.check_inputs(queries, runs)
    return start_once("build_pools", collection=collection, by=by, plan=plan)


@job("build_pools")
def build_pools(work: Work, *, plan: dict[str, Any]) -> None:
    """Draw the pools of a plan. They replace the collection's draft, all at once."""
    collection = work.collection
    runs = checked_runs(collection, plan)
    queries = queries_to_pool(collection, plan)
    if plan["strategy"] == mdcr.STRATEGY:
        mdcr.check_inputs(queries, runs)
        overlaps = mdcr.overlaps(queries, runs)
        plan = plan | {"overlaps": overlaps, "sources": list(overlaps)[: mdcr.MODELS]}
        runs = [run for run in runs if run.name in plan["sources"]]
    citations = citations_for(plan, queries)
    round_number = next_round(collection) if plan.get("adds") else 1
    drawn = []
    for number, query in enumerate(queries, 1):
        before = pooled_before(query, round_number)
        drawn.append(draw_pool(query, plan, lists_of(query, runs), collection.seed, citations, before))
        work.progress(number, len(queries), "queries")
    with work.commit() as result:
        lock_collection(collection)
        refuse_frozen(queries, round_number)
        collection.pool_sets.drafts().delete()
        draft = PoolSet.objects.create(collection=collection, plan=plan, round=round_number)
        for query, pool in zip(queries, drawn, strict=True):
            save_pool(draft, query, pool, {run.name: run.pk for run in runs})
        result |= {"pools": len(drawn), "pairs": sum(len(pool.documents) for pool in drawn)}


def checked_runs(collection: Collection, plan: dict[str, Any]) -> list[Run]:
    """The runs that a plan draws from, by name. Raises BadInput with the first fault of the plan."""
    if unknown := [name for name in plan["forced"] if name != CITED]:
        raise BadInput(f"{unknown[0]!r} cannot be forced. Use {CITED!r}, what the query paper cites.")
    sources, forced = dict.fromkeys(plan["sources"], ()), dict.fromkeys(plan["forced"], ())
    for n in (plan["n"], *plan["depths"].values()):
        draw(plan["strategy"], sources, n, order=(), forced=forced)  # of empty lists, for what it refuses
    if not plan["sources"]:
        raise BadInput("Choose at least one run to draw from.")
    if plan["strategy"] == mdcr.STRATEGY and plan.get("adds"):
        raise BadInput("mdcr draws whole pools. Choose another strategy to add to frozen ones.")
    if plan["strategy"] == mdcr.STRATEGY and plan["forced"]:
        raise BadInput("mdcr draws five of what the query paper cites, so it cannot begin with all of it.")
    runs = collection.runs.filter(name__in=plan["sources"])
    if unknown := sorted(set(plan["sources"]) - {run.name for run in runs}):
        raise BadInput(f"{collection} has no run {unknown[0]!r}. Make or import it first.")
    queries = [*plan["depths"], *plan["queries"]]
    known = collection.queries.filter(name__in=queries).values_list("name", flat=True)
    if unknown := sorted(set(queries) - set(known)):
        raise BadInput(f"{collection} has no query {unknown[0]!r}.")
    return sorted(runs, key=lambda run: run.name)


def queries_to_pool(collection: Collection, plan: dict[str, Any]) -> list[Query]:
    """The queries of these names; without any, all that have no frozen pool, or that have one to add to."""
    queries = collection.queries.select_related("document", "collection").order_by("name")
    has_pool = Exists(Pool.objects.filter(query=OuterRef("pk"), pool_set__frozen_at__isnull=False))
    wanted = queries.filter(has_pool) if plan.get("adds") else queries.filter(~has_pool)
    if not plan["queries"]:
        if not wanted:
            raise Conflict(
                "No pool is frozen yet, so there is nothing to add to. Build the first pools."
                if plan.get("adds")
                else "No query is without a frozen pool. Add queries first."
            )
        return list(wanted)
    chosen = list(queries.filter(name__in=plan["queries"]))
    if not plan.get("adds"):
        refuse_frozen(chosen, 1)
    elif missing := sorted({query.name for query in chosen} - {query.name for query in wanted}):
        raise Conflict(f"{missing[0]} has no frozen pool to add to. Leave it out.")
    return chosen


def next_round(collection: Collection) -> int:
    latest: int | None = collection.pool_sets.frozen().aggregate(latest=Max("round"))["latest"]
    return (latest or 0) + 1


def refuse_frozen(queries: Iterable[Query], round_number: int) -> None:
    """A query is pooled once in a round. Callers hold the collection's lock where it decides."""
    frozen = Pool.objects.filter(query__in=list(queries), pool_set__frozen_at__isnull=False)
    pools = frozen.filter(pool_set__round__gte=round_number)
    if pool := pools.select_related("query").order_by("query__name").first():
        raise Conflict(f"{pool.query.name} has a frozen pool already, which does not change. Leave it out.")


def save_pool(draft: PoolSet, query: Query, drawn: DrawnPool, run_keys: dict[str, int]) -> None:
    pool = Pool.objects.create(pool_set=draft, query=query, source_order=drawn.order, shortfall=drawn.shortfall)
    pooled = [each.docno for each in drawn.documents]
    documents = dict(draft.collection.documents.filter(docno__in=pooled).values_list("docno", "pk"))
    if gone := [docno for docno in pooled if docno not in documents]:
        raise Conflict(f"{gone[0]} is ranked for {query.name}, but is no document any more. Make its run again.")
    candidates = Candidate.objects.bulk_create(
        Candidate(pool=pool, document_id=documents[each.docno], position=position, source=each.source)
        for position, each in enumerate(drawn.documents, 1)
    )
    Contribution.objects.bulk_create(
        [
            Contribution(candidate=candidate, run_id=run_keys[run], rank=rank, score=score, drawn=run == each.source)
            for candidate, each in zip(candidates, drawn.documents, strict=True)
            for run, rank, score in each.ranks
        ]
    )


@transaction.atomic
def freeze_pools(*, collection: Collection, pk: int) -> PoolSet:
    """Fix a draft for good, with the manifest that draws it again. Empty pools are left out."""
    draft = locked_draft(collection, pk)
    draft.pools.filter(candidates=None).delete()
    queries = draft.collection.queries.filter(pools__pool_set=draft)
    if not queries:
        raise Conflict("No pool has a document, so there is nothing to freeze.")
    refuse_frozen(queries, draft.round)
    try:
        manifest = manifest_of(draft, draft.plan, draft.collection.seed)
    except Conflict as difference:
        raise Conflict(f"{difference} Runs, citations or the seed changed. Build the pools again.") from None
    # One statement: a frozen set refuses any other.
    PoolSet.objects.filter(pk=draft.pk).update(manifest=manifest, frozen_at=timezone.now())
    draft.refresh_from_db()
    record(Verb.FROZE, collection=collection, object=f"of {plural(len(queries), 'query,queries')}", round=draft.round)
    return draft


@transaction.atomic
def discard_draft(*, collection: Collection, pk: int) -> None:
    locked_draft(collection, pk).delete()
    record(Verb.DELETED, collection=collection, object="draft pools")


def freeze_given(*, collection: Collection, documents: Mapping[Query, Sequence[int]], source: str) -> None:
    """Frozen pools of documents (their keys) that came judged from a file: a query's first ones, or its next round.

    Callers hold the collection's lock, and give no document that is in a frozen pool of the query.
    """
    with_pool = set(Pool.objects.filter(pool_set__in=collection.pool_sets.frozen()).values_list("query", flat=True))
    rounds: dict[int, list[Query]] = defaultdict(list)
    later = next_round(collection)
    for query in documents:
        rounds[later if query.pk in with_pool else 1].append(query)
    for number, queries in rounds.items():
        made = PoolSet.objects.create(collection=collection, plan={}, round=number)
        pools = Pool.objects.bulk_create(Pool(pool_set=made, query=query) for query in queries)
        Candidate.objects.bulk_create(
            (
                Candidate(pool=pool, document_id=key, position=position, source=source)
                for pool in pools
                for position, key in enumerate(documents[pool.query], 1)
            ),
            batch_size=1000,
        )
        PoolSet.objects.filter(pk=made.pk).update(frozen_at=timezone.now())


def locked_draft(collection: Collection, pk: int) -> PoolSet:
    """The draft, with its collection locked until the transaction ends."""
    lock_collection(collection)
    draft = PoolSet.objects.drafts().select_related("collection").filter(collection=collection, pk=pk).first()
    if draft is None:
        raise Conflict("These pools were frozen, replaced or discarded meanwhile. Look at the page again.")
    return draft
