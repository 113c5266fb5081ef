"""How pools were drawn, in words, from the manifest of their building."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from accounts.models import Collection
from pooling.models import Pool
from pooling.services import builds_with_pools
from pooling.strategies import BUDGET, STRATEGIES

REQUIRED = {
    "same_field": "of a field of the query paper",
    "not_later": "not later than the query paper",
}
SAID = ("strategy", "mode", "parameters", "forced", "excluded", "only")


class Lack(NamedTuple):
    """How many documents a source could not give; `source` is "" for the pool as a whole."""

    source: str
    number: int


@dataclass(frozen=True)
class HowDrawn:
    """What a manifest says of the drawing; an imported one may say little of it."""

    strategy: str
    one_a_round: bool
    forced: list[str]
    excluded: list[str]
    only: list[str]

    @classmethod
    def of(cls, manifest: Mapping[str, Any]) -> HowDrawn:
        name = manifest.get("strategy") or manifest.get("mode") or ""
        known = STRATEGIES.get(name)
        values = (manifest.get("parameters") or {}).items()
        said = ", ".join(f"{key} = {value}" for key, value in values)
        return cls(
            strategy=f"{known.title}{f' ({said})' if said else ''}" if known else "",
            one_a_round=name == "interleaved",
            forced=manifest.get("forced") or [],
            excluded=manifest.get("excluded") or [],
            only=[REQUIRED.get(one, one) for one in manifest.get("only") or []],
        )


@dataclass(frozen=True)
class BuildRow:
    pk: int
    created_at: datetime
    how: HowDrawn


def build_rows(collection: Collection) -> list[BuildRow]:
    """The buildings whose pools are there, newest first; of manifests, which are large, a part."""
    rows = builds_with_pools(collection).values_list(
        "pk", "created_at", *(f"manifest__{key}" for key in SAID)
    )
    return [
        BuildRow(pk, at, HowDrawn.of(dict(zip(SAID, said, strict=True)))) for pk, at, *said in rows
    ]


def lacks(pool: Pool) -> list[Lack]:
    """The shortfall of a pool, the pool as a whole last."""
    rows = [Lack("" if name == BUDGET else name, number) for name, number in pool.shortfall.items()]
    return sorted(rows, key=lambda one: (not one.source, one.source))
