"""Services of pools: build, freeze, export and rebuild."""

from pooling.errors import PoolingError
from pooling.services.drafts import delete_leftovers
from pooling.services.estimates import (
    Estimate,
    draw_sample,
    estimate_pools,
    named_papers,
    papers_to_pool,
    sample_for,
)
from pooling.services.manifest import builds_with_pools, manifest_file, manifest_text
from pooling.services.plan_runs import JobRunMaker
from pooling.services.plans import DEFAULT_STRATEGY, ONLY, PoolPlan, default_forced
from pooling.services.pools import (
    build_parameters,
    build_pools,
    check_buildable,
    freeze_pool,
    freeze_pools,
    request_pools,
)
from pooling.services.saved_plans import PlanNameTaken, delete_plan, save_last_plan, save_plan

__all__ = [
    "DEFAULT_STRATEGY",
    "ONLY",
    "Estimate",
    "JobRunMaker",
    "PlanNameTaken",
    "PoolPlan",
    "PoolingError",
    "build_parameters",
    "build_pools",
    "builds_with_pools",
    "check_buildable",
    "default_forced",
    "delete_leftovers",
    "delete_plan",
    "draw_sample",
    "estimate_pools",
    "freeze_pool",
    "freeze_pools",
    "manifest_file",
    "manifest_text",
    "named_papers",
    "papers_to_pool",
    "request_pools",
    "sample_for",
    "save_last_plan",
    "save_plan",
]
