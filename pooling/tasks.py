"""The jobs of pooling."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from accounts.models import User
from jobs.lease import Lease
from jobs.registry import handles
from pooling import services


@handles("retrieve", title="Rank the query papers")
def retrieve(lease: Lease) -> dict[str, Any]:
    run = services.retrieve(collection=lease.collection, work=lease, **lease.parameters)
    return {"run": run.name}


@handles("import_run", title="Import a run")
def import_run(lease: Lease) -> dict[str, Any]:
    values = {**lease.parameters, "path": Path(lease.parameters["path"])}
    run = services.import_run(collection=lease.collection, work=lease, **values)
    return {"run": run.name}


@handles("build_pools", title="Build the pools")
def build_pools(lease: Lease) -> dict[str, Any]:
    plan = services.PoolPlan.of(lease.parameters)
    asked_by = User.objects.filter(pk__in=[lease.requested_by_id]).first()
    maker = services.SideBySide(lease.collection, plan.depth, lease.created_at, asked_by)
    build = services.build_pools(collection=lease.collection, plan=plan, work=lease, maker=maker)
    return {"pools": build.pools.count()}
