"""What frozen pools were drawn from and by: enough to draw them again and prove them equal."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from corpus.digests import canonical_json, json_digest
from pooling.drawing import citations_for, draw_pool, lists_of, pooled_before, stored_pool
from pooling.models import PoolSet
from web.errors import Conflict

FORMAT = 1


def manifest_of(pool_set: PoolSet, plan: Mapping[str, Any], seed: str) -> dict[str, Any]:
    """The manifest of a set of pools, each of which is drawn again from the lists as they are now.

    `plan` is the set's plan, or its own manifest. The SHA-256 of a run is over the canonical JSON of
    [query, docnos, scores], query by query in order of their names; that of a pool over its documents with the rank
    and score that each run gives them. A pool of a later round has `before`, the SHA-256 over the canonical JSON of
    what earlier rounds pooled, in their order. Raises Conflict with the first pool that is drawn otherwise.
    """
    runs = {run.name: run for run in pool_set.collection.runs.filter(name__in=plan["sources"])}
    if gone := sorted(set(plan["sources"]) - runs.keys()):
        raise Conflict(f"The run {gone[0]} is gone, so its pools cannot be drawn again.")
    digests: dict[str, Any] = defaultdict(hashlib.sha256)
    pools = {}
    rows = sorted(pool_set.pools.select_related("query__document"), key=lambda row: row.query.name)
    citations = citations_for(plan, [pool.query for pool in rows])
    for pool in rows:
        name, lists = pool.query.name, lists_of(pool.query, list(runs.values()))
        before = pooled_before(pool.query, pool_set.round)
        stored, drawn = stored_pool(pool), draw_pool(pool.query, plan, lists, seed, citations, before)
        if difference := stored.difference(drawn):
            raise Conflict(f"{name}, {difference}.")
        for run, ranked in lists.items():
            digests[run].update(canonical_json([name, ranked.docnos, ranked.scores]))
        pools[name] = {
            "order": drawn.order,
            "shortfall": drawn.shortfall,
            "size": len(drawn.documents),
            "sha256": json_digest(asdict(drawn)),
        }
        if pool_set.round > 1:
            pools[name]["before"] = json_digest(before)
    return {
        "format": FORMAT,
        "round": pool_set.round,
        "seed": seed,
        **{key: plan[key] for key in ("strategy", "n", "depths", "sources", "forced")},
        "runs": {
            name: {"kind": run.kind, "settings": run.settings, "sha256": digests[name].hexdigest()}
            for name, run in runs.items()
        },
        "pools": pools,
    }


def first_difference(pool_set: PoolSet) -> str:
    """Where the frozen pools are not what their manifest draws from the lists as they are now; "" where they are."""
    manifest = pool_set.manifest
    try:
        again = manifest_of(pool_set, manifest, manifest["seed"])
    except Conflict as difference:
        return str(difference)
    return _difference("manifest", manifest, again)


def _difference(path: str, expected: Any, got: Any) -> str:
    if isinstance(expected, dict) and isinstance(got, dict):
        keys = sorted(expected.keys() | got.keys())
        return next(filter(None, (_difference(f"{path}.{key}", expected.get(key), got.get(key)) for key in keys)), "")
    return "" if expected == got else f"{path}: expected {expected}, got {got}."
