"""The drawing of pools in words, from the manifest of their build."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from accounts.models import Collection
from pooling.models import Pool, PoolBuild
from pooling.services import builds_with_pools
from pooling.strategies import BUDGET, STRATEGIES

REQUIRED = {
    "same_field": "of a field of the query",
    "not_later": "not later than the query",
}
PLAN_FIELDS = ("strategy", "mode", "parameters", "forced", "excluded", "only")


class Shortfall(NamedTuple):
    """The number of documents that a source could not give; `source` is "" for the whole pool."""

    source: str
    number: int


@dataclass(frozen=True)
class HowDrawn:
    """The drawing of pools by their manifest; an imported manifest may leave fields empty."""

    strategy: str
    one_per_round: bool
    forced: list[str]
    excluded: list[str]
    only: list[str]

    @classmethod
    def of(cls, manifest: Mapping[str, Any]) -> HowDrawn:
        name = manifest.get("strategy") or manifest.get("mode") or ""
        strategy = STRATEGIES.get(name)
        values = (manifest.get("parameters") or {}).items()
        parameters = ", ".join(f"{key} = {value}" for key, value in values)
        return cls(
            strategy=f"{strategy.title}{f' ({parameters})' if parameters else ''}"
            if strategy
            else "",
            one_per_round=strategy is not None and strategy.one_per_round,
            forced=manifest.get("forced") or [],
            excluded=manifest.get("excluded") or [],
            only=[REQUIRED.get(key, key) for key in manifest.get("only") or []],
        )


@dataclass(frozen=True)
class BuildRow:
    pk: int
    created_at: datetime
    how: HowDrawn
    drawn_here: bool  # and not imported, so that it can be built again


def build_rows(collection: Collection) -> list[BuildRow]:
    """The builds that still have a pool, newest first; of large manifests, only the plan."""
    rows = builds_with_pools(collection).values_list(
        "pk", "created_at", "manifest__seed", *(f"manifest__{key}" for key in PLAN_FIELDS)
    )
    return [
        BuildRow(
            pk,
            created_at,
            HowDrawn.of(dict(zip(PLAN_FIELDS, values, strict=True))),
            drawn_here=seed is not None,
        )
        for pk, created_at, seed, *values in rows
    ]


def how_drawn(pool: Pool) -> HowDrawn:
    """The plan of the pool's build, without the rest of its manifest, which can be megabytes."""
    builds = PoolBuild.objects.filter(pk=pool.build_id)
    values = builds.values_list(*(f"manifest__{key}" for key in PLAN_FIELDS)).get()
    return HowDrawn.of(dict(zip(PLAN_FIELDS, values, strict=True)))


def shortfalls(pool: Pool) -> list[Shortfall]:
    """The shortfall of each source by name, then that of the whole pool."""
    rows = [
        Shortfall("" if name == BUDGET else name, number) for name, number in pool.shortfall.items()
    ]
    return sorted(rows, key=lambda row: (not row.source, row.source))
