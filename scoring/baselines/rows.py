"""The baselines with the systems that were made by them, for the page and the API."""

from __future__ import annotations

from typing import NamedTuple

from accounts.models import Collection
from scoring.baselines.catalogue import BASELINES, Baseline, is_current_definition
from scoring.models import System, SystemKind


class MadeSystem(NamedTuple):
    """A system made by a baseline; out of date if by an earlier definition of it."""

    system: System
    is_current: bool


class BaselineRow(NamedTuple):
    """A baseline with its systems: several with several encoders or distances."""

    baseline: Baseline
    systems: list[MadeSystem]


def baseline_rows(collection: Collection) -> list[BaselineRow]:
    systems: dict[str, list[MadeSystem]] = {name: [] for name in BASELINES}
    for system in collection.systems.filter(kind=SystemKind.BASELINE).order_by("name"):
        made = MadeSystem(system, is_current_definition(system.parameters))
        systems.setdefault(system.parameters.get("baseline", ""), []).append(made)
    return [BaselineRow(baseline, systems[name]) for name, baseline in BASELINES.items()]
