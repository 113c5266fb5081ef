"""`{% runs_in_frozen_pools collection as frozen_runs %}`: for the page about runs.

That page belongs to `retrieval`, which must not import `pooling`.
"""

from __future__ import annotations

from django.template import Library

from accounts.models import Collection
from pooling.models import BuildRun

register = Library()


@register.simple_tag
def runs_in_frozen_pools(collection: Collection) -> frozenset[int]:
    """The primary keys of the runs that frozen pools were drawn from."""
    build_runs = BuildRun.objects.filter(
        build__collection=collection, build__pools__frozen_at__isnull=False, run__isnull=False
    )
    return frozenset(build_runs.order_by().values_list("run", flat=True).distinct())
