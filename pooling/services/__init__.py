"""Services of pools: build, freeze, export and rebuild."""

from pooling.errors import PoolingError
from pooling.services.drafts import delete_leftovers
from pooling.services.estimates import Estimate, estimate_pools, papers_to_pool
from pooling.services.last_plans import save_last_plan
from pooling.services.manifest import builds_with_pools, manifest_file, manifest_text
from pooling.services.plan_runs import JobRunMaker
from pooling.services.plans import DEFAULT_STRATEGY, ONLY, PoolPlan, default_forced
from pooling.services.pools import (
    build_pools,
    freeze_pool,
    freeze_pools,
    request_pools,
)

__all__ = [
    "DEFAULT_STRATEGY",
    "ONLY",
    "Estimate",
    "JobRunMaker",
    "PoolPlan",
    "PoolingError",
    "build_pools",
    "builds_with_pools",
    "default_forced",
    "delete_leftovers",
    "estimate_pools",
    "freeze_pool",
    "freeze_pools",
    "manifest_file",
    "manifest_text",
    "papers_to_pool",
    "request_pools",
    "save_last_plan",
]
