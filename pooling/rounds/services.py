"""Previewing and writing a pool round.

Documents are chosen before the lock, into a file on disk. The round is then written and frozen in
one transaction under the collection's lock, because its candidates would be seen at once: they
belong to frozen pools, which all pages show.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection as Group
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.utils import timezone

from accounts.actions.kinds import ActionKind, SubjectKind
from accounts.actions.services import record_action
from accounts.actions.subjects import about
from accounts.locking import lock_collection
from accounts.models import Collection, User
from corpus.models import QueryPaper
from corpus.state import CorpusChanged, corpus_digest, corpus_documents
from database.consistent_reads import batched
from jobs.context import JobContext
from pooling.errors import PoolingError
from pooling.models import Candidate, Pool, PoolRound, RoundChoice, RoundList
from pooling.provenance import pooled_digest
from pooling.rounds.choice import (
    ListedPlace,
    TopicList,
    added_contributions,
    added_pool,
    best_places,
    places_by_run,
    sampled_places,
)
from pooling.rounds.lists import LateRun
from pooling.rounds.manifest import ROUND_FORMAT, previous_manifests, round_digest
from pooling.rounds.plans import RoundPlan
from pooling.services.drafts import NewPool, NewPoolFile, insert_candidates, new_pool_file
from pooling.services.manifest import versions
from pooling.strategies import DrawnContribution, DrawnPool, own_docnos
from retrieval.formats import write_run
from retrieval.services.run_files import TAG, LinesDigest

BATCH_SIZE = 20  # query papers; ten lists of 100 for each of them take some 3 MB


class NothingToAdd(PoolingError):
    """No run has a document that the pools lack, or none that the round may add."""

    def __init__(self, plan: RoundPlan) -> None:
        super().__init__(
            "The pools contain everything that these runs have to this depth, so no round was "
            "added. Choose a greater depth, or other runs."
            if plan.only is None
            else "These runs have no document to this depth that the round may add, so no round "
            "was added."
        )


class ChangedWhileChosen(PoolingError):
    """An input of the round changed while its documents were chosen."""

    def __init__(self, inputs: str) -> None:
        super().__init__(
            f"While documents were being chosen, {inputs} changed, so no round was added. "
            "Add it again."
        )


class FrozenPaper(NamedTuple):
    """A query paper with a frozen pool, and the documents of the pool in order."""

    paper: QueryPaper
    pool: int
    docnos: tuple[str, ...]


class Addition(NamedTuple):
    """The documents that a round adds to one pool.

    `outside` are listed documents that the corpus lacks.
    """

    pooled: FrozenPaper
    lists: list[TopicList]  # to the round's depth
    outside: list[str]
    pool: DrawnPool
    contributions: tuple[DrawnContribution, ...]


@dataclass
class RoundPreview:
    """The additions of a round that is not written.

    `documents` are by query paper, without those that get none.
    `without_text` are documents that are pooled and not judged. `pairs` counts each document for
    each query of its paper. `waiting` are query papers whose pool is a draft.
    """

    number: int
    documents: dict[str, int] = field(default_factory=dict)
    by_run: dict[str, int] = field(default_factory=dict)  # by the run with the best rank
    pairs: int = 0
    without_text: int = 0
    waiting: int = 0

    @property
    def total(self) -> int:
        return sum(self.documents.values())

    def as_json(self) -> dict[str, Any]:
        return {
            "round": self.number,
            "documents": self.documents,
            "total": self.total,
            "by_run": self.by_run,
            "pairs": self.pairs,
            "without_text": self.without_text,
            "draft_pools": self.waiting,
        }


def next_number(collection: Collection) -> int:
    last = collection.pool_rounds.order_by("number").last()
    return last.number + 1 if last else 2


def additions(
    collection: Collection, plan: RoundPlan, runs: Sequence[LateRun], *, number: int
) -> Iterator[Addition]:
    """The additions to each frozen pool that the round may add to, by query paper.

    Also pools that get no document, if some run has a list for them: the manifest proves that, too.
    """
    seed, values = plan.seed or collection.seed, plan.values
    pools = _frozen_pools(collection, plan)
    for batch in batched(pools, BATCH_SIZE):
        docnos = pooled_docnos(batch, before_round=number)
        pooled = [FrozenPaper(pool.query_paper, pool.pk, tuple(docnos[pool.pk])) for pool in batch]
        lists: dict[int, list[TopicList]] = defaultdict(list)
        for run in runs:
            for paper, (name, topic, ranking) in run.lists([each.paper for each in pooled]):
                lists[paper].append(TopicList(name, topic, ranking[: plan.depth]))
        listed = {docno for own in lists.values() for each in own for docno in each.ranking.docnos}
        corpus = corpus_documents(collection, listed)
        for each in pooled:
            if own := lists[each.paper.pk]:
                outside = {docno for _, _, ranking in own for docno in ranking.docnos} - {*corpus}
                yield _addition(each, own, sorted(outside), plan, values, seed, number)


def _addition(
    pooled: FrozenPaper,
    lists: list[TopicList],
    outside: list[str],
    plan: RoundPlan,
    values: dict[str, Any],
    seed: str,
    number: int,
) -> Addition:
    paper = pooled.paper
    lists.sort(key=lambda each: (each.run, each.topic))
    pool, contributions = choose(
        lists,
        {*pooled.docnos, *outside, *own_docnos(paper.name, is_topic=paper.is_topic)},
        only=plan.only[paper.name] if plan.only else None,
        depth=plan.depth,
        parameters=values if plan.choice == RoundChoice.SAMPLE else None,
        seed=seed,
        number=number,
        query_paper=paper.name,
        pooled=len(pooled.docnos),
    )
    return Addition(pooled, lists, outside, pool, contributions)


def choose(
    lists: Sequence[TopicList],
    skipped_docnos: set[str],
    *,
    only: Group[str] | None,
    depth: int,
    parameters: dict[str, Any] | None,
    seed: str,
    number: int,
    query_paper: str,
    pooled: int,
) -> tuple[DrawnPool, tuple[DrawnContribution, ...]]:
    """The documents that a round adds to a pool of `pooled` documents, with their sources.

    `only` are the documents that it may add; None for all. `parameters` are those of a sample.
    """
    places = places_by_run(lists, depth)
    added: list[ListedPlace] = [
        place
        for place in best_places(places, skipped_docnos)
        if only is None or place.docno in only
    ]
    inclusion = None
    if parameters:
        added, inclusion = sampled_places(
            added, **parameters, seed=seed, number=number, query_paper=query_paper
        )
    pool = added_pool(places, added, inclusion, pooled=pooled)
    return pool, tuple(added_contributions(pool, places))


def _frozen_pools(collection: Collection, plan: RoundPlan) -> list[Pool]:
    pools = Pool.objects.frozen().filter(query_paper__collection=collection)
    if plan.only is not None:
        pools = pools.filter(query_paper__name__in=list(plan.only))
    pools = pools.select_related("query_paper__document", "query_paper__topic")
    return sorted(pools, key=lambda pool: pool.query_paper.name)


def _frozen_keys(collection: Collection) -> set[int]:
    pools = Pool.objects.frozen().filter(query_paper__collection=collection)
    return set(pools.order_by().values_list("pk", flat=True))


def pooled_docnos(pools: Sequence[Pool], *, before_round: int) -> dict[int, list[str]]:
    """The documents that each pool had before a round, in order, by the pool's primary key."""
    docnos: dict[int, list[str]] = defaultdict(list)
    rows = Candidate.objects.filter(pool__in=pools, round__lt=before_round)
    for pool, docno in rows.order_by("pool", "position").values_list("pool", "document__docno"):
        docnos[pool].append(docno)
    return docnos


def preview_round(
    collection: Collection, plan: RoundPlan, runs: Sequence[LateRun], work: JobContext
) -> RoundPreview:
    """The additions of the round, by numbers. Writes nothing.

    Raises:
        PoolingError: the plan is invalid, or no pool is frozen.
    """
    _check(collection, plan, runs)
    preview = RoundPreview(next_number(collection), by_run={run.name: 0 for run in runs})
    queries: dict[int, int] = defaultdict(int)
    for key in collection.queries.order_by().values_list("query_paper", flat=True):
        queries[key] += 1
    for done, addition in enumerate(
        additions(collection, plan, runs, number=preview.number), start=1
    ):
        paper, entries = addition.pooled.paper, addition.pool.entries
        if entries:
            documents = corpus_documents(collection, [entry.docno for entry in entries])
            judged = sum(document.has_text for document in documents.values())
            preview.documents[paper.name] = len(entries)
            preview.pairs += judged * queries[paper.pk]
            preview.without_text += len(entries) - judged
        for entry in entries:
            preview.by_run[entry.drawer] += 1
        work.progress(done, None, "pools read")
    preview.waiting = Pool.objects.drafts().filter(query_paper__collection=collection).count()
    return preview


def add_round(
    *,
    collection: Collection,
    plan: RoundPlan,
    runs: Sequence[LateRun],
    work: JobContext,
    made_by: User | None = None,
) -> PoolRound:
    """Add the next round to the frozen pools, and freeze it. The pools before it stay as they are.

    Raises:
        NothingToAdd: no run has a document that the pools lack.
        CorpusChanged, ChangedWhileChosen: the documents, a run or a pool changed meanwhile.
        PoolingError: the plan is invalid, or no pool is frozen.
    """
    collection.refresh_from_db()  # the corpus version and the seed as they are now
    _check(collection, plan, runs)
    number, digest = next_number(collection), corpus_digest(collection)
    previous, frozen = previous_manifests(collection), _frozen_keys(collection)
    with new_pool_file() as new_pools:
        pools, lists = {}, ListsOfRuns(runs)
        for addition in additions(collection, plan, runs, number=number):
            pools[addition.pooled.paper.pk] = addition.pooled.pool
            lists.add(addition)
            new_pools.add(_new_pool(collection, addition), _facts(addition))
            work.progress(new_pools.count, None, "pools read")
        if not new_pools.candidates:
            raise NothingToAdd(plan)
        manifest = _manifest(collection, plan, number, digest, previous, new_pools, lists)
        with work.fenced():
            now = lock_collection(collection)
            _check_as_chosen(now, collection, plan, runs, (number, previous, frozen))
            pool_round = PoolRound.objects.create(
                collection=collection,
                number=number,
                reason=plan.reason.strip(),
                choice=plan.choice,
                depth=plan.depth,
                seed=manifest["seed"],
                parameters=plan.values,
                manifest=manifest,
                made_by=made_by,
            )
            RoundList.objects.bulk_create(lists.rows(pool_round), batch_size=500)
            for part in new_pools.parts():
                insert_candidates(pools, part, round_number=number)
                work.check()
            pool_round.frozen_at = timezone.now()
            pool_round.save(update_fields=["frozen_at"])
            record_action(
                kind=ActionKind.POOLS_TOPPED_UP,
                collection=now,
                subject=about(SubjectKind.POOL_ROUND, pool_round.pk, str(number)),
                details={"documents": new_pools.candidates},
                by=made_by,
            )
            work.complete({"round": number, "documents": new_pools.candidates})
    return pool_round


def _check(collection: Collection, plan: RoundPlan, runs: Sequence[LateRun]) -> None:
    plan.check()
    if not runs:
        raise PoolingError("No run or system was chosen. Choose at least one.")
    names = [run.name for run in runs]
    if len(set(names)) < len(names):
        raise PoolingError("Two of the runs and systems have one name. Name each of them once.")
    pools = Pool.objects.frozen().filter(query_paper__collection=collection)
    if not pools.exists():
        raise PoolingError(
            "No pool is frozen yet, so there is nothing to add to. Build the pools with these "
            "runs instead."
        )
    is_limited = plan.only is not None or plan.choice != RoundChoice.ALL_UNJUDGED
    if is_limited and pools.sampled().exists():
        raise PoolingError(
            "Some pools are samples, so a round must add all documents to its depth: otherwise "
            "neither the first sample nor the round could be estimated from. Choose "
            f"{RoundChoice.ALL_UNJUDGED.value}."
        )
    if plan.only is not None:
        names_of_pools = set(pools.values_list("query_paper__name", flat=True))
        if unknown := sorted(set(plan.only) - names_of_pools):
            raise PoolingError(f"{unknown[0]} has no frozen pool. Remove it from the plan.")


def _new_pool(collection: Collection, addition: Addition) -> NewPool:
    paper, pool = addition.pooled.paper, addition.pool
    documents = corpus_documents(collection, [entry.docno for entry in pool.entries])
    return NewPool(
        paper.pk, paper.name, pool, addition.contributions, documents, is_topic=paper.is_topic
    )


def _facts(addition: Addition) -> dict[str, Any]:
    """The fields of a pool in a round's manifest that a build's does not have."""
    pooled, topics = addition.pooled, sorted({each.topic for each in addition.lists})
    return {
        "before": {"size": len(pooled.docnos), "sha256": pooled_digest(pooled.docnos)},
        **({"topics": topics} if topics != [pooled.paper.name] else {}),
        **({"outside": addition.outside} if addition.outside else {}),
    }


class ListsOfRuns:
    """The lists of the runs of a round, with a digest of each run as a file."""

    def __init__(self, runs: Sequence[LateRun]) -> None:
        self.runs = {run.name: run for run in runs}
        self._digests = {name: LinesDigest() for name in self.runs}
        self._lists: list[tuple[str, TopicList]] = []

    def add(self, addition: Addition) -> None:
        for each in addition.lists:
            self._digests[each.run].update(write_run({each.topic: each.ranking}, tag=TAG))
            self._lists.append((addition.pooled.paper.name, each))

    def as_json(self) -> list[dict[str, Any]]:
        """The runs by name, as in the manifest."""
        return [
            {
                "name": name,
                "kind": run.kind,
                "sha256": self._digests[name].hexdigest(),
                "whole_sha256": run.sha256,
            }
            for name, run in sorted(self.runs.items())
        ]

    def rows(self, pool_round: PoolRound) -> Iterator[RoundList]:
        for paper, (run, topic, ranking) in self._lists:
            yield RoundList(
                pool_round=pool_round,
                run=run,
                query_paper=paper,
                topic=topic,
                docnos=list(ranking.docnos),
                scores=list(ranking.scores),
            )


def _manifest(
    collection: Collection,
    plan: RoundPlan,
    number: int,
    digest: str,
    previous: dict[str, Any],
    new_pools: NewPoolFile,
    lists: ListsOfRuns,
) -> dict[str, Any]:
    manifest = {
        "format": ROUND_FORMAT,
        "collection": collection.slug,
        "round": number,
        "reason": plan.reason.strip(),
        "choice": plan.choice,
        "depth": plan.depth,
        "seed": plan.seed or collection.seed,
        "parameters": plan.values,
        "only": plan.only_json(),
        "labels_sha256": plan.labels_sha256,
        "corpus": {"documents": collection.documents.count(), "sha256": digest},
        "previous": previous,
        "runs": lists.as_json(),
        "pools": {
            "count": new_pools.count,
            "sha256": new_pools.sha256,
            "query_papers": new_pools.facts,
        },
        "versions": versions(),
    }
    return manifest | {"sha256": round_digest(manifest)}


def _check_as_chosen(
    now: Collection,
    then: Collection,
    plan: RoundPlan,
    runs: Sequence[LateRun],
    pools: tuple[int, dict[str, Any], set[int]],
) -> None:
    """Check, under the lock, that choosing the documents now would give the same ones."""
    if now.corpus_version != then.corpus_version:
        raise CorpusChanged("documents were being chosen")
    if not plan.seed and now.seed != then.seed:
        raise ChangedWhileChosen("the seed of the collection")
    if (next_number(now), previous_manifests(now), _frozen_keys(now)) != pools:
        raise ChangedWhileChosen("the pools")
    for run in runs:
        if run.sha256_now() != run.sha256:
            raise ChangedWhileChosen(f"the run {run.name}")
