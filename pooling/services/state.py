"""The state of pools: values that change with them, for the reports that are computed from them."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Max, Sum

from accounts.models import Collection
from pooling.models import BuildRun, Pool, PoolRound


def pools_marks() -> tuple[Any, ...]:
    """Marks that change with a build, a round, a removed pool or a changed document anywhere."""
    pools = Pool.objects.aggregate(newest=Max("pk"), number=Count("pk"))
    versions = Collection.objects.aggregate(versions=Sum("corpus_version"))
    rounds = PoolRound.objects.aggregate(newest_round=Max("pk"))
    return (*pools.values(), *versions.values(), *rounds.values())


def pools_state(collection: Collection) -> list[Any]:
    """A state that changes when the pools, their runs or the documents change. Two queries.

    A build's pools only ever become fewer, so their number tells which of them are left. A pool
    round adds to their size.
    """
    pools = Pool.objects.order_by().filter(query_paper__collection=collection)
    builds = sorted(pools.values_list("build").annotate(Count("pk"), Sum("size")))
    lost_runs = BuildRun.objects.filter(build__collection=collection, run=None).count()
    return [collection.corpus_version, lost_runs, builds]
