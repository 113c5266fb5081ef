"""A recount of the numbers that are stored with a pool."""

from __future__ import annotations

from django.db.models import Count

from accounts.models import Collection
from pooling.models import Pool
from pooling.tables.pools import forced_sources


def check_pool_counts(collection: Collection) -> int:
    """Compare the numbers of every pool with a recount of its rows. Returns how many pools."""
    forced = forced_sources(collection)
    pools = list(Pool.objects.filter(query_paper__collection=collection))
    for pool in pools:
        drawn = pool.candidates.filter(round=1, contributions__drawn=True)
        drawers = drawn.order_by().values_list("contributions__source")
        recounted = {
            "drawn": dict(drawers.annotate(n=Count("pk"))),
            "size": pool.candidates.count(),
            "to_judge": pool.candidates.to_judge().count(),
            "forced": drawn.filter(contributions__source__in=forced[pool.build_id]).count(),
            "shortfall_sum": sum(pool.shortfall.values()),
            "deepest": max(pool.depth.values(), default=0) or None,
        }
        assert recounted == {name: getattr(pool, name) for name in recounted}
    return len(pools)
