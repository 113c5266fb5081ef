"""The state of pools: values that change with them, for the reports that are computed from them."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Max, Sum

from accounts.models import Collection
from pooling.models import BuildRun, Pool


def pools_marks() -> tuple[Any, ...]:
    """Marks that change with every build, removed pool or changed document of any collection."""
    pools = Pool.objects.aggregate(newest=Max("pk"), number=Count("pk"))
    versions = Collection.objects.aggregate(versions=Sum("corpus_version"))
    return (*pools.values(), *versions.values())


def pools_state(collection: Collection) -> list[Any]:
    """A state that changes when the pools, their runs or the documents change. Two queries.

    A build's pools only ever become fewer, so their number tells which of them are left.
    """
    pools = Pool.objects.order_by().filter(query_paper__collection=collection)
    builds = sorted(pools.values_list("build").annotate(Count("pk")))
    lost_runs = BuildRun.objects.filter(build__collection=collection, run=None).count()
    return [collection.corpus_version, lost_runs, builds]
