"""Folds of evaluation: imported with a release, or made from the collection's seed."""

from __future__ import annotations

from itertools import groupby

from django.db import transaction

from accounts.models import Collection
from accounts.services import lock_collection
from corpus.models import Query
from corpus.ordering import order_key
from jobs.models import Report
from web.errors import BadInput, Conflict

KIND = "folds"  # a report says that folds were made: how many, and by which seed


@transaction.atomic
def make_folds(collection: Collection, number: int = 2) -> None:
    """Give each query the fold that tests it, even within each facet. Made again, all queries have their place anew."""
    locked = lock_collection(collection)
    if not are_made(locked) and locked.queries.exclude(fold=None).exists():
        raise Conflict(f"The folds of {locked} were imported, so they stay as they are.")
    queries = sorted(
        locked.queries.all(), key=lambda query: (query.facet, order_key(locked.seed, "folds", query.facet, query.name))
    )
    if not queries:
        raise BadInput("There are no queries yet. Add queries, then make folds.")
    for facet, members in groupby(queries, key=lambda query: query.facet):
        together = list(members)
        if len(together) < number:
            raise BadInput(f"{number} folds need at least {number} queries of {facet}. It has {len(together)}.")
        for place, query in enumerate(together):
            query.fold = place % number + 1
    Query.objects.bulk_update(queries, ["fold"], batch_size=500)
    Report.objects.put(locked, KIND, {"number": number, "seed": locked.seed}, labels="")


def are_made(collection: Collection) -> bool:
    return Report.objects.find(collection, KIND) is not None
