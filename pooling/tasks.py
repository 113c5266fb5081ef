"""The jobs of pooling."""

from __future__ import annotations

from typing import Any

from accounts.models import User
from jobs.kept_files import place_of
from jobs.lease import Lease
from jobs.registry import handles
from pooling import services
from pooling.uploads import EMBEDDINGS_KIND, RUN_KIND


@handles("retrieve", title="Rank the query papers")
def retrieve(lease: Lease) -> dict[str, Any]:
    run = services.retrieve(collection=lease.collection, work=lease, **lease.parameters)
    return {"run": run.name}


@handles(RUN_KIND, title="Import a run", reads=("path",))
def import_run(lease: Lease) -> dict[str, Any]:
    values = {**lease.parameters, "path": place_of(lease.parameters)}
    run = services.import_run(collection=lease.collection, work=lease, **values)
    return {"run": run.name}


@handles(EMBEDDINGS_KIND, title="Import vectors", reads=("vectors", "docnos"))
def import_embeddings(lease: Lease) -> dict[str, Any]:
    said = lease.parameters
    run = services.import_embeddings(
        collection=lease.collection,
        vectors=place_of(said, "vectors"),
        docnos=place_of(said, "docnos"),
        vectors_name=said["filename"],
        docnos_name=said["docnos_name"],
        name=said["name"],
        metric=said["metric"],
        depth=said["depth"],
        work=lease,
    )
    return {"run": run.name}


@handles("build_pools", title="Build the pools")
def build_pools(lease: Lease) -> dict[str, Any]:
    plan = services.PoolPlan.of(lease.parameters)
    asked_by = User.objects.filter(pk__in=[lease.requested_by_id]).first()
    maker = services.SideBySide(lease.collection, plan.depth, lease.created_at, asked_by)
    build = services.build_pools(
        collection=lease.collection, plan=plan, work=lease, maker=maker, built_by=asked_by
    )
    return {"pools": build.pools.count()}
