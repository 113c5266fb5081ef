"""Collections with frozen pools, and runs that come late."""

from __future__ import annotations

from collections.abc import Sequence

from accounts.models import Collection
from annotation.models import Opening
from jobs.context import DirectRun
from pooling.models import Candidate, PoolRound
from pooling.rounds.lists import StoredRun, stored_runs
from pooling.rounds.plans import RoundPlan
from pooling.rounds.services import add_round
from pooling.services import freeze_pools
from retrieval.models import Run
from tests.support.factories import DocumentFactory
from tests.support.pooling_scenes import a_listed_collection, a_listed_run, built

FIRST_ROUND = ["d02", "d05", "d01", "d12", "d03", "d11", "d04", "d10"]  # in another order


def a_frozen_collection(slug: str = "small") -> Collection:
    """The pool of q1 holds FIRST_ROUND; d06 to d09 and d13 to d20 are not pooled."""
    collection = a_listed_collection(slug)
    for number in range(13, 21):
        DocumentFactory(collection=collection, docno=f"d{number}")
    built(collection)
    freeze_pools(collection=collection)
    return collection


def late(collection: Collection, name: str, docnos: Sequence[str], paper: str = "q1") -> Run:
    return a_listed_run(collection, name, {paper: list(docnos)})


def added(collection: Collection, *names: str) -> list[StoredRun]:
    return stored_runs(collection, names)


def a_round(collection: Collection, *names: str, **plan) -> PoolRound:
    """A round of these runs."""
    return add_round(
        collection=collection,
        plan=RoundPlan(**{"reason": "Late.", **plan}),
        runs=added(collection, *names),
        work=DirectRun(),
    )


def new_documents(collection: Collection, count: int) -> list[str]:
    """Documents in no pool."""
    return [DocumentFactory(collection=collection).docno for _ in range(count)]


def top_up(opening: Opening, count: int = 3, *, name: str = "", **plan) -> PoolRound:
    """A round of so many new documents for the query paper of the opening."""
    query = opening.query
    collection, paper = query.collection, query.query_paper.name
    name = name or f"late{collection.pool_rounds.count() + 2}"
    late(collection, name, new_documents(collection, count), paper=paper)
    return a_round(collection, name, **{"depth": 100, **plan})


def rows_of_round(
    collection: Collection, number: int
) -> list[tuple[str, int, list[tuple[str, int | None, bool]]]]:
    """(docno, position, [(source, rank, drawn)]) of the candidates of a round."""
    rows = Candidate.objects.filter(pool__query_paper__collection=collection, round=number)
    return [
        (
            row.document.docno,
            row.position,
            sorted(row.contributions.values_list("source", "rank", "drawn")),
        )
        for row in rows.order_by("pool__query_paper__name", "position")
    ]
