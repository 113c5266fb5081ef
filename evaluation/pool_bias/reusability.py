"""Sources that are left out as if they were new systems: judged@k, change of score and rank."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from accounts.models import Collection
from evaluation.pool_bias.computation.leave_out import Dropped, ScoredSystems
from evaluation.pool_bias.computation.sourced_pools import SourcedPool
from evaluation.pool_bias.redraw import SourceGroup
from pooling.reusability import Prediction, SourceLeftOut, predict
from retrieval.families import names_by_family
from retrieval.models import Run


class NewSystems(NamedTuple):
    """The sources of a group that are systems, when the whole group is left out.

    `judged` and `change` have the mean over these sources for each query: judged@20, and the change
    of the main measure. `ranks` are the ranks that each falls.
    """

    name: str
    sources: Sequence[str]
    judged: SourceLeftOut
    change: SourceLeftOut
    ranks: Sequence[int]

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "sources": list(self.sources),
            "judged": self.judged.mean if self.judged.values else None,
            "change": self.change.mean if self.change.values else None,
            "ranks": list(self.ranks),
        }


def families_of(collection: Collection, sources: Iterable[str]) -> dict[str, SourceGroup]:
    """The sources of each family; a source without a run, such as `cited`, is in none."""
    rows = Run.with_retired.filter(collection=collection).order_by("pk")
    kinds = dict(rows.values_list("name", "kind"))
    return dict(names_by_family(kinds.keys() & set(sources), kinds))


def new_systems(
    name: str,
    group: SourceGroup,
    systems: Iterable[str],
    scored: ScoredSystems,
    dropped: Dropped,
    pools: Sequence[SourcedPool],
) -> NewSystems | None:
    """None if no source of the group is one of these systems."""
    own = [source for source in group if source in systems]
    if not own:
        return None
    judged, change, ranks = scored.as_new_systems(own, dropped, pools)
    return NewSystems(name, own, SourceLeftOut(name, judged), SourceLeftOut(name, change), ranks)


def prediction_payload(rows: Iterable[NewSystems | None], seed: str) -> dict[str, Any] | None:
    """None without a group to leave out."""
    found = [row for row in rows if row]
    if not found:
        return None
    return {
        "judged": _as_json(predict([row.judged for row in found], seed)),
        "change": _as_json(predict([row.change for row in found], seed)),
        "groups": [row.as_json() for row in found],
    }


def _as_json(prediction: Prediction | None) -> dict[str, Any] | None:
    return prediction and {
        **prediction._asdict(),
        "lowest": list(prediction.lowest),
        "highest": list(prediction.highest),
    }
